#ifndef MEGASCALE_TESTS_CONTROL_SECURE_CROWD_H_
#define MEGASCALE_TESTS_CONTROL_SECURE_CROWD_H_

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "control/secure/endpoint_support.h"

namespace megascale::testing {

// Connections to an endpoint that mean no good: silent ones, half a TLS hello, garbage, one byte at a
// time, and a stranger's certificate. Whenever the endpoint closes one, another one of its kind comes
// in its place.
class Crowd {
 public:
  Crowd(secure::HostPort address, std::size_t size)
      : address_(std::move(address)), stranger_(others_.make_member(secure::Role::executor, "x")) {
    rlimit files{};
    (void)::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &files);  // both ends are in this process
    for (std::size_t i = 0; i < size; ++i) members_.push_back(make(i));
    thread_ = std::thread([this] { press(); });
    thread_of_strangers_ = std::thread([this] {
      for (; !ending_; ++handshakes_) (void)TlsClient(address_, &stranger_).receive(1);
    });
  }
  ~Crowd() {
    ending_ = true;
    thread_.join();
    thread_of_strangers_.join();
  }
  // Connections of strangers that were tried so far.
  [[nodiscard]] std::size_t tried() const { return tried_ + handshakes_; }

 private:
  [[nodiscard]] std::unique_ptr<RawClient> make(std::size_t number) {
    ++tried_;
    auto one = std::make_unique<RawClient>(address_, "127.0.0." + std::to_string(2 + number % 8));
    if (number % 4 == 1) (void)one->send(kHello);
    if (number % 4 == 2) (void)one->send(std::string(1 + number % 4000, '\xa5'));
    return one;
  }
  void press() {
    for (std::size_t round = 0; !ending_; ++round) {
      for (std::size_t i = 0; i < members_.size() && !ending_; ++i) {
        char byte = 0;
        const ssize_t count = ::recv(members_[i]->fd(), &byte, 1, MSG_DONTWAIT);
        const bool closed = count == 0 || (count < 0 && errno != EAGAIN);
        const bool sent = i % 4 != 3 || members_[i]->send(kHello.substr(round % kHello.size(), 1));
        if (closed || !sent) members_[i] = make(i);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  // The head of a TLS record with a ClientHello of 512 bytes.
  const std::string kHello{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11};
  secure::HostPort address_;
  TestCluster others_{"others"};
  secure::Credentials stranger_;
  std::vector<std::unique_ptr<RawClient>> members_;
  std::atomic<bool> ending_ = false;
  std::atomic<std::size_t> tried_ = 0, handshakes_ = 0;
  std::thread thread_, thread_of_strangers_;
};

// Sends heartbeats one after the other for some seconds, half of them over new connections. Returns
// the seconds of the slowest; a heartbeat without an answer is a failure of the test.
inline double slowest_heartbeat(const secure::HostPort& address, const secure::Credentials& own,
                                double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto make = [&] {
    return std::make_unique<secure::Client>(
        secure::ClientOptions{.server = address, .credentials = own});
  };
  const auto kept = make();
  double slowest = 0;
  std::size_t beats = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (; Clock::now() < end; ++beats) {
    const auto begin = Clock::now();
    const auto fresh = beats % 2 == 1 ? make() : nullptr;
    const auto reply =
        (fresh ? *fresh : *kept).call("Heartbeat", "x", std::chrono::milliseconds(20'000));
    EXPECT_TRUE(reply.has_value()) << "heartbeat " << beats << ": " << reply.error().message();
    if (!reply) break;
    slowest = std::max(slowest, std::chrono::duration<double>(Clock::now() - begin).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_GT(beats, 2U);
  return slowest;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CONTROL_SECURE_CROWD_H_
