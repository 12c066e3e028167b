#ifndef MEGASCALE_KERNELS_CUDA_CUDNN_PARTS_H_
#define MEGASCALE_KERNELS_CUDA_CUDNN_PARTS_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cuda/attention.h"

// Which attention cuDNN computes, how much of it at once, and in how much memory. Nothing here needs a
// device, so that plans are the same everywhere.
namespace megascale::kernels::cuda {

enum class Direction : std::uint8_t { forward, backward };

// The share of attention that one call of cuDNN computes: `batch` sequences, and `kv_heads` heads of keys with
// the heads of their queries.
struct AttentionPart {
  std::size_t batch = 1, kv_heads = 1;
};

struct CudnnCall {
  AttentionShape shape;  // of all parts: it says how far rows and sequences are apart
  AttentionPart part;    // divides shape
  Direction direction = Direction::forward;
  bool deterministic = true;  // the gradient has equal bits when it is run again
  // A mask of documents is added to the scores (document_mask.h). It knows the window, too, since cuDNN does not take
  // both in all versions.
  bool masked = false;
};

// The device addresses of one part. The forward reads q, k and v and writes o and stats; the backward
// reads these and grad_o.
struct CudnnAddresses {
  void *q = nullptr, *k = nullptr, *v = nullptr, *o = nullptr;
  void *stats = nullptr, *grad_o = nullptr;
  void *grad_q = nullptr, *grad_k = nullptr, *grad_v = nullptr;
  void* mask = nullptr;  // (batch of the part, S, S), if the call is masked
};

// Returns whether cuDNN is used for a shape: bfloat16, no soft cap, heads of values as large as those
// of keys, and a head size that is a multiple of 8 (16 bytes) and at most 256, which its engines for
// Hopper take in both directions (cudnn-frontend 1.23, validation of
// scaled_dot_product_flash_attention.h). Other devices may refuse heads above 128.
// Sequences of one token are not served: cuDNN refuses their gradient, and before version 9.10 their
// forward with a causal mask (sdpa_support_surface.h).
[[nodiscard]] constexpr bool cudnn_serves(const AttentionShape& s) noexcept {
  return s.dtype == DType::bfloat16 && s.soft_cap == 0 && s.sequence > 1 &&
         value_size_of(s) == s.head_size && s.head_size % 8 == 0 && s.head_size <= 256;
}

// Returns the part of the shape that one call computes: all of it, unless the workspace of a
// deterministic gradient, which grows with the square of the sequence, would be above
// kMostCudnnWorkspace. Then sequences are divided first, and heads if a sequence by itself needs more. The workspace is
// above the limit only if the query heads of one head of keys need more. A mask counts too, where sequences are divided.
[[nodiscard]] AttentionPart cudnn_part(const AttentionShape& shape, Direction direction,
                                       bool deterministic, bool masked) noexcept;
// 8,192 tokens of Llama 3 8B (32 heads of 128) are still one call.
inline constexpr std::size_t kMostCudnnWorkspace = std::size_t{6} << 30U;

// Returns an upper bound of CudnnAttention::workspace_nbytes(). It follows the source of cuDNN's
// frontend (version 1.23, scaled_dot_product_flash_attention.h): a gradient stores the sums of dq, dk
// and dv of every query head in float32, and a deterministic one also the matrix of scores of every head in bfloat16, with
// sides rounded up to 64 (here to 128, since versions differ). When a kernel is prepared, the bound is
// compared with the size that cuDNN asks for.
[[nodiscard]] std::size_t cudnn_workspace_bytes(const CudnnCall& call) noexcept;

// Returns the bytes of the mask of one part, a multiple of 256; 0 if the call has no mask. It stands in front of the workspace.
[[nodiscard]] std::size_t cudnn_mask_bytes(const CudnnCall& call) noexcept;

// Return the addresses of the part that begins with sequence `batch` and head of keys `kv_head`.
[[nodiscard]] CudnnAddresses addresses_of(const AttentionShape& shape, const AttentionForward& run,
                                          std::size_t batch, std::size_t kv_head) noexcept;
[[nodiscard]] CudnnAddresses addresses_of(const AttentionShape& shape, const AttentionBackward& run,
                                          std::size_t batch, std::size_t kv_head) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_CUDNN_PARTS_H_
