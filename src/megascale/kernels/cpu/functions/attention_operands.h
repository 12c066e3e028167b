#ifndef MEGASCALE_KERNELS_CPU_FUNCTIONS_ATTENTION_OPERANDS_H_
#define MEGASCALE_KERNELS_CPU_FUNCTIONS_ATTENTION_OPERANDS_H_

#include "megascale/kernels/cpu/attention.h"
#include "megascale/kernels/kernel.h"

// Translates the operands of the ops attention and attention_gradient into the structs of
// attention.h. The fused kernel (attention.cpp) and the plain kernel (plain.cpp) use it.
namespace megascale::kernels::cpu {

// Returns the sizes of attention, from the op's attributes and the shape of operand number `qkv`,
// (batch * sequence, (query_heads + 2 kv_heads) * head_size). Throws Error(bad_usage) if they are
// not valid.
inline AttentionConfig attention_config(const KernelSpec& spec, std::size_t qkv) {
  const auto sequence = static_cast<std::size_t>(spec.attribute(graph::attribute::sequence));
  AttentionConfig config{
      .batch = spec.size(qkv, 0) / sequence,
      .query_heads = static_cast<std::size_t>(spec.attribute(graph::attribute::heads)),
      .kv_heads = static_cast<std::size_t>(spec.attribute(graph::attribute::groups)),
      .head_size = static_cast<std::size_t>(spec.attribute(graph::attribute::head_dim)),
      .max_queries = sequence,
      .max_keys = sequence,
      .window = static_cast<std::size_t>(spec.attribute(graph::attribute::window)),
      .threads = spec.threads};
  check_attention(config);
  return config;
}

// Queries, keys and values, or their gradients: three column slices of one packed tensor. Each row
// of the tensor holds all query heads of a token, then its key heads, then its value heads.
template <class T>
struct PackedRows {
  TokenRows<T> q, k, v;
};
template <class T>
PackedRows<T> packed_rows(const AttentionConfig& config, T* data) {
  const std::size_t q = config.query_heads * config.head_size,
                    kv = config.kv_heads * config.head_size;
  const std::size_t row = q + 2 * kv, batch = row * config.max_keys;
  return {{data, row, batch}, {data + q, row, batch}, {data + q + kv, row, batch}};
}

inline AttentionInputs attention_inputs(const AttentionConfig& config, const float* qkv,
                                        const std::int32_t* segments) {
  const auto rows = packed_rows(config, qkv);
  return {.query_count = config.max_queries,
          .key_count = config.max_keys,
          .q = rows.q,
          .k = rows.k,
          .v = rows.v,
          .segments = segments,
          .segment_batch_stride = config.max_keys};
}

// Returns the rows of attention's output, or of its gradient: all query heads of a token side by
// side.
template <class T>
TokenRows<T> attention_output(const AttentionConfig& config, T* data) {
  const std::size_t row = config.query_heads * config.head_size;
  return {data, row, row * config.max_queries};
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FUNCTIONS_ATTENTION_OPERANDS_H_
