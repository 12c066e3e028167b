#include "megascale/base/wakeup.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

#include "support/watchdog.h"

namespace megascale {
namespace {

using testing::Watchdog;
using namespace std::chrono_literals;

// Goal: no notification is lost.  Method: two threads answer each other; one that is lost hangs.
TEST(WakeupTest, NoNotificationIsLost) {
  const Watchdog watchdog("two threads that answer each other");
  constexpr int kRounds = 20000;
  Wakeup wakeup;
  std::atomic<int> turn{0};
  const auto play = [&](int me) {
    for (int round = 0; round < kRounds; ++round) {
      for (;;) {
        const std::uint32_t epoch = wakeup.epoch();
        if (turn % 2 == me) break;
        if (round % 3 == 0) {
          (void)wakeup.wait_until(epoch, std::chrono::steady_clock::now() + 60s);
        } else {
          wakeup.wait(epoch);
        }
      }
      ++turn;
      wakeup.notify();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn, 2 * kRounds);
}

TEST(WakeupTest, AWaitEndsAtItsDeadline) {
  const Watchdog watchdog("a wait with a deadline");
  Wakeup wakeup;
  const auto deadline = std::chrono::steady_clock::now() + 30ms;
  EXPECT_FALSE(wakeup.wait_until(wakeup.epoch(), deadline));
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
  const std::uint32_t before = wakeup.epoch();
  wakeup.notify();
  EXPECT_TRUE(wakeup.wait_until(before, deadline)) << "notified, though the deadline has passed";
}

// Counts written to an eventfd, as another process would send messages.
class Counter final : public EventSource {
 public:
  Counter() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Counter() override { ::close(descriptor_); }
  bool progress() noexcept override {
    std::uint64_t count = 0;
    if (::read(descriptor_, &count, sizeof count) != sizeof count) return false;
    seen += count;
    return true;
  }
  int arm() noexcept override { return kForEver; }
  [[nodiscard]] int descriptor() const noexcept override { return descriptor_; }
  void send() {
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(descriptor_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  std::uint64_t seen = 0;

 private:
  int descriptor_;
};

// Goal: a thread that sleeps on events and notifications misses neither.  Method: random turns of
// both, one at a time; the sender waits for each to be seen.
TEST(WakeupTest, ASleepOnEventsEndsAtEitherKind) {
  const Watchdog watchdog("a sleep on events and notifications");
  constexpr std::uint64_t kRounds = 3000;
  Wakeup wakeup;
  Counter events;
  std::atomic<std::uint64_t> notified{0}, answered{0};
  std::thread sleeper([&] {
    while (answered < kRounds) {
      const std::uint32_t epoch = wakeup.epoch();
      events.progress();
      answered = events.seen + notified;
      if (answered < kRounds) wakeup.wait(epoch, events);
    }
  });
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    if (round % 50 == 0) std::this_thread::sleep_for(1ms);  // it sleeps by now
    if (round * 7 % 3 == 0) {
      events.send();
    } else {
      ++notified;
      wakeup.notify();
    }
    while (answered <= round) std::this_thread::yield();
  }
  sleeper.join();
}

}  // namespace
}  // namespace megascale
