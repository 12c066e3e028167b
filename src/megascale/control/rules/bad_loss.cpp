// Rule bad_loss: the loss or the gradient norm of a step is not finite, or jumps.
//
// A value jumps if it exceeds the median of the last steps by more than loss_multiple times the
// spread of those steps, and by so much that normal noise cannot be the reason: half of the median
// for the loss, twice loss_multiple medians for the norm, whose noise is much larger. The spread is the median
// absolute deviation, times 1.4826 to equal a standard deviation. Steps of this attempt only: after
// a rollback the window begins anew. The learning rate of a warm-up makes norms and losses move,
// so the rule is silent for the first loss_window steps.
//
// Some runs jump by themselves. Each jump whose replay had the same result doubles loss_multiple for
// the rest of the session, so that such a run is restarted a few times and not for ever.
//
// The rule cannot tell whether data, code or hardware is the cause. The replay can: the step is done
// again from a state before it, and its result is either the same or another one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

constexpr double kDeviations = 1.4826;
constexpr double kLeastJumpOfLoss = 0.5;  // of the median
constexpr double kJumpOfNorm = 2;         // times loss_multiple, of the median
constexpr std::int64_t kMostDoublings = 30;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Returns the highest value that is no jump.
double limit_of(const std::vector<double>& values, double multiple, double least_jump) {
  const double median = median_of(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - median));
  return median + std::max(multiple * kDeviations * median_of(std::move(distances)),
                           least_jump * std::abs(median));
}

// Compares an outcome with the losses and norms of the steps before it. Returns what is wrong, or "".
std::string fault_of(const StepOutcome& outcome, const std::vector<double>& losses,
                     const std::vector<double>& norms, const JobSight& sight) {
  const DriverSettings& settings = sight.settings;
  if (!std::isfinite(outcome.loss) || !std::isfinite(outcome.gradient_norm)) {
    return fmt::format("loss {} and gradient norm {} are not both finite", outcome.loss,
                       outcome.gradient_norm);
  }
  if (settings.loss_multiple == 0 ||
      static_cast<std::int64_t>(losses.size()) < settings.loss_window)
    return {};
  const double doublings = std::exp2(std::min(sight.state.own_jumps, kMostDoublings));
  const double multiple = settings.loss_multiple * doublings;
  const double most_loss = limit_of(losses, multiple, kLeastJumpOfLoss * doublings);
  if (outcome.loss > most_loss) {
    return fmt::format("the loss jumps to {:.4f}, the limit from the last {} steps is {:.4f}",
                       outcome.loss, losses.size(), most_loss);
  }
  const double most_norm = limit_of(norms, multiple, kJumpOfNorm * multiple);
  if (outcome.gradient_norm > most_norm) {
    return fmt::format(
        "the gradient norm jumps to {:.4f}, the limit from the last {} steps is {:.4f}",
        outcome.gradient_norm, norms.size(), most_norm);
  }
  return {};
}

}  // namespace

std::optional<Verdict> bad_loss(const JobSight& sight) {
  if (sight.outcomes == nullptr) return std::nullopt;
  std::vector<double> losses, norms;
  for (const auto& [step, outcomes] : sight.outcomes->steps()) {
    const StepOutcome& outcome = outcomes.begin()->second;
    if (step > sight.state.accepted_step) {
      const std::string fault = fault_of(outcome, losses, norms, sight);
      if (!fault.empty()) {
        return Verdict{.rule = "bad_loss",
                       .step = step,
                       .what = fmt::format("step {} went wrong: {}", step + 1, fault),
                       .evidence = fmt::format("reported by rank {}", outcomes.begin()->first),
                       .bad_step = step};
      }
    }
    if (!std::isfinite(outcome.loss) || !std::isfinite(outcome.gradient_norm)) continue;
    losses.push_back(outcome.loss);
    norms.push_back(outcome.gradient_norm);
    if (static_cast<std::int64_t>(losses.size()) > sight.settings.loss_window) {
      losses.erase(losses.begin());
      norms.erase(norms.begin());
    }
  }
  return std::nullopt;
}

}  // namespace megascale::control
