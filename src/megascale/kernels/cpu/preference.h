#ifndef MEGASCALE_KERNELS_CPU_PREFERENCE_H_
#define MEGASCALE_KERNELS_CPU_PREFERENCE_H_

#include "megascale/kernels/preference_formulas.h"

// The loss of direct preference optimisation on the CPU. preference_formulas.h has its formulas.
// Bits do not depend on the number of threads.
namespace megascale::kernels::cpu {

// Adds the tokens of a sequence in their order.
void sequence_scores(const SequenceScores& args) noexcept;

// Writes the weights of all tokens. Returns the sums over the pairs, added in their order.
PreferenceSums preference_loss(const PreferenceLoss& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_PREFERENCE_H_
