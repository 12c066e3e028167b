#include "megascale/study/search/tuning.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"

namespace megascale::study {
namespace {

// A layout whose estimate is this far above a device's memory is not worth a plan; below, the plan
// decides.
constexpr double kEstimateSlack = 1.25;

}  // namespace

Tuning tune(const Config& job, const simulate::Cluster& cluster, std::size_t simulations,
            std::uint32_t threads, const std::function<void(const std::string&)>& on_message) {
  const double memory = cluster.device.memory_gib * (1U << 30U);
  const std::vector<Candidate> candidates = candidates_of(job, cluster);
  Tuning tuning{.layouts = candidates.size()};
  for (const Candidate& candidate : candidates) {
    if (tuning.simulated == simulations) break;
    if (candidate.estimated_nbytes > kEstimateSlack * memory) {
      ++tuning.too_large;
      continue;
    }
    TriedLayout one{
        .candidate = candidate,
        .step = StepSimulator(candidate.config, cluster)
                    .run({.steps = cluster.host.jitter == 0 ? 2U : 0U, .threads = threads})};
    ++tuning.simulated;
    on_message(fmt::format("{} of at most {}: {} ... {:.3f} s, {:.1f} GiB{}", tuning.simulated,
                           simulations, fmt::join(candidate.overrides, " "), one.step.seconds,
                           static_cast<double>(one.step.arena_nbytes) / (1U << 30U),
                           one.step.fits ? "" : ", does not fit"));
    if (one.step.fits) {
      tuning.tried.push_back(std::move(one));
    } else {
      ++tuning.too_large;
    }
  }
  if (tuning.tried.empty()) {
    throw Error(
        ErrorCode::failed,
        fmt::format("tune: none of the {} layouts that were looked at fits in the {:.0f} GiB "
                    "of a device: more ranks, ZeRO (parallel.zero_stage) or a smaller model "
                    "are needed, or more simulations (--simulations)",
                    tuning.simulated + tuning.too_large, cluster.device.memory_gib));
  }
  std::stable_sort(
      tuning.tried.begin(), tuning.tried.end(),
      [](const TriedLayout& a, const TriedLayout& b) { return a.step.seconds < b.step.seconds; });
  return tuning;
}

}  // namespace megascale::study
