// The learning-rate schedules: warm-up, then constant, linear, cosine, or warm-up-stable-decay.
#include "megascale/optimizer/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace megascale::optimizer {

double learning_rate(const OptimizerConfig& config, std::int64_t step) noexcept {
  const auto at = static_cast<double>(step);
  const auto warmup = static_cast<double>(config.lr_warmup_iters);
  if (step < config.lr_warmup_iters) return config.lr * (at + 1) / warmup;
  if (config.lr_decay_style == LrDecayStyle::constant) return config.lr;
  const auto end = static_cast<double>(config.lr_decay_iters);
  // Fraction of the decay that is done: 0 at step `start`, 1 at step lr_decay_iters.
  const auto progress = [&](double start) {
    return std::clamp((at - start) / std::max(end - start, 1.0), 0.0, 1.0);
  };
  // Returns min_lr for share 0 and lr for share 1.
  const auto between = [&](double share) {
    return config.min_lr + (config.lr - config.min_lr) * share;
  };
  switch (config.lr_decay_style) {
    case LrDecayStyle::linear:
      return between(1.0 - progress(warmup));
    case LrDecayStyle::cosine:
      return between(0.5 * (1.0 + std::cos(std::numbers::pi * progress(warmup))));
    case LrDecayStyle::wsd:
      return between(1.0 - progress(end - static_cast<double>(config.lr_wsd_decay_iters)));
    case LrDecayStyle::constant:
      break;
  }
  return config.lr;
}

}  // namespace megascale::optimizer
