#ifndef MEGASCALE_KERNELS_CPU_FUNCTIONS_ATTENTION_FUNCTIONS_H_
#define MEGASCALE_KERNELS_CPU_FUNCTIONS_ATTENTION_FUNCTIONS_H_

#include <utility>

#include "megascale/graph/attention_row.h"
#include "megascale/kernels/cpu/attention.h"
#include "megascale/kernels/cpu/functions/functions.h"

// Task functions of the op kinds attention and attention_gradient, for every kernel that serves
// them, and their operands in the form of attention.h.
namespace megascale::kernels::cpu {

// Returns the sizes of attention, from the op's attributes and the shape of operand number `qkv`,
// (batch * sequence, columns of a packed row). Throws Error(bad_usage) if they are not valid.
inline AttentionConfig attention_config(const KernelSpec& spec, std::size_t qkv) {
  const auto sequence = static_cast<std::size_t>(spec.attribute(graph::attribute::sequence));
  const graph::AttentionRow row = graph::attention_row(*spec.attributes);
  AttentionConfig config{
      .batch = spec.size(qkv, 0) / sequence,
      .query_heads = static_cast<std::size_t>(row.heads),
      .kv_heads = static_cast<std::size_t>(row.groups),
      .head_size = static_cast<std::size_t>(row.head_dim),
      .value_size = static_cast<std::size_t>(row.value_dim),
      .max_queries = sequence,
      .max_keys = sequence,
      .window = static_cast<std::size_t>(spec.attribute(graph::attribute::window)),
      .threads = spec.threads,
      .scale = spec.attributes->real(graph::attribute::scale, 0),
      .soft_cap = spec.attributes->real(graph::attribute::soft_cap, 0)};
  check_attention(config);
  return config;
}

// Return the columns of a row of the packed tensor, and of a row of attention's output.
inline std::size_t packed_columns(const AttentionConfig& c) noexcept {
  return (c.query_heads + c.kv_heads) * c.head_size + c.kv_heads * value_size_of(c);
}
inline std::size_t output_columns(const AttentionConfig& c) noexcept {
  return c.query_heads * value_size_of(c);
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
                    k = config.kv_heads * config.head_size;
  const std::size_t row = packed_columns(config), batch = row * config.max_keys;
  return {{data, row, batch}, {data + q, row, batch}, {data + q + k, row, batch}};
}

// Returns the dropout of the op's probabilities, without the numbers of the samples. The query heads
// of the model lie on the tensor ranks, and those of a tensor rank on its context ranks, in order.
inline AttentionDropout attention_dropout(const KernelSpec& spec) {
  const graph::Attributes& a = *spec.attributes;
  const double rate = a.real(graph::attribute::rate, 0);
  if (rate == 0) return {};
  const auto at = [&](graph::Axis axis) {
    return spec.coordinates[static_cast<std::size_t>(axis)];
  };
  const auto context = static_cast<std::size_t>(spec.axes[graph::Axis::context]);
  const std::size_t parts = static_cast<std::size_t>(spec.axes[graph::Axis::tensor]) * context;
  const std::size_t part = at(graph::Axis::tensor) * context + at(graph::Axis::context);
  const auto heads = static_cast<std::size_t>(spec.attribute(graph::attribute::heads));
  return {.draws = {.rate = rate,
                    .seed = static_cast<std::uint64_t>(spec.attribute(graph::attribute::seed)),
                    .stream = static_cast<std::uint64_t>(spec.attribute(graph::attribute::stream))},
          .heads = heads * parts,
          .first_head = heads * part};
}

inline AttentionInputs attention_inputs(const AttentionConfig& config, const float* qkv,
                                        const std::int32_t* segments, AttentionDropout dropout,
                                        const std::int64_t* samples) {
  dropout.sample = samples;
  const auto rows = packed_rows(config, qkv);
  return {.query_count = config.max_queries,
          .key_count = config.max_keys,
          .q = rows.q,
          .k = rows.k,
          .v = rows.v,
          .segments = segments,
          .segment_batch_stride = config.max_keys,
          .dropout = dropout};
}

// Returns the rows of attention's output, or of its gradient: all query heads of a token side by
// side.
template <class T>
TokenRows<T> attention_output(const AttentionConfig& config, T* data) {
  const std::size_t row = output_columns(config);
  return {data, row, row * config.max_queries};
}

// `run` runs the kernel: it takes an AttentionForward.
template <class Run>
std::unique_ptr<TaskFunction> attention_function(const AttentionConfig& config,
                                                 const AttentionDropout& dropout, Run run) {
  using enum graph::attention::Operand;
  return function([config, dropout, run = std::move(run)](const TaskArguments& a) {
    run(AttentionForward{
        .in = attention_inputs(config, f32(a, qkv), i32(a, segments), dropout, i64(a, samples)),
        .o = attention_output(config, f32(a, output)),
        .lse = f32(a, logsumexp),
        .scratch = a.operands.back()});
  });
}

// `run` runs the kernel: it takes an AttentionBackward.
template <class Run>
std::unique_ptr<TaskFunction> attention_gradient_function(const AttentionConfig& config,
                                                          const AttentionDropout& dropout,
                                                          Run run) {
  using enum graph::attention_gradient::Operand;
  return function([config, dropout, run = std::move(run)](const TaskArguments& a) {
    const auto dqkv = packed_rows(config, f32(a, qkv_gradient));
    run(AttentionBackward{
        .in = attention_inputs(config, f32(a, qkv), i32(a, segments), dropout, i64(a, samples)),
        .o = attention_output<const float>(config, f32(a, output)),
        .grad_o = attention_output<const float>(config, f32(a, gradient)),
        .lse = f32(a, logsumexp),
        .dq = dqkv.q,
        .dk = dqkv.k,
        .dv = dqkv.v,
        .scratch = a.operands.back()});
  });
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FUNCTIONS_ATTENTION_FUNCTIONS_H_
