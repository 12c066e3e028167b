// Simulates the most promising layouts of a job, in the order of their estimates, until the budget
// of simulations is used up. Layouts whose estimated memory is far too large are skipped. For the
// others the plan decides whether they fit, because its bytes are exact.
#include "megascale/study/search/tuning.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"

namespace megascale::study {
namespace {

// A layout is skipped if its estimated bytes exceed a device's memory by this factor. Estimates are
// rough, so for smaller excesses the plan decides.
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
        fmt::format("tune: none of the {} examined layouts fits in the {:.0f} GiB of a device; "
                    "use more ranks, ZeRO (parallel.zero_stage) or a smaller model, or examine "
                    "more layouts (--simulations)",
                    tuning.simulated + tuning.too_large, cluster.device.memory_gib));
  }
  std::stable_sort(
      tuning.tried.begin(), tuning.tried.end(),
      [](const TriedLayout& a, const TriedLayout& b) { return a.step.seconds < b.step.seconds; });
  return tuning;
}

}  // namespace megascale::study
