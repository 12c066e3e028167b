#ifndef MEGASCALE_OPTIMIZER_LAMB_H_
#define MEGASCALE_OPTIMIZER_LAMB_H_

#include "megascale/optimizer/definition.h"

namespace megascale::optimizer {

// Returns the definition of LAMB: clipping, the direction of every element, the norms of weights and
// directions by parameter, then the step along the direction.
[[nodiscard]] Definition lamb(const OptimizerConfig& config);

}  // namespace megascale::optimizer

#endif  // MEGASCALE_OPTIMIZER_LAMB_H_
