#include "megascale/train/save_rate.h"

#include <algorithm>

namespace megascale::train {
namespace {

// The share of an interval in which a checkpoint is written and read back. The rest is for the commit,
// and for steps that become faster.
constexpr double kShare = 0.85;
// A save that has bytes left after that share writes them within this part of a step.
constexpr double kLastSteps = 0.5;

}  // namespace

double save_rate(const SaveProgress& p) noexcept {
  const double steps =
      std::max(kShare * static_cast<double>(p.interval) - static_cast<double>(p.steps), kLastSteps);
  const double seconds = steps * p.step_seconds;
  return seconds > 0 ? static_cast<double>(p.nbytes_left) / seconds : 0;
}

}  // namespace megascale::train
