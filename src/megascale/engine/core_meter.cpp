// One thread: its processor time is its work. Several threads: one of them that has lost its core
// makes the others wait at the end of each kernel, some of that time on the processor, so that
// processor time says little. The wall time of the step then counts, but only if no thread of the
// team has waited for a core.
//
// Linux counts for each thread how long it was ready to run and had no core: the second number of
// /proc/self/task/THREAD/schedstat, in nanoseconds.
#include "megascale/engine/core_meter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>

#include "megascale/base/clock.h"
#include "megascale/base/files.h"

namespace megascale::engine {
namespace {

// A team that has waited for cores for a smaller share of its work was not disturbed.
constexpr std::int64_t kDisturbed = 100;  // one in so many
constexpr std::int64_t kUnknown = -1;

FileHandle open_waits(int thread) noexcept {
  if (thread == 0) return {};
  std::array<char, 48> path{};
  *fmt::format_to_n(path.data(), path.size() - 1, "/proc/self/task/{}/schedstat", thread).out = 0;
  return FileHandle(::open(path.data(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

CoreMeter::Waits::Waits(int thread) noexcept : file_(open_waits(thread)) {}

std::int64_t CoreMeter::Waits::take() noexcept {
  std::array<char, 80> text{};
  const ::ssize_t size = file_.get() < 0 ? 0 : ::pread(file_.get(), text.data(), text.size(), 0);
  if (size <= 0) return kUnknown;
  std::int64_t on_core = 0, waited = 0;
  const char* const end = text.data() + size;
  const char* const behind = std::from_chars(text.data(), end, on_core).ptr;
  if (behind == end || std::from_chars(behind + 1, end, waited).ec != std::errc()) return kUnknown;
  const std::int64_t before = total_;
  total_ = waited;
  return waited - before;
}

std::int64_t CoreMeter::take_own_waits() noexcept {
  thread_local Waits own(::gettid());
  return own.take();
}

// Of all threads of the team, since the last call. Threads that have ended meanwhile are missing.
std::int64_t CoreMeter::take_waits(std::size_t threads) noexcept {
  if (threads == 1) return take_own_waits();
  std::atomic<std::int64_t> sum{0};
  std::atomic<bool> known{true};
#pragma omp parallel num_threads(static_cast <int>(threads)) default(none) shared(sum, known)
  {
    const std::int64_t own = take_own_waits();
    if (own == kUnknown) known = false;
    sum += own;
  }
  return known ? sum.load() : kUnknown;
}

// The first use allocates memory, which steps must not.
CoreMeter::CoreMeter(std::size_t threads, const runtime::LaneThreads& lanes) noexcept
    : threads_(threads), transfers_(lanes.transfers), input_(lanes.host) {
  if (threads_ > 0) (void)take_waits(threads_);
}

void CoreMeter::begin() noexcept {
  if (threads_ == 0) return;
  (void)take_waits(threads_);
  begin_cpu_ns_ = thread_cpu_ns();
}

void CoreMeter::end(StepOutcome& outcome) noexcept {
  outcome.transfer_core_wait_ns = transfers_.take();
  outcome.input_core_wait_ns = input_.take();
  if (threads_ == 0) {
    outcome.work_ns = outcome.compute_ns;
    return;
  }
  const std::int64_t used = thread_cpu_ns() - begin_cpu_ns_;
  outcome.core_wait_ns = take_waits(threads_);
  if (threads_ == 1) {
    outcome.work_ns = used;
  } else if (outcome.core_wait_ns != kUnknown &&
             outcome.core_wait_ns * kDisturbed <= outcome.compute_ns) {
    outcome.work_ns = outcome.compute_ns;
  }
}

}  // namespace megascale::engine
