// Rule too_many_restarts: a job that restarts again and again needs a person, even if it advances.
#include <fmt/format.h>

#include <algorithm>

#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

constexpr std::int64_t kHourNs = 3'600'000'000'000;

}  // namespace

std::optional<std::string> too_many_restarts(const JobSight& sight) {
  const auto recent =
      std::count_if(sight.state.restarts_ns.begin(), sight.state.restarts_ns.end(),
                    [&](std::int64_t restart) { return sight.now_ns - restart < kHourNs; });
  if (recent < sight.settings.restarts_per_hour) return std::nullopt;
  return fmt::format(
      "the job was restarted {} times within an hour (control.restarts_per_hour = "
      "{}); look at `megascale incidents`, then start the job again",
      recent, sight.settings.restarts_per_hour);
}

}  // namespace megascale::control
