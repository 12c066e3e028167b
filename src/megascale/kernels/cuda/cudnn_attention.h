#ifndef MEGASCALE_KERNELS_CUDA_CUDNN_ATTENTION_H_
#define MEGASCALE_KERNELS_CUDA_CUDNN_ATTENTION_H_

#include <cstdint>
#include <memory>

#include "megascale/base/error.h"
#include "megascale/kernels/cuda/attention.h"

struct CUstream_st;

// The attention of attention.h by cuDNN's graph API, which uses the matrix units. It serves
// bfloat16 without segments. An object computes one direction (forward or backward) of one shape.
// Only the thread that made it may use it.
// Bits  equal from run to run on the same device with the same version of cuDNN (the backward uses
//       its deterministic algorithm); they differ from those of attention.h.
namespace megascale::kernels::cuda {

class CudnnAttention {
 public:
  enum class Direction : std::uint8_t { forward, backward };
  // Builds the object; the first one takes about a second. Needs cudnn_serves(shape). Throws
  // Error(unsupported) if this build has no cuDNN or cuDNN refuses the shape. There is no fallback
  // to attention.h, which is many times slower: the user has to choose it (kernels.cudnn = false).
  [[nodiscard]] static std::unique_ptr<CudnnAttention> make(const AttentionShape& shape,
                                                            Direction direction);
  CudnnAttention() = default;
  CudnnAttention(const CudnnAttention&) = delete;
  CudnnAttention& operator=(const CudnnAttention&) = delete;
  virtual ~CudnnAttention() = default;

  [[nodiscard]] virtual std::size_t workspace_nbytes() const noexcept = 0;
  // Enqueues the direction for which the object was made. `workspace` must have workspace_nbytes()
  // bytes and replaces the scratch in `run`. Returns null, or cuDNN's error, which belongs to the
  // object.
  virtual const Error* run(const AttentionForward& run, std::byte* workspace,
                           CUstream_st* stream) noexcept = 0;
  virtual const Error* run(const AttentionBackward& run, std::byte* workspace,
                           CUstream_st* stream) noexcept = 0;
};

// Returns whether cuDNN is used for a shape: bfloat16 and a head size that is a multiple of 8 (16
// bytes) and at most 128. The limit of 128 is that of the backward engine on Hopper; both
// directions use it.
[[nodiscard]] constexpr bool cudnn_serves(const AttentionShape& s) noexcept {
  return s.dtype == DType::bfloat16 && s.head_size % 8 == 0 && s.head_size <= 128;
}

// Returns an upper bound of workspace_nbytes(). It needs no device, so that plans are the same
// everywhere. It follows the source of cuDNN's frontend (version 1.23,
// scaled_dot_product_flash_attention.h) and was not measured. The deterministic backward stores the
// matrix of scores of every head in bfloat16, with sides rounded up to 64 (here to 128, since
// versions differ), and the sums of dq, dk and dv of every query head in float32. When a kernel is
// prepared, the bound is compared with the size that cuDNN asks for.
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
