#ifndef MEGASCALE_KERNELS_CUDA_DOCUMENT_MASK_H_
#define MEGASCALE_KERNELS_CUDA_DOCUMENT_MASK_H_

#include <cstddef>
#include <cstdint>

struct CUstream_st;

// Masks that attention by cuDNN adds to its scores, so that documents of one sequence do not see each
// other. Failures: see activation.h.
namespace megascale::kernels::cuda {

//   mask[b, i, j] = 0 if tokens i and j belong to one document and j + window > i, else kHiddenScore
// Shapes  segments (B, S); mask (B, S, S) bfloat16, aligned to 16.
// Cost    writes 2 B S S bytes.
struct DocumentMask {
  std::size_t batch = 0, sequence = 0;
  std::size_t window = 0;  // most keys that a query sees, its own included; 0: no limit
  const std::int32_t* segments = nullptr;  // each token's document
  void* mask = nullptr;
};
void document_mask(const DocumentMask& args, CUstream_st* stream) noexcept;

// Its exponential is 0 beside any score. Finite: a tile of keys that are all hidden gives no NaN.
inline constexpr float kHiddenScore = -1e9F;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_DOCUMENT_MASK_H_
