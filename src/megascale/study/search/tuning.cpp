// Simulates the given layout and then, in turn, the layout with the shortest corrected estimate and
// the one with the shortest estimate, until the budget of simulations is used up. Every simulation
// corrects the estimates of the layouts like it: an estimate errs in the same direction for layouts
// that share most of their sizes. Without the plain estimates in between, a first layout that
// is slower than estimated would keep the search away from all layouts like it. Bytes are corrected
// in the same way; whether a layout fits is decided by its plan, whose bytes are exact, before it is
// simulated.
#include "megascale/study/search/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "megascale/base/error.h"

namespace megascale::study {
namespace {

// Plans are cheaper than simulations, but not free: at most so many plans that do not fit are made
// for every simulation of the budget.
constexpr std::size_t kPlansPerSimulation = 2;

// Returns how many of the parts of two layouts differ.
int differences(const Layout& a, const Layout& b) {
  const std::array differ{a.tensor != b.tensor,
                          a.context != b.context,
                          a.expert != b.expert,
                          a.pipeline != b.pipeline,
                          a.chunks != b.chunks,
                          a.schedule != b.schedule,
                          a.zero_stage != b.zero_stage,
                          a.micro_batch_size != b.micro_batch_size,
                          a.tensor_pieces != b.tensor_pieces,
                          a.context_pieces != b.context_pieces,
                          a.expert_pieces != b.expert_pieces,
                          a.reduction_pieces != b.reduction_pieces,
                          a.recompute != b.recompute,
                          a.dispatcher != b.dispatcher};
  return static_cast<int>(std::count(differ.begin(), differ.end(), true));
}

// The factors by which simulations and plans differ from estimates.
class Correction {
 public:
  void add(const Layout& layout, double factor) { known_.push_back({layout, factor}); }
  // Returns the mean of the known factors. A layout with one different part less weighs four times as
  // much. A factor of 1 weighs as much as a layout with eight different parts.
  [[nodiscard]] double of(const Layout& layout) const {
    double sum = 1, weights = 1;
    for (const auto& [other, factor] : known_) {
      const double weight = std::pow(4.0, 8 - differences(layout, other));
      sum += weight * factor;
      weights += weight;
    }
    return sum / weights;
  }

 private:
  std::vector<std::pair<Layout, double>> known_;
};

class Tuner {
 public:
  Tuner(const Config& job, const simulate::Cluster& cluster, const TuneOptions& options,
        const std::function<void(const std::string&)>& on_message)
      : job_(job), cluster_(cluster), options_(options), on_message_(on_message) {}

  Tuning run() {
    const std::vector<Layout> layouts = layouts_of(job_, cluster_);
    candidates_ = estimate_layouts(job_, cluster_, layouts, options_.expert_loads);
    tuning_.allowed = layouts.size();
    tuning_.estimated = candidates_.size();
    const Layout given = layout_of(job_);
    const auto own = std::find_if(candidates_.begin(), candidates_.end(),
                                  [&](const Candidate& c) { return c.layout == given; });
    Candidate first{.layout = given, .estimate = {}};
    if (own != candidates_.end()) {
      first = *own;
      candidates_.erase(own);
    }
    try_layout(first, job_, /*is_given=*/true);
    const std::size_t most_plans = kPlansPerSimulation * options_.simulations;
    while (tuning_.simulated < options_.simulations && tuning_.too_large < most_plans) {
      const auto next = take_next(/*corrected=*/tuning_.simulated % 2 == 0);
      if (!next) break;
      try_layout(*next, with_layout(job_, next->layout), /*is_given=*/false);
    }
    return finish();
  }

 private:
  [[nodiscard]] double usable_nbytes() const {
    return (1 - options_.reserve) * cluster_.device.memory_gib * (1U << 30U);
  }

  // Takes the candidate with the shortest estimate, corrected or not, out of those whose corrected
  // bytes fit.
  std::optional<Candidate> take_next(bool corrected) {
    auto best = candidates_.end();
    double least = 0;
    for (auto one = candidates_.begin(); one != candidates_.end(); ++one) {
      const double seconds = one->estimate.seconds * (corrected ? times_.of(one->layout) : 1.0);
      if (best != candidates_.end() && seconds >= least) continue;
      if (one->estimate.nbytes * bytes_.of(one->layout) > usable_nbytes()) continue;
      best = one;
      least = seconds;
    }
    if (best == candidates_.end()) return std::nullopt;
    Candidate next = *best;
    candidates_.erase(best);
    return next;
  }

  // Plans the layout, and simulates it if it fits or is the given one.
  void try_layout(const Candidate& candidate, const Config& config, bool is_given) {
    const StepSimulator simulator(config, cluster_);
    const double nbytes = static_cast<double>(simulator.needed_nbytes());
    if (candidate.estimate.nbytes > 0)
      bytes_.add(candidate.layout, nbytes / candidate.estimate.nbytes);
    const bool keeps_reserve = nbytes <= usable_nbytes();
    if (!keeps_reserve) ++tuning_.too_large;
    if (!keeps_reserve && !is_given) return;
    TriedLayout one{.layout = candidate.layout,
                    .is_given = is_given,
                    .overrides = {},
                    .estimate = candidate.estimate,
                    .step = simulator.run({.steps = cluster_.host.jitter == 0 ? 2U : 0U,
                                           .threads = options_.threads,
                                           .expert_loads = options_.expert_loads}),
                    .keeps_reserve = keeps_reserve};
    if (!is_given) one.overrides = overrides_of(job_, one.layout);
    if (candidate.estimate.seconds > 0)
      times_.add(candidate.layout, one.step.seconds / candidate.estimate.seconds);
    ++tuning_.simulated;
    on_message_(fmt::format(
        "{} of at most {}: {} ... {:.3f} s, {:.1f} GiB{}", tuning_.simulated, options_.simulations,
        is_given ? "the given layout" : fmt::format("{}", fmt::join(one.overrides, " ")),
        one.step.seconds, static_cast<double>(one.step.arena_nbytes) / (1U << 30U),
        keeps_reserve   ? ""
        : one.step.fits ? ", leaves less free than the reserve"
                        : ", does not fit"));
    tuning_.tried.push_back(std::move(one));
  }

  Tuning finish() {
    std::stable_sort(tuning_.tried.begin(), tuning_.tried.end(),
                     [](const TriedLayout& a, const TriedLayout& b) {
                       if (a.keeps_reserve != b.keeps_reserve) return a.keeps_reserve;
                       return a.step.seconds < b.step.seconds;
                     });
    if (tuning_.tried.empty() || !tuning_.tried.front().keeps_reserve) {
      throw Error(
          ErrorCode::failed,
          fmt::format(
              "tune: none of the {} layouts that were planned leaves {:.1f} % of the {:.0f} "
              "GiB of a device free; use more ranks or a smaller model, look at more "
              "layouts (--simulations), or keep a smaller reserve (--reserve)",
              tuning_.too_large, 100 * options_.reserve, cluster_.device.memory_gib));
    }
    return std::move(tuning_);
  }

  const Config& job_;
  const simulate::Cluster& cluster_;
  const TuneOptions& options_;
  const std::function<void(const std::string&)>& on_message_;
  std::vector<Candidate> candidates_;  // not planned yet
  Correction times_, bytes_;
  Tuning tuning_;
};

}  // namespace

Tuning tune(const Config& job, const simulate::Cluster& cluster, const TuneOptions& options,
            const std::function<void(const std::string&)>& on_message) {
  return Tuner(job, cluster, options, on_message).run();
}

}  // namespace megascale::study
