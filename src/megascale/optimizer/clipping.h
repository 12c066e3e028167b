#ifndef MEGASCALE_OPTIMIZER_CLIPPING_H_
#define MEGASCALE_OPTIMIZER_CLIPPING_H_

#include "megascale/optimizer/definition.h"

namespace megascale::optimizer {

// Returns the steps with which every optimizer starts: the norm of all gradients, and from it the
// scalars of the step (UpdateScalars). These contain
//   gradient_scale  min(1, clip_norm / norm) / valid tokens; clip_norm 0: 1 / valid tokens
//   skip            1 if the norm or the loss is not finite, or no token is valid: the optimizer
//                   then changes no weight and no moment
[[nodiscard]] Definition clip_gradients(double clip_norm);

}  // namespace megascale::optimizer

#endif  // MEGASCALE_OPTIMIZER_CLIPPING_H_
