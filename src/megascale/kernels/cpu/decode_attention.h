#ifndef MEGASCALE_KERNELS_CPU_DECODE_ATTENTION_H_
#define MEGASCALE_KERNELS_CPU_DECODE_ATTENTION_H_

#include <cstddef>
#include <span>

#include "megascale/kernels/value_size.h"

// Attention of single queries to the keys and values of a cache, as in decoding. float32.
//
// attention.h packs a block of keys before it multiplies, which pays for many queries of a sequence.
// Here keys and values are read where they lie, once for all query heads of a key-value head. Only if
// there are more threads than such heads, several threads read those of one.
//
// Formulas are those of attention.h; the query is the last of the `keys` positions.
//
// Cost     2 (head_size + value_size) FLOPs for every visible key and query head; moves the visible
//          keys and values once: bound by memory.
// Error    as attention.h says.
// Bits     of a query depend on the query and its keys and values alone. They differ between vector
//          targets, and from those of attention.h.
namespace megascale::kernels::cpu {

// One query of one sequence, all heads. Borrows the memory.
struct DecodeQuery {
  const float* q = nullptr;       // [query_heads head_size]
  const float* keys = nullptr;    // first row; a row has kv_heads * head_size values
  const float* values = nullptr;  // first row; a row has kv_heads * value_size values
  float* o = nullptr;             // [query_heads value_size]
  std::size_t key_count = 0;      // at least 1
};

struct DecodeAttention {
  std::size_t query_heads = 1, kv_heads = 1, head_size = 1;
  std::size_t value_size = 0;  // channels of a head of values; 0: head_size (value_size_of())
  std::size_t row_stride = 0;  // floats between rows of keys, and between those of values
  std::size_t window = 0;      // most keys that a query sees; 0: no limit
  std::size_t threads = 1;     // size of the OpenMP team
  double scale = 0;            // of the scores; 0: 1 / sqrt(head_size)
  double soft_cap = 0;         // of the scores; 0: none
};

// Computes all queries. `scratch` has decode_attention_scratch_bytes(), aligned to 64.
void decode_attention(const DecodeAttention& config, std::span<const DecodeQuery> queries,
                      std::byte* scratch) noexcept;
[[nodiscard]] std::size_t decode_attention_scratch_bytes(const DecodeAttention& config) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_DECODE_ATTENTION_H_
