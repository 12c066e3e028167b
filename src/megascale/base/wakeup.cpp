// Waiting threads first poll for a few microseconds and give their core away between two polls
// (sched_yield). If nothing has happened, they sleep: on a futex, or, if they also wait for events
// from outside the process, in poll() on an eventfd (`bell_`) and the event source's descriptor.
// Polling pays because most waits of a step are shorter than the two system calls of a sleep. It
// does not pay while another thread computes on the same core: sched_yield then returns after a
// whole time slice. The code detects that by the duration of the yield and sleeps at once.
#include "megascale/base/wakeup.h"

#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <limits>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"

namespace megascale {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Polls of an event source before a wait sleeps. Counted, not timed: messages of other processes
// take longer than look_ns_.
constexpr int kEventLooks = 50;
// If a yield takes longer than this, a thread that computes had the core. Every further yield would
// cost a whole time slice, whereas a sleeping thread is woken at once.
constexpr std::int64_t kShortNs = 50'000;
// After a yield that took too long, a wait for events polls only once, for this many waits: each
// yield would delay the transfers by a time slice.
constexpr int kCalmWaits = 200;

// Gives the core to other threads. Returns false if that took longer than kShortNs.
bool yield_for_a_moment() noexcept {
  const std::int64_t begin = monotonic_ns();
  ::sched_yield();
  return monotonic_ns() - begin < kShortNs;
}

}  // namespace

Wakeup::~Wakeup() {
  if (bell_ >= 0) ::close(bell_);
}

bool Wakeup::changed_soon(std::uint32_t seen) const noexcept {
  const std::int64_t end = monotonic_ns() + look_ns_.load(std::memory_order_relaxed);
  while (epoch() == seen) {
    if (!yield_for_a_moment() || monotonic_ns() > end) break;
  }
  return epoch() != seen;
}

bool Wakeup::sleep(std::uint32_t seen, const std::timespec* deadline) noexcept {
  sleepers_.fetch_add(1);
  bool in_time = true;
  // The kernel compares epoch_ with `seen` once more before it puts the thread to sleep.
  while (in_time && epoch() == seen) {
    const long status = ::syscall(SYS_futex, &epoch_, FUTEX_WAIT_BITSET_PRIVATE, seen, deadline,
                                  nullptr, FUTEX_BITSET_MATCH_ANY);
    in_time = status == 0 || errno != ETIMEDOUT;
  }
  sleepers_.fetch_sub(1);
  return in_time;
}

void Wakeup::wait(std::uint32_t seen) noexcept {
  if (!changed_soon(seen)) (void)sleep(seen, nullptr);
}

bool Wakeup::wait_until(std::uint32_t seen,
                        std::chrono::steady_clock::time_point deadline) noexcept {
  if (changed_soon(seen)) return true;
  // FUTEX_WAIT_BITSET takes an absolute time of CLOCK_MONOTONIC, the clock of steady_clock.
  const auto since_start = deadline.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_start);
  const std::timespec limit{
      .tv_sec = seconds.count(),
      .tv_nsec =
          std::chrono::duration_cast<std::chrono::nanoseconds>(since_start - seconds).count()};
  return sleep(seen, &limit) || epoch() != seen;
}

void Wakeup::wait(std::uint32_t seen, EventSource& events) noexcept {
  // At least one poll: arm() only reports that events are pending, it does not process them.
  const int looks = waits_without_looks_ > 0 ? 1 : kEventLooks;
  if (waits_without_looks_ > 0) --waits_without_looks_;
  for (int i = 0; i < looks; ++i) {
    if (events.progress() || epoch() != seen) return;
    if (looks == 1 || yield_for_a_moment()) continue;
    waits_without_looks_ = kCalmWaits;
    break;
  }
  const int patience_ms = events.arm();
  if (patience_ms == 0) return;
  if (bell_ < 0) {
    bell_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    MEGASCALE_CHECK(bell_ >= 0, "no descriptor is left to sleep on");
  }
  sleepers_.fetch_or(kOnBell);
  if (epoch_.load() == seen) {
    std::array<::pollfd, 2> signs{{{.fd = bell_, .events = POLLIN, .revents = 0},
                                   {.fd = events.descriptor(), .events = POLLIN, .revents = 0}}};
    ::poll(signs.data(), signs.size(), patience_ms);
  }
  sleepers_.fetch_and(~kOnBell);
  std::uint64_t rings = 0;
  (void)!::read(bell_, &rings, sizeof rings);
  events.progress();
}

void Wakeup::wake() noexcept {
  const std::uint32_t sleepers = sleepers_.load();
  if ((sleepers & ~kOnBell) != 0)
    ::syscall(SYS_futex, &epoch_, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr,
              nullptr, 0);
  if ((sleepers & kOnBell) != 0) {
    const std::uint64_t ring = 1;
    (void)!::write(bell_, &ring, sizeof ring);
  }
}

}  // namespace megascale
