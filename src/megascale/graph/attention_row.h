#ifndef MEGASCALE_GRAPH_ATTENTION_ROW_H_
#define MEGASCALE_GRAPH_ATTENTION_ROW_H_

#include <cstdint>

#include "megascale/graph/attributes.h"

// The columns of the rows that attention reads and writes, one row per token:
//   packed   query heads, then key heads, then value heads
//   cached   key heads, then value heads: a row of the cache of decoding
//   output   a result of the size of a value head for each query head
// Shape rules, counts of FLOPs and kernels of every device take the sizes from here.
// Heads of values may have a size of their own, as in multi-head latent attention (DeepSeek-V2,
// arXiv 2405.04434, section 2.1: 192 channels for queries and keys, 128 for values).
namespace megascale::graph {

struct AttentionRow {
  std::int64_t heads = 1, groups = 1;  // query heads; key-value heads, 0: only queries in the row
  std::int64_t head_dim = 1;           // channels of a head of queries or keys
  std::int64_t value_dim = 1;          // channels of a head of values

  [[nodiscard]] std::int64_t packed() const noexcept { return heads * head_dim + cached(); }
  [[nodiscard]] std::int64_t cached() const noexcept { return groups * (head_dim + value_dim); }
  [[nodiscard]] std::int64_t output() const noexcept { return heads * value_dim; }
};

// Returns the row of an op with the attributes heads, groups, head_dim and maybe value_dim. If
// value_dim is absent, heads of values have head_dim channels.
[[nodiscard]] inline AttentionRow attention_row(const Attributes& a) {
  const std::int64_t head_dim = a.integer(attribute::head_dim);
  return {.heads = a.integer(attribute::heads),
          .groups = a.integer(attribute::groups),
          .head_dim = head_dim,
          .value_dim = a.integer(attribute::value_dim, head_dim)};
}

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_ATTENTION_ROW_H_
