#ifndef MEGASCALE_OPTIMIZER_SCHEDULE_H_
#define MEGASCALE_OPTIMIZER_SCHEDULE_H_

#include <cstdint>

#include "megascale/config/config.h"

namespace megascale::optimizer {

// Returns the learning rate of `step`, counted from 0. `config` must be resolved and valid.
//   step < lr_warmup_iters     lr x (step + 1) / lr_warmup_iters
//   after that, constant       lr
//   after that, linear, cosine decay from lr to min_lr at step lr_decay_iters
//   after that, wsd            lr, with a linear decay to min_lr over the lr_wsd_decay_iters steps
//                              before step lr_decay_iters
//   from lr_decay_iters on     min_lr, unless the style is constant
// A pure function; any thread may call it.
[[nodiscard]] double learning_rate(const OptimizerConfig& config, std::int64_t step) noexcept;

}  // namespace megascale::optimizer

#endif  // MEGASCALE_OPTIMIZER_SCHEDULE_H_
