#ifndef MEGASCALE_KERNELS_CUDA_LATENT_HEADS_H_
#define MEGASCALE_KERNELS_CUDA_LATENT_HEADS_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Heads of latent attention on a device. Formulas and shapes are those of kernels/cpu/latent_heads.h: N
// tokens, NH heads, P channels without positions, R rotated ones, V of a value. Storage, alignment,
// failures: see activation.h. The table is float32.
namespace megascale::kernels::cuda {

struct LatentHeadShape {
  std::size_t tokens = 0, heads = 0, plain = 0, rotated = 0, values = 0;  // N, NH, P, R, V
  RowCount counted = {};
  DType dtype = DType::float32;
  const std::int32_t* position = nullptr;  // (N)
  const float* table = nullptr;
};

// query (N, NH, P + R), key_value (N, NH, P + V), key_rope (N, R) -> qkv (N, NH (2 (P + R) + V))
struct LatentHeads : LatentHeadShape {
  const void *query = nullptr, *key_value = nullptr, *key_rope = nullptr;
  void* qkv = nullptr;
};
void latent_heads(const LatentHeads& args, CUstream_st* stream) noexcept;

// The transpose. The gradient of key_rope is added over the heads, in ascending order and in float32.
struct LatentHeadsGradient : LatentHeadShape {
  const void* grad_qkv = nullptr;
  void *grad_query = nullptr, *grad_key_value = nullptr, *grad_key_rope = nullptr;
};
void latent_heads_gradient(const LatentHeadsGradient& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_LATENT_HEADS_H_
