#ifndef MEGASCALE_KERNELS_REF_ATTENTION_H_
#define MEGASCALE_KERNELS_REF_ATTENTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/kernels/value_size.h"

// Reference in double for kernels/cpu/attention.h, by the definition: one loop per index, and the
// whole row of scores in memory.
// Shapes  q [batch, query_count, query_heads, head_size]; o the same with value_size;
//         k [batch, key_count, kv_heads, head_size]; v the same with value_size;
//         lse [batch, query_heads, query_count]; segments [batch, key_count] or empty.
//         All operands are dense.
namespace megascale::kernels::ref {

struct AttentionShape {
  std::size_t batch = 1, query_heads = 1, kv_heads = 1, head_size = 1;
  std::size_t value_size = 0;  // channels of a head of v and o; 0: head_size (value_size_of())
  std::size_t query_count = 1, key_count = 1;
  std::size_t window = 0;  // most keys that a query sees, its own included; 0: no limit
  double scale = 1.0;      // factor of the scores; used as it is, also if it is 0
  double soft_cap = 0;     // of the scores; 0: none
};
struct AttentionOutput {
  std::vector<double> o, lse;
};
struct AttentionGradients {
  std::vector<double> dq, dk, dv;
};

[[nodiscard]] AttentionOutput attention(const AttentionShape& shape, std::span<const double> q,
                                        std::span<const double> k, std::span<const double> v,
                                        std::span<const std::int32_t> segments);
// Computes the forward pass again in double. It takes no result of a float kernel, so errors of the
// forward kernel cannot hide here.
[[nodiscard]] AttentionGradients attention_gradients(const AttentionShape& shape,
                                                     std::span<const double> q,
                                                     std::span<const double> k,
                                                     std::span<const double> v,
                                                     std::span<const double> grad_o,
                                                     std::span<const std::int32_t> segments);

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_ATTENTION_H_
