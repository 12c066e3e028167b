// Rule traffic_fall: an interface moves far fewer bytes for a step than before.
//
// Each step moves the same bytes, so a fall means that they take another way: a port that is down, a
// route that has changed. The job goes on, so this is an alert. Traffic that stops altogether stops
// the steps, and frozen_process recovers the job.
//
// The median of the last kRecent samples is compared with that of the samples before. Interfaces with
// little traffic are left out: control messages and logs do not repeat by steps.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

constexpr std::ptrdiff_t kRecent = 4;
constexpr double kFall = 0.5;        // of the usual traffic
constexpr double kLeastBytes = 1e6;  // a step

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::optional<Verdict> traffic_fall(const JobSight& sight, const std::string& host) {
  if (sight.traffic == nullptr) return std::nullopt;
  for (const auto& [interface, samples] : sight.traffic->of(host)) {
    if (samples.size() < TrafficTable::kSamples) continue;
    const double usual = middle_of({samples.begin(), samples.end() - kRecent});
    const double recent = middle_of({samples.end() - kRecent, samples.end()});
    if (usual < kLeastBytes || recent >= kFall * usual) continue;
    return Verdict{
        .rule = "traffic_fall",
        .action = Action::alert,
        .host = host,
        .step = sight.state.attempt.steps_done,
        .what = fmt::format("the traffic of interface {} of host {} has fallen", interface, host),
        .evidence = fmt::format("{:.3g} MB a step, before {:.3g} MB; the limit is half of that",
                                recent * 1e-6, usual * 1e-6)};
  }
  return std::nullopt;
}

}  // namespace megascale::control
