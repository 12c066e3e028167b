#include "megascale/diagnose/clock_check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/timex.h>

#include <cmath>
#include <ctime>

#include "megascale/base/clock.h"

namespace megascale::diagnose {
namespace {

std::string time_text(std::int64_t wall_ns) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(static_cast<std::time_t>(wall_ns / 1'000'000'000)));
}

}  // namespace

ClockReading read_clocks() noexcept {
  ::timespec time{};
  (void)::clock_gettime(CLOCK_REALTIME, &time);
  return {.wall_ns = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec,
          .monotonic_ns = monotonic_ns()};
}

void judge_clocks(const ClockReading& before, const ClockReading& after, std::int64_t not_before_ns,
                  CheckReport& report) {
  ::timex state{};
  const bool synchronized = ::adjtimex(&state) != TIME_ERROR;
  report.text = fmt::format("{}, {}", time_text(after.wall_ns),
                            synchronized ? "synchronized" : "not known to be synchronized");
  const std::int64_t set_ns =
      (after.wall_ns - before.wall_ns) - (after.monotonic_ns - before.monotonic_ns);
  if (std::abs(set_ns) > 1'000'000'000) {
    report.fail(fmt::format("the wall clock was set by {:.1f} s while the checks ran",
                            static_cast<double>(set_ns) * 1e-9));
  }
  if (after.wall_ns < not_before_ns) {
    report.fail(
        fmt::format("expected a time after {}, when the baseline was written: set the clock",
                    time_text(not_before_ns)));
  }
}

}  // namespace megascale::diagnose
