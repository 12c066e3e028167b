#ifndef MEGASCALE_BASE_WAKEUP_H_
#define MEGASCALE_BASE_WAKEUP_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace megascale {

// Events from outside the process (messages of other processes, their deaths). Used by one thread
// at a time.
class EventSource {
 public:
  EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
  virtual ~EventSource() = default;
  // Deals with what has happened, without blocking. False: nothing had.
  virtual bool progress() noexcept = 0;
  // Asks for a sign on descriptor() of what happens from now on. Returns for how many milliseconds
  // one may sleep without a sign: 0 where there is something to do already, kForEver as a rule.
  static constexpr int kForEver = -1;
  virtual int arm() noexcept = 0;
  // Readable once something has happened since arm(). The same at all times.
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
};

// An event counter that threads sleep on. Read epoch(), look for work, and if there is none
// wait(epoch): a notify() between the two is never lost. Any number of threads on both sides.
// A notification that nobody waits for costs two atomic operations and no call of the system.
class Wakeup {
 public:
  Wakeup() = default;
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;
  ~Wakeup();

  [[nodiscard]] std::uint32_t epoch() const noexcept {
    return epoch_.load(std::memory_order_acquire);
  }
  void notify() noexcept {
    // Sequentially consistent on both sides: either the sleeper sees the new epoch, or this sees
    // the sleeper.
    epoch_.fetch_add(1);
    if (sleepers_.load() != 0) wake();
  }
  void wait(std::uint32_t seen) noexcept;
  // How long wait(seen) and wait_until look for a notification before they sleep; a few
  // microseconds unless said. Every look gives the core away, so this takes no time from who
  // computes; a sleep costs two calls of the system, one of the notifier's, and on a virtual
  // machine, whose core then goes to others, the time to get it back.
  void set_look(std::chrono::nanoseconds duration) noexcept {
    look_ns_.store(duration.count(), std::memory_order_relaxed);
  }
  // False: `deadline` has passed and there was no notification.
  [[nodiscard]] bool wait_until(std::uint32_t seen,
                                std::chrono::steady_clock::time_point deadline) noexcept;
  // Returns also after an event of `events`, having called its progress(); at most one thread at a
  // time.
  void wait(std::uint32_t seen, EventSource& events) noexcept;

 private:
  // Of sleepers_: a thread sleeps on the bell. The bits below count those that sleep on epoch_.
  static constexpr std::uint32_t kOnBell = 1U << 31U;

  void wake() noexcept;
  [[nodiscard]] bool changed_soon(std::uint32_t seen) const noexcept;
  [[nodiscard]] bool sleep(std::uint32_t seen, const std::timespec* deadline) noexcept;

  std::atomic<std::int64_t> look_ns_{2'000};
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  int bell_ = -1;  // an eventfd, made by the first wait for events; rung while kOnBell is set
  int waits_without_looks_ = 0;  // for events, before the next that looks around; see kCalmWaits
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_WAKEUP_H_
