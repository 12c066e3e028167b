#ifndef MEGASCALE_KERNELS_CUDA_CUDNN_ATTENTION_H_
#define MEGASCALE_KERNELS_CUDA_CUDNN_ATTENTION_H_

#include <cstdint>
#include <memory>

#include "megascale/base/error.h"
#include "megascale/kernels/cuda/attention.h"

struct CUstream_st;

// Attention on the matrix units, by cuDNN's graph API: what attention.h computes, for bfloat16
// without segments. One direction of one shape. Bits: equal from run to run on one device with one
// library (its deterministic algorithm); not those of attention.h. Used by the thread that made it.
namespace megascale::kernels::cuda {

class CudnnAttention {
 public:
  enum class Direction : std::uint8_t { forward, backward };
  // Never for a shape that cudnn_serves() does not name. Throws Error (unsupported) where this
  // build has no cuDNN, or cuDNN refuses: attention.h would serve the case many times slower, which
  // nobody shall find out from the clock. Takes a second the first time.
  [[nodiscard]] static std::unique_ptr<CudnnAttention> make(const AttentionShape& shape,
                                                            Direction direction);
  CudnnAttention() = default;
  CudnnAttention(const CudnnAttention&) = delete;
  CudnnAttention& operator=(const CudnnAttention&) = delete;
  virtual ~CudnnAttention() = default;

  [[nodiscard]] virtual std::size_t workspace_nbytes() const noexcept = 0;
  // Of the direction it was made for; `workspace` takes the place of the scratch. Null, or what
  // cuDNN refused.
  virtual const Error* run(const AttentionForward& run, std::byte* workspace,
                           CUstream_st* stream) noexcept = 0;
  virtual const Error* run(const AttentionBackward& run, std::byte* workspace,
                           CUstream_st* stream) noexcept = 0;
};

// What cuDNN's fused engines on Hopper take: heads of whole 16-byte accesses, at most 128 wide in
// the backward.
[[nodiscard]] constexpr bool cudnn_serves(const AttentionShape& s) noexcept {
  return s.dtype == DType::bfloat16 && s.head_size % 8 == 0 && s.head_size <= 128;
}

// Room for workspace_nbytes(), from the shape alone. A bound from the frontend's source (version
// 1.23, scaled_dot_product_flash_attention.h), not from a measurement: the deterministic backward
// keeps the square of every head in bfloat16, its sides rounded up to 64 (here 128: versions
// differ); besides there are sums of dq, dk and dv per query head in float32. Preparing a kernel
// holds it against what cuDNN asks for.
[[nodiscard]] constexpr std::size_t cudnn_workspace_bytes(
    const AttentionShape& s, CudnnAttention::Direction direction) noexcept {
  constexpr std::size_t kSlack = std::size_t{64} << 20U;
  if (direction == CudnnAttention::Direction::forward) return kSlack;
  const std::size_t padded = (s.sequence + 127) / 128 * 128, heads = s.batch * s.query_heads;
  return heads * padded * padded * 2 + 3 * heads * s.sequence * s.head_size * sizeof(float) +
         4 * heads * s.sequence * sizeof(float) + kSlack;
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_CUDNN_ATTENTION_H_
