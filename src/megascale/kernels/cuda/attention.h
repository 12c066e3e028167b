#ifndef MEGASCALE_KERNELS_CUDA_ATTENTION_H_
#define MEGASCALE_KERNELS_CUDA_ATTENTION_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"

struct CUstream_st;

// Causal attention on a device. The matrix of scores is never stored as a whole. Formulas, masks
// and groups of heads are those of kernels/cpu/attention.h. B sequences of S tokens, NH query
// heads, NG key-value heads, head size HS. A row of the packed tensor qkv, (B S, (NH + 2 NG) HS),
// holds a token's query heads, then its key heads, then its value heads. Storage, alignment,
// failures: see activation.h. The logsumexp is float32.
//
// These kernels serve every case, but they use the float32 units, not the faster matrix units. A
// plan uses cuDNN instead for the cases that cuDNN serves (cudnn_attention.h).
namespace megascale::kernels::cuda {

struct AttentionShape {
  std::size_t batch = 1, sequence = 1;
  std::size_t query_heads = 1, kv_heads = 1, head_size = 1;  // head_size at most kMostHeadSize
  std::size_t window = 0;  // most keys that a query sees, its own included; 0: no limit
  float scale = 0;         // of the scores; 0: 1 / sqrt(head_size)
  float soft_cap = 0;      // c: a score s becomes c tanh(s / c); 0: none
  DType dtype = DType::float32;

  // The scale that is meant.
  [[nodiscard]] float factor() const noexcept {
    return scale > 0 ? scale : 1.0F / std::sqrt(static_cast<float>(head_size));
  }
  [[nodiscard]] constexpr std::size_t row() const noexcept {
    return (query_heads + 2 * kv_heads) * head_size;
  }
};
// The largest head size that the kernels are compiled for.
inline constexpr std::size_t kMostHeadSize = 256;

// Computes o and lse.
// Alias  nothing overlaps.  Error  as on the CPU (kernels/cpu/attention.h), then one rounding of o.
struct AttentionForward {
  const void* qkv = nullptr;
  const std::int32_t* segments = nullptr;  // (B S), each token's document, or null
  void* o = nullptr;                       // (B S, NH HS)
  float* lse = nullptr;                    // (B, NH, S)
};
void attention_forward(const AttentionShape& shape, const AttentionForward& run,
                       CUstream_st* stream) noexcept;

// Computes grad_qkv from grad_o and the forward pass's inputs and results. Nothing overlaps.
// Bits  sums over keys, queries and the query heads of a group are added in index order.
struct AttentionBackward {
  const void* grad_o = nullptr;  // (B S, NH HS)
  const void* qkv = nullptr;
  const std::int32_t* segments = nullptr;
  const void* o = nullptr;
  const float* lse = nullptr;
  void* grad_qkv = nullptr;  // laid out as qkv; overwritten
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
