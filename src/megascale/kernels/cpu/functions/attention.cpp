// Task functions of attention on the CPU. In training, attention and its gradient work on whole
// sequences in one packed tensor of queries, keys and values. In decoding, cached_attention adds
// the keys and values of the new tokens of several sequences to a cache and attends to the tokens of
// each sequence; last_rows picks the rows from which logits are computed.
#include "megascale/kernels/cpu/attention.h"

#include <algorithm>
#include <array>
#include <vector>

#include "megascale/kernels/cpu/decode_attention.h"
#include "megascale/kernels/cpu/functions/attention_functions.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/functions/step_counts.h"

namespace megascale::kernels::cpu {
namespace {

std::unique_ptr<TaskFunction> prepare_forward(const KernelSpec& spec) {
  const AttentionConfig config = attention_config(spec, graph::attention::qkv);
  return attention_function(config, attention_dropout(spec), [config](const AttentionForward& run) {
    attention_forward(config, run);
  });
}
std::uint64_t scratch_forward(const KernelSpec& spec) {
  using enum graph::attention::Operand;
  return attention_forward_scratch_bytes(attention_config(spec, qkv));
}

std::unique_ptr<TaskFunction> prepare_gradient(const KernelSpec& spec) {
  const AttentionConfig config = attention_config(spec, graph::attention_gradient::qkv);
  return attention_gradient_function(
      config, attention_dropout(spec),
      [config](const AttentionBackward& run) { attention_backward(config, run); });
}
std::uint64_t scratch_gradient(const KernelSpec& spec) {
  using enum graph::attention_gradient::Operand;
  return attention_backward_scratch_bytes(attention_config(spec, qkv));
}

// The new tokens of a sequence up to which each query is computed by itself: packing its keys would
// take longer.
constexpr std::size_t kSingleQueries = 4;

// Attention in decoding: sizes, and the two kernels that it takes.
struct CachedAttention {
  std::size_t rows, counted, sequences;  // new tokens; elements of the counts
  // Columns of a row: all queries, all keys, a row of the cache, of qkv, of the output.
  std::size_t queries, keys, cached, packed, results;
  AttentionConfig many;    // for one sequence with many new tokens
  DecodeAttention single;  // for single queries

  explicit CachedAttention(const KernelSpec& spec) {
    using enum graph::cached_attention::Operand;
    rows = spec.size(qkv, 0);
    counted = spec.size(counts, 0);
    sequences = StepCounts::sequences_of(counted);
    const std::size_t places = spec.size(cache, 0) / sequences;
    const graph::AttentionRow row = graph::attention_row(*spec.attributes);
    queries = static_cast<std::size_t>(row.heads * row.head_dim);
    keys = static_cast<std::size_t>(row.groups * row.head_dim);
    cached = static_cast<std::size_t>(row.cached());
    packed = static_cast<std::size_t>(row.packed());
    results = static_cast<std::size_t>(row.output());
    many = {.query_heads = static_cast<std::size_t>(row.heads),
            .kv_heads = static_cast<std::size_t>(row.groups),
            .head_size = static_cast<std::size_t>(row.head_dim),
            .value_size = static_cast<std::size_t>(row.value_dim),
            .max_queries = std::min(rows, places),
            .max_keys = places,
            .window = static_cast<std::size_t>(spec.attribute(graph::attribute::window)),
            .threads = spec.threads,
            .scale = spec.attributes->real(graph::attribute::scale, 0),
            .soft_cap = spec.attributes->real(graph::attribute::soft_cap, 0)};
    single = {.query_heads = many.query_heads,
              .kv_heads = many.kv_heads,
              .head_size = many.head_size,
              .value_size = many.value_size,
              .row_stride = cached,
              .window = many.window,
              .threads = many.threads,
              .scale = many.scale,
              .soft_cap = many.soft_cap};
  }
  // Returns the bytes at the front of the scratch into which attention_forward() writes its
  // logsumexp; decoding does not use it. A multiple of 64, since the kernel's own scratch follows.
  [[nodiscard]] std::size_t lse_nbytes() const noexcept {
    return (many.query_heads * many.max_queries * sizeof(float) + 63) / 64 * 64;
  }
  [[nodiscard]] std::uint64_t scratch_nbytes() const noexcept {
    return std::max(lse_nbytes() + attention_forward_scratch_bytes(many),
                    decode_attention_scratch_bytes(single));
  }
};

// Copies the keys and values of the new tokens behind those in the cache, then attends from the new
// queries to all keys of their sequence. A row of the cache holds a token's key heads, then its value
// heads.
class CachedAttentionFunction {
 public:
  explicit CachedAttentionFunction(const CachedAttention& config) : config_(config) {
    check_attention(config_.many);
    queries_.reserve(config_.sequences * kSingleQueries);
  }
  std::string operator()(const TaskArguments& a) {
    using enum graph::cached_attention::Operand;
    const StepCounts count(as<std::int64_t>(a, counts), config_.counted);
    std::string problem =
        count.problem({.rows = static_cast<std::int64_t>(config_.rows),
                       .places = static_cast<std::int64_t>(config_.many.max_keys)});
    if (!problem.empty()) return "cached_attention: " + problem;
    const std::size_t packed = config_.packed, cached = config_.cached;
    const float* row = f32(a, qkv);
    float* out = f32(a, output);
    queries_.clear();
    for (std::size_t i = 0; i < count.sequences(); ++i) {
      const auto added = static_cast<std::size_t>(count[i].added),
                 kept = static_cast<std::size_t>(count[i].kept);
      float* const rows = f32(a, cache) + i * config_.many.max_keys * cached;
      for (std::size_t n = 0; n < added; ++n) {
        const float* const fresh = row + n * packed + config_.queries;
        std::copy(fresh, fresh + cached, rows + (kept - added + n) * cached);
      }
      if (added > kSingleQueries) {
        attend_many(a, row, rows, out, added, kept);
      } else {
        for (std::size_t n = 0; n < added; ++n) {
          queries_.push_back({.q = row + n * packed,
                              .keys = rows,
                              .values = rows + config_.keys,
                              .o = out + n * config_.results,
                              .key_count = kept - added + n + 1});
        }
      }
      row += added * packed;
      out += added * config_.results;
    }
    decode_attention(config_.single, queries_, reinterpret_cast<std::byte*>(scratch(a)));
    return {};
  }

