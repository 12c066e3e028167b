#ifndef MEGASCALE_KERNELS_CUDA_ATTENTION_H_
#define MEGASCALE_KERNELS_CUDA_ATTENTION_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/value_size.h"

struct CUstream_st;

// Causal attention on a device. The matrix of scores is never stored as a whole. Formulas, masks
// and groups of heads are those of kernels/cpu/attention.h. B sequences of S tokens, NH query
// heads, NG key-value heads, HS channels of a head of queries and keys, VS of a head of values. A row
// of the packed tensor qkv, (B S, (NH + NG) HS + NG VS), holds a token's query heads, then its key
// heads, then its value heads. Storage, alignment, failures: see activation.h. The logsumexp is
// float32.
//
// These kernels serve every case, but they use the float32 units, not the faster matrix units. Heads
// are padded with zeros to 32, 64, 128 or 256 channels, queries, keys and values to the same number:
// 192 and 128 cost as much as 256 and 256. A plan uses cuDNN instead for the cases that cuDNN serves
// (cudnn_attention.h).
namespace megascale::kernels::cuda {

struct AttentionShape {
  std::size_t batch = 1, sequence = 1;
  std::size_t query_heads = 1, kv_heads = 1, head_size = 1;
  std::size_t value_size = 0;  // VS; 0: head_size (value_size_of()). Both at most kMostHeadSize
  std::size_t window = 0;      // most keys that a query sees, its own included; 0: no limit
  float scale = 0;             // of the scores; 0: 1 / sqrt(head_size)
  float soft_cap = 0;          // c: a score s becomes c tanh(s / c); 0: none
  DType dtype = DType::float32;

  // The scale that is meant.
  [[nodiscard]] float factor() const noexcept {
    return scale > 0 ? scale : 1.0F / std::sqrt(static_cast<float>(head_size));
  }
  // The elements of a row of qkv, and of a row of o.
  [[nodiscard]] constexpr std::size_t row() const noexcept {
    return (query_heads + kv_heads) * head_size + kv_heads * value_size_of(*this);
  }
  [[nodiscard]] constexpr std::size_t output_row() const noexcept {
    return query_heads * value_size_of(*this);
  }
};
// The largest size of a head that the kernels are compiled for.
inline constexpr std::size_t kMostHeadSize = 256;

// Computes o and lse.
// Alias  nothing overlaps.  Error  as on the CPU (kernels/cpu/attention.h), then one rounding of o.
struct AttentionForward {
  const void* qkv = nullptr;
  const std::int32_t* segments = nullptr;  // (B S), each token's document, or null
  void* o = nullptr;                       // (B S, NH VS)
  float* lse = nullptr;                    // (B, NH, S)
};
void attention_forward(const AttentionShape& shape, const AttentionForward& run,
                       CUstream_st* stream) noexcept;

// Computes grad_qkv from grad_o and the forward pass's inputs and results. Nothing overlaps.
// Bits  sums over keys, queries and the query heads of a group are added in index order.
struct AttentionBackward {
  const void* grad_o = nullptr;  // (B S, NH VS)
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
