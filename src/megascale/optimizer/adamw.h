#ifndef MEGASCALE_OPTIMIZER_ADAMW_H_
#define MEGASCALE_OPTIMIZER_ADAMW_H_

#include "megascale/optimizer/definition.h"

namespace megascale::optimizer {

// Returns the constants of Adam's moments and the weight decay as attributes of an op. The learning
// rate is not among them: it comes with the numbers of every step.
[[nodiscard]] graph::Attributes adam_attributes(const OptimizerConfig& config);

// Returns the definition of AdamW: clipping, then one op per bucket.
[[nodiscard]] Definition adamw(const OptimizerConfig& config);

}  // namespace megascale::optimizer

#endif  // MEGASCALE_OPTIMIZER_ADAMW_H_
