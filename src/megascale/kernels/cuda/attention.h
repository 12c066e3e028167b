#ifndef MEGASCALE_KERNELS_CUDA_ATTENTION_H_
#define MEGASCALE_KERNELS_CUDA_ATTENTION_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"

struct CUstream_st;

// Causal attention without the square in memory; formulas, masks and head groups as in
// kernels/cpu/attention.h. Queries, keys and values lie side by side in the rows of one packed
// tensor (B S, (NH + 2 NG) HS). Storage, alignment, failures: see activation.h; arithmetic and
// logsumexp are float32.
//
// These are plain tiles on the float32 units: every case is served, none at the speed of the matrix
// units. Where cuDNN serves a case (cudnn_attention.h), the plan runs that.
namespace megascale::kernels::cuda {

struct AttentionShape {
  std::size_t batch = 1, sequence = 1;
  std::size_t query_heads = 1, kv_heads = 1, head_size = 1;  // head_size at most kMostHeadSize
  std::size_t window = 0;  // keys that a query sees at most, itself included; 0: all
  DType dtype = DType::float32;

  [[nodiscard]] constexpr std::size_t row() const noexcept {
    return (query_heads + 2 * kv_heads) * head_size;
  }
};
inline constexpr std::size_t kMostHeadSize = 256;

// Alias  nothing overlaps.  Error  as on the CPU (kernels/cpu/attention.h), then one rounding of o.
struct AttentionForward {
  const void* qkv = nullptr;
  const std::int32_t* segments = nullptr;  // (B S) or null
  void* o = nullptr;                       // (B S, NH HS)
  float* lse = nullptr;                    // (B, NH, S)
};
void attention_forward(const AttentionShape& shape, const AttentionForward& run,
                       CUstream_st* stream) noexcept;

// Bits  every sum has one order: keys and queries in theirs, the query heads of a group in theirs.
struct AttentionBackward {
  const void* grad_o = nullptr;  // (B S, NH HS)
  const void* qkv = nullptr;
  const std::int32_t* segments = nullptr;
  const void* o = nullptr;
  const float* lse = nullptr;
  void* grad_qkv = nullptr;  // as qkv; written, whatever it holds
  float* scratch = nullptr;  // attention_backward_scratch_bytes()
};
void attention_backward(const AttentionShape& shape, const AttentionBackward& run,
                        CUstream_st* stream) noexcept;
[[nodiscard]] constexpr std::size_t attention_backward_scratch_bytes(
    const AttentionShape& shape) noexcept {
  return shape.batch * shape.query_heads * shape.sequence * sizeof(float);
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ATTENTION_H_
