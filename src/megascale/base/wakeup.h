#ifndef MEGASCALE_BASE_WAKEUP_H_
#define MEGASCALE_BASE_WAKEUP_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

// How threads of a process wait for each other and for events from outside: an event counter with
// futex sleep (Wakeup), and the interface of an event source (EventSource), such as the port of a
// UCX communicator.
namespace megascale {

// A source of events from outside the process: messages of other processes, the end of another
// process. One thread at a time may use it.
class EventSource {
 public:
  EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
  virtual ~EventSource() = default;
  // Processes all pending events without blocking. Returns false if there were none.
  virtual bool progress() noexcept = 0;
  // From this call on, the next event makes descriptor() readable. Returns for how many
  // milliseconds the caller may sleep without such a sign: 0 if events are pending already,
  // kForEver if only events matter.
  static constexpr int kForEver = -1;
  virtual int arm() noexcept = 0;
  // A file descriptor that becomes readable when an event occurs after arm(). It never changes.
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
};

// An event counter that threads can sleep on. A waiting thread reads epoch(), looks for work, and
// if it finds none calls wait() with the epoch it has read. A notify() in between is never lost.
// Any number of threads may wait and notify. A notification without a sleeping thread costs two
// atomic operations and no system call.
class Wakeup {
 public:
  Wakeup() = default;
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;
  ~Wakeup();

  [[nodiscard]] std::uint32_t epoch() const noexcept {
    return epoch_.load(std::memory_order_acquire);
  }
  // Increments the epoch and wakes all sleeping threads.
  void notify() noexcept {
    // Both sides are sequentially consistent: either the sleeper sees the new epoch, or this thread
    // sees the sleeper.
    epoch_.fetch_add(1);
    if (sleepers_.load() != 0) wake();
  }
  // Returns once the epoch differs from `seen`.
  void wait(std::uint32_t seen) noexcept;
  // Sets how long wait(seen) and wait_until() poll before they sleep; 2 microseconds by default.
  // Between two polls the thread gives its core away, so polling takes no time from threads that
  // compute. A sleep costs two system calls, one of them in the notifying thread. On a virtual
  // machine a sleep costs more: the idle core goes to other guests, and the thread waits until it
  // returns.
  void set_look(std::chrono::nanoseconds duration) noexcept {
    look_ns_.store(duration.count(), std::memory_order_relaxed);
  }
  // Like wait(seen), but returns false if there was no notification until `deadline`.
  [[nodiscard]] bool wait_until(std::uint32_t seen,
                                std::chrono::steady_clock::time_point deadline) noexcept;
  // Like wait(seen), but also returns after an event of `events`, whose progress() it calls. At
  // most one thread at a time may wait in this way.
  void wait(std::uint32_t seen, EventSource& events) noexcept;

 private:
  // A bit of sleepers_: a thread sleeps on the bell. The bits below count the threads that sleep on
  // epoch_.
  static constexpr std::uint32_t kOnBell = 1U << 31U;

  void wake() noexcept;
  [[nodiscard]] bool changed_soon(std::uint32_t seen) const noexcept;
  [[nodiscard]] bool sleep(std::uint32_t seen, const std::timespec* deadline) noexcept;

  std::atomic<std::int64_t> look_ns_{2'000};
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  int bell_ = -1;  // an eventfd, created by the first wait for events; notified if kOnBell is set
  int waits_without_looks_ = 0;  // waits for events that still poll only once; see kCalmWaits
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_WAKEUP_H_
