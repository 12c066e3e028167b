#ifndef MEGASCALE_OPTIMIZER_SCHEDULE_H_
#define MEGASCALE_OPTIMIZER_SCHEDULE_H_

#include <cstdint>

#include "megascale/config/config.h"

namespace megascale::optimizer {

// The learning rate of `step` (from 0) as a pure function of the configuration: linear warm-up over
// lr_warmup_iters steps
// ((step + 1) / warm-up of lr), then constant, linear or cosine decay to min_lr at lr_decay_iters,
// or warm-up - stable - decay (the last lr_wsd_decay_iters steps fall linearly). After
// lr_decay_iters: min_lr, constant apart.
[[nodiscard]] double learning_rate(const OptimizerConfig& config, std::int64_t step) noexcept;

}  // namespace megascale::optimizer

#endif  // MEGASCALE_OPTIMIZER_SCHEDULE_H_
