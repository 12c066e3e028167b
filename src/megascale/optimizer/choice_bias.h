#ifndef MEGASCALE_OPTIMIZER_CHOICE_BIAS_H_
#define MEGASCALE_OPTIMIZER_CHOICE_BIAS_H_

#include "megascale/optimizer/definition.h"

namespace megascale::optimizer {

// Returns the step that balances experts without a loss (Wang et al., arXiv 2408.15664): the bias of
// an expert moves by `rate` once per step, down if more than the mean of the step's choices were for
// it, up if fewer. A step that changes no weight changes no bias.
[[nodiscard]] ForEachBucket move_choice_biases(double rate);

}  // namespace megascale::optimizer

#endif  // MEGASCALE_OPTIMIZER_CHOICE_BIAS_H_