 private:
  void attend_many(const TaskArguments& a, const float* row, const float* cache, float* out,
                   std::size_t added, std::size_t kept) const noexcept {
    const std::size_t packed = config_.packed, cached = config_.cached;
    float* const lse = scratch(a);
    attention_forward(config_.many,
                      {.in = {.query_count = added,
                              .key_count = kept,
                              .q = {row, packed, 0},
                              .k = {cache, cached, 0},
                              .v = {cache + config_.keys, cached, 0}},
                       .o = {out, config_.results, 0},
                       .lse = lse,
                       .scratch = reinterpret_cast<std::byte*>(lse) + config_.lse_nbytes()});
  }

  CachedAttention config_;
  std::vector<DecodeQuery> queries_;  // of a step
};

std::unique_ptr<TaskFunction> prepare_cached(const KernelSpec& spec) {
  return checked_function(CachedAttentionFunction(CachedAttention(spec)));
}
std::uint64_t scratch_cached(const KernelSpec& spec) {
  return CachedAttention(spec).scratch_nbytes();
}

// Copies the last rows of each sequence, one after the other.
std::unique_ptr<TaskFunction> prepare_last_rows(const KernelSpec& spec) {
  using enum graph::last_rows::Operand;
  return checked_function(
      [bounds = StepCounts::Bounds{.rows = static_cast<std::int64_t>(spec.size(input, 0)),
                                   .last_rows = static_cast<std::int64_t>(spec.size(output, 0))},
       counted = spec.size(counts, 0),
       channels = spec.size(input, 1)](const TaskArguments& a) -> std::string {
        const StepCounts count(as<std::int64_t>(a, counts), counted);
        std::string problem = count.problem(bounds);
        if (!problem.empty()) return "last_rows: " + problem;
        const float* row = f32(a, input);
        float* to = f32(a, output);
        for (std::size_t i = 0; i < count.sequences(); ++i) {
          const auto [added, kept, last] = count[i];
          row += static_cast<std::size_t>(added) * channels;
          to = std::copy(row - static_cast<std::size_t>(last) * channels, row, to);
        }
        return {};
      });
}

}  // namespace

std::span<const Kernel> attention_kernels() {
  constexpr bool kSeveral = true;
  static constexpr std::array kKernels{
      Kernel{"attention", Device::cpu, prepare_forward, scratch_forward},
      Kernel{"attention_gradient", Device::cpu, prepare_gradient, scratch_gradient},
      Kernel{"cached_attention", Device::cpu, prepare_cached, scratch_cached, kCountedRows},
      Kernel{"last_rows", Device::cpu, prepare_last_rows, nullptr, kCountedRows, kSeveral}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
