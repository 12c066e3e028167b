// Task functions of attention on the CPU. In training, attention and its gradient work on whole
// sequences in one packed tensor of queries, keys and values. In decoding, cached_attention adds
// the keys and values of the new tokens to a cache and attends to the whole cache; last_row picks
// the row from which the logits of the next token are computed.
#include "megascale/kernels/cpu/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "megascale/kernels/cpu/functions/attention_functions.h"
#include "megascale/kernels/cpu/functions/functions.h"

namespace megascale::kernels::cpu {
namespace {

std::unique_ptr<TaskFunction> prepare_forward(const KernelSpec& spec) {
  const AttentionConfig config = attention_config(spec, graph::attention::qkv);
  return attention_function(
      config, attention_dropout(spec), [config](const AttentionForward& run) { attention_forward(config, run); });
}
std::uint64_t scratch_forward(const KernelSpec& spec) {
  using enum graph::attention::Operand;
  return attention_forward_scratch_bytes(attention_config(spec, qkv));
}

std::unique_ptr<TaskFunction> prepare_gradient(const KernelSpec& spec) {
  const AttentionConfig config = attention_config(spec, graph::attention_gradient::qkv);
  return attention_gradient_function(
      config, attention_dropout(spec), [config](const AttentionBackward& run) { attention_backward(config, run); });
}
std::uint64_t scratch_gradient(const KernelSpec& spec) {
  using enum graph::attention_gradient::Operand;
  return attention_backward_scratch_bytes(attention_config(spec, qkv));
}

AttentionConfig cached_config(const KernelSpec& spec) {
  using enum graph::cached_attention::Operand;
  return {.query_heads = static_cast<std::size_t>(spec.attribute(graph::attribute::heads)),
          .kv_heads = static_cast<std::size_t>(spec.attribute(graph::attribute::groups)),
          .head_size = static_cast<std::size_t>(spec.attribute(graph::attribute::head_dim)),
          .max_queries = spec.size(qkv, 0),
          .max_keys = spec.size(cache, 0),
          .window = static_cast<std::size_t>(spec.attribute(graph::attribute::window)),
          .threads = spec.threads,
          .scale = spec.attributes->real(graph::attribute::scale, 0),
          .soft_cap = spec.attributes->real(graph::attribute::soft_cap, 0)};
}
// Returns the bytes at the front of the scratch into which the kernel writes its logsumexp;
// decoding does not use it. A multiple of 64, since the kernel's own scratch follows.
std::size_t lse_nbytes(const AttentionConfig& config) {
  return (config.query_heads * config.max_queries * sizeof(float) + 63) / 64 * 64;
}

// Copies the keys and values of the new tokens behind those in the cache, then attends from the new
// queries to all keys of the cache. counts[0] is the number of new tokens, counts[1] the number of
// tokens in the cache including them. A row of the cache holds a token's key heads, then its value
// heads. Another task writes the counts, so they are checked before they are used as sizes.
std::unique_ptr<TaskFunction> prepare_cached(const KernelSpec& spec) {
  using enum graph::cached_attention::Operand;
  const AttentionConfig config = cached_config(spec);
  check_attention(config);
  return checked_function([config](const TaskArguments& a) -> std::string {
    const auto* const count = as<std::int64_t>(a, counts);
    const auto most_new = static_cast<std::int64_t>(config.max_queries),
               most = static_cast<std::int64_t>(config.max_keys);
    if (count[0] < 0 || count[0] > most_new || count[1] < count[0] || count[1] > most) {
      return fmt::format(
          "cached_attention: the counts are {} new tokens and {} tokens in the cache; expected 0 "
          "to "
          "{} new tokens, and at most {} in the cache, the new ones included",
          count[0], count[1], most_new, most);
    }
    if (count[0] == 0) return {};
    const std::size_t q = config.query_heads * config.head_size,
                      kv = config.kv_heads * config.head_size;
    const auto queries = static_cast<std::size_t>(count[0]),
               keys = static_cast<std::size_t>(count[1]);
    float* const kept = f32(a, cache);
    for (std::size_t n = 0; n < queries; ++n) {
      const float* row = f32(a, qkv) + n * (q + 2 * kv) + q;
      std::copy(row, row + 2 * kv, kept + (keys - queries + n) * 2 * kv);
    }
    float* lse = scratch(a);
    attention_forward(config, {.in = {.query_count = queries,
                                      .key_count = keys,
                                      .q = {f32(a, qkv), q + 2 * kv, 0},
                                      .k = {kept, 2 * kv, 0},
                                      .v = {kept + kv, 2 * kv, 0}},
                               .o = {f32(a, output), q, 0},
                               .lse = lse,
                               .scratch = reinterpret_cast<std::byte*>(lse) + lse_nbytes(config)});
    return {};
  });
}
std::uint64_t scratch_cached(const KernelSpec& spec) {
  const AttentionConfig config = cached_config(spec);
  return lse_nbytes(config) + attention_forward_scratch_bytes(config);
}

// Copies the last counted row of the input: counts[0] is the number of rows.
std::unique_ptr<TaskFunction> prepare_last_row(const KernelSpec& spec) {
  using enum graph::last_row::Operand;
  return checked_function([most = static_cast<std::int64_t>(spec.size(input, 0)),
                           channels = spec.size(input, 1)](const TaskArguments& a) -> std::string {
    const std::int64_t rows = as<std::int64_t>(a, counts)[0];
    if (rows < 1 || rows > most)
      return fmt::format("last_row: the count is {} rows; expected 1 to {}", rows, most);
    const float* row = f32(a, input) + static_cast<std::size_t>(rows - 1) * channels;
    std::copy(row, row + channels, f32(a, output));
    return {};
  });
}

}  // namespace

std::span<const Kernel> attention_kernels() {
  static constexpr std::array kKernels{
      Kernel{"attention", Device::cpu, prepare_forward, scratch_forward},
      Kernel{"attention_gradient", Device::cpu, prepare_gradient, scratch_gradient},
      Kernel{"cached_attention", Device::cpu, prepare_cached, scratch_cached, kCountedRows},
      Kernel{"last_row", Device::cpu, prepare_last_row, nullptr, kCountedRows}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
