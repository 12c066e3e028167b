#ifndef MEGASCALE_TESTS_CONTROL_SECURE_RAW_CLIENT_H_
#define MEGASCALE_TESTS_CONTROL_SECURE_RAW_CLIENT_H_

#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "megascale/comm/store/address.h"
#include "megascale/control/secure/host_port.h"
#include "megascale/control/secure/tls_socket.h"

namespace megascale::testing {

// Bytes over a TCP connection. Every wait has a limit of 20 s.
class RawClient {
 public:
  // `from` is the address of this side, such as another one of the loopback network.
  explicit RawClient(const secure::HostPort& address, const std::string& from = "127.0.0.1") {
    const auto resolved = comm::resolve({.host = address.host, .port = address.port, .path = ""});
    socket_ = std::move(*comm::make_socket(*resolved));
    const auto own = comm::resolve({.host = from, .port = 0, .path = ""});
    (void)::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&own->storage), own->nbytes);
    const int connected = ::connect(
        socket_.get(), reinterpret_cast<const sockaddr*>(&resolved->storage), resolved->nbytes);
    if (connected != 0) wait_for(POLLOUT);
  }
  [[nodiscard]] int fd() const { return socket_.get(); }
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno != EAGAIN) return false;
      if (count < 0 && !wait_for(POLLOUT)) return false;
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  // Whether the other side closes, whatever it sends before.
  [[nodiscard]] bool is_closed() const {
    char bytes[4096];
    for (;;) {
      const ssize_t count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
      if (count == 0 || (count < 0 && errno != EAGAIN)) return true;
      if (count < 0 && !wait_for(POLLIN)) return false;
    }
  }
  bool wait_for(short events) const {
    pollfd waiting{.fd = socket_.get(), .events = events, .revents = 0};
    return ::poll(&waiting, 1, 20'000) > 0;
  }

 private:
  FileHandle socket_;
};

// A TLS 1.3 client that checks nothing; with a certificate if credentials are given.
class TlsClient {
 public:
  explicit TlsClient(const secure::HostPort& address, const secure::Credentials* own = nullptr)
      : raw_(address),
        context_(own == nullptr ? secure::make_client_context()
                                : secure::make_server_context(*own)) {
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_NONE, nullptr);
    session_ = secure::make_session(context_, raw_.fd(), false);
    constexpr unsigned char kHttp2[] = "\x02h2";
    SSL_set_alpn_protos(session_.get(), kHttp2, 3);
    shaken_ = complete([&] { return secure::handshake(session_); });
  }
  [[nodiscard]] bool shaken() const { return shaken_; }
  bool send(std::string_view bytes) {
    return complete([&] { return secure::send(session_, bytes); });
  }
  // Returns up to `most` bytes; fewer if the other side closed.
  std::string receive(std::size_t most) {
    std::string bytes;
    (void)complete([&] { return secure::receive(session_, bytes, most); });
    return bytes;
  }
  // Receives until `part` has come; false if it does not come within 20 s after the byte before.
  bool receives(std::string_view part) {
    std::string bytes;
    while (bytes.find(part) == std::string::npos) {
      const std::string byte = receive(1);
      if (byte.empty()) return false;
      bytes += byte;
    }
    return true;
  }

 private:
  template <class Step>
  bool complete(const Step& step) {
    for (;;) {
      const auto progress = step();
      if (progress == secure::TlsProgress::done) return true;
      if (progress == secure::TlsProgress::closed || progress == secure::TlsProgress::failed)
        return false;
      if (!raw_.wait_for(progress == secure::TlsProgress::wants_read ? POLLIN : POLLOUT))
        return false;
    }
  }
  RawClient raw_;
  secure::TlsContext context_;
  secure::TlsSession session_;
  bool shaken_ = false;
};

// Waits until `condition` holds; false if it does not within 20 s.
template <class Condition>
bool wait_until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CONTROL_SECURE_RAW_CLIENT_H_
