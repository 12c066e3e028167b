#ifndef MEGASCALE_TRAIN_FINITE_STATE_H_
#define MEGASCALE_TRAIN_FINITE_STATE_H_

#include <span>

#include "megascale/checkpoint/save.h"

namespace megascale::train {

// Throws Error (corrupt_data) if a value of the pieces is not finite: such a state cannot be trained
// on, and must not take the place of a checkpoint that can. A step whose result is not finite leaves
// the state as it is, so only a fault or an update that overflows makes such values.
void require_finite(std::span<const checkpoint::Piece> pieces);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_FINITE_STATE_H_
