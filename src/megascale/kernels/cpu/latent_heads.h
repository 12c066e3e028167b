#ifndef MEGASCALE_KERNELS_CPU_LATENT_HEADS_H_
#define MEGASCALE_KERNELS_CPU_LATENT_HEADS_H_

#include <cstddef>
#include <cstdint>

// Heads of latent attention: puts queries, keys and values together from products of latent vectors.
// N tokens, NH heads. A head of queries and keys has P channels without positions, then R (even) that
// are rotated; a head of values has V. The rotated channels of a key are the same in all heads.
// float32. Bits do not depend on the number of threads or the vector target.
namespace megascale::kernels::cpu {

struct LatentHeadShape {
  std::size_t tokens = 0, heads = 0, plain = 0, rotated = 0, values = 0;  // N, NH, P, R, V
  const std::int32_t* position = nullptr;                                 // (N)
  const float* table = nullptr;  // filled by rope_table(), of R channels
  [[nodiscard]] std::size_t head() const noexcept { return plain + rotated; }
  [[nodiscard]] std::size_t row() const noexcept { return heads * (2 * head() + values); }
};

// query (N, NH, P + R), key_value (N, NH, P + V), key_rope (N, R) -> qkv (N, NH (2 (P + R) + V)): all
// query heads of a token, then its key heads, then its value heads. rope.h has the rotation.
// Alias   none.
// Cost    3 N (NH + 1) R flops; moves 2 N NH (2 (P + R) + V) floats: memory bound.
// Error   of rotated channels as in rope.h; the others are copied.
// Needs   0 <= position[n] < positions of the table: checked when a batch is made, not here.
// Source  DeepSeek-AI 2024 (arXiv 2405.04434), section 2.1 and appendix C.
struct LatentHeads : LatentHeadShape {
  const float *query = nullptr, *key_value = nullptr, *key_rope = nullptr;
  float* qkv = nullptr;
};
void latent_heads_forward(const LatentHeads& args) noexcept;

// The transpose: grad_qkv as qkv -> gradients of the three inputs, overwritten. That of key_rope adds
// the heads in ascending order.
// Error   of grad_key_rope: (NH + 4) u times the sum of the magnitudes over the heads, u = 2^-24.
struct LatentHeadsGradient : LatentHeadShape {
  const float* grad_qkv = nullptr;
  float *grad_query = nullptr, *grad_key_value = nullptr, *grad_key_rope = nullptr;
};
void latent_heads_backward(const LatentHeadsGradient& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_LATENT_HEADS_H_
