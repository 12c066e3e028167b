#ifndef MEGASCALE_KERNELS_CUDA_PREFERENCE_H_
#define MEGASCALE_KERNELS_CUDA_PREFERENCE_H_

#include "megascale/kernels/preference_formulas.h"

struct CUstream_st;

// The loss of direct preference optimisation on a device. preference_formulas.h has its formulas. Sums are in double.
// Their order is fixed, but it is not that of the CPU. Failures: see activation.h.
namespace megascale::kernels::cuda {

void sequence_scores(const SequenceScores& args, CUstream_st* stream) noexcept;

// Writes the weights of all tokens and the results.
void preference_loss(const PreferenceLoss& args, const PreferenceResults& results,
                     CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_PREFERENCE_H_
