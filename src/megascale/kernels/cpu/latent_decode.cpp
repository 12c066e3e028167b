// Latent attention of decoding. A step writes the rows of the new tokens. Of sequences with few of them it
// applies the weight to queries, attends to the rows of the cache, and applies the weight to the outputs; of
// the others it computes keys and values of some heads after the other. Where the weight is applied, a unit
// of work is a head and up to 64 rows: it reads eight rows of the head's weight for all of them, and then
// the next eight, so that a weight is read from memory once.
#include "megascale/kernels/cpu/latent_decode.h"

#include <algorithm>
#include <cmath>

#include "megascale/kernels/cpu/attention.h"
#include "megascale/kernels/cpu/attention_work.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/latent_decode.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/decode_rows-inl.h"
#include "megascale/kernels/cpu/rotate_head-inl.h"

#ifndef MEGASCALE_KERNELS_CPU_LATENT_DECODE_ONCE_
#define MEGASCALE_KERNELS_CPU_LATENT_DECODE_ONCE_
namespace megascale::kernels::cpu {

// Work with the weight of a head: tokens of the step.
struct LatentUnit {
  std::size_t head = 0, first = 0, last = 0;
};
// Rows of some weight applied to rows x: y[n][i] = weight[i] . x[n] for the rows [first, last).
struct LatentProduct {
  const float* weight = nullptr;  // `size` rows of `rank` floats
  std::size_t rank = 0, size = 0;
  const float* x = nullptr;
  float* y = nullptr;
  std::size_t x_stride = 0, y_stride = 0;  // floats between rows
  std::size_t first = 0, last = 0;
};

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Writes the row of token number n of the step to the cache.
void write_row(const LatentDecode& c, const LatentTokens& a, std::size_t n, float* row) {
  std::copy_n(a.latent + n * c.rank, c.rank, row);
  rotate_head<true>(a.key_rope + n * c.rotated, a.table + n * c.rotated, c.rotated, row + c.rank);
}

// Writes the queries of a head to the rows of the cache: (tokens, NH, K + R).
void absorb_query(const LatentDecode& c, const LatentTokens& a, const LatentUnit& unit,
                  float* absorbed) {
  const std::size_t h = unit.head;
  const float* const weight = a.weight + h * (c.plain + c.values) * c.rank;
  const std::size_t stride = c.heads * c.row();
  float* const out = absorbed + h * c.row();
  const float* const query = a.query + h * c.head();
  for (std::size_t n = unit.first; n < unit.last; ++n) {
    std::fill_n(out + n * stride, c.rank, 0.0F);
    rotate_head<true>(query + n * c.heads * c.head() + c.plain, a.table + n * c.rotated, c.rotated,
                      out + n * stride + c.rank);
  }
  for_each_rows(c.plain, [&](std::size_t i, auto rows) HWY_ATTR {
    for (std::size_t n = unit.first; n < unit.last; ++n)
      add_rows<rows>(1.0F, query + n * c.heads * c.head() + i, weight + i * c.rank, c.rank, c.rank,
                     out + n * stride);
  });
}

void apply_weight(const LatentProduct& a) {
  for_each_rows(a.size, [&](std::size_t i, auto rows) HWY_ATTR {
    for (std::size_t n = a.first; n < a.last; ++n)
      row_scores<rows>(a.x + n * a.x_stride, a.weight + i * a.rank, a.rank, a.rank, 1.0F,
                       a.y + n * a.y_stride + i);
  });
}

// Writes the queries of token number n of the step, with rotated channels: (NH, P + R).
void rotate_query(const LatentDecode& c, const LatentTokens& a, std::size_t n, float* out) {
  const float* const query = a.query + n * c.heads * c.head();
  for (std::size_t h = 0; h < c.heads; ++h) {
    std::copy_n(query + h * c.head(), c.plain, out + h * c.head());
    rotate_head<true>(query + h * c.head() + c.plain, a.table + n * c.rotated, c.rotated,
                      out + h * c.head() + c.plain);
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(write_row);
HWY_EXPORT(absorb_query);
HWY_EXPORT(apply_weight);
HWY_EXPORT(rotate_query);

namespace {

// The factor is that of whole heads, not of the rows of the cache.
double score_scale(const LatentDecode& c) noexcept {
  return c.scale > 0 ? c.scale : 1.0 / std::sqrt(static_cast<double>(c.head()));
}

// Attention to the rows of the cache for single queries: all heads have one key head.
DecodeAttention single_queries(const LatentDecode& c) noexcept {
  return {.query_heads = c.heads,
          .kv_heads = 1,
          .head_size = c.row(),
          .value_size = c.rank,
          .row_stride = c.row(),
          .window = c.window,
          .threads = c.threads,
          .scale = score_scale(c),
          .soft_cap = c.soft_cap};
}

// The same for many queries of a sequence: the heads are a batch whose keys are the same.
AttentionConfig many_queries(const LatentDecode& c) noexcept {
  return {.batch = c.heads,
          .head_size = c.row(),
          .value_size = c.rank,
          .max_queries = std::min(c.most_tokens, c.places),
          .max_keys = c.places,
          .window = c.window,
          .threads = c.threads,
          .scale = score_scale(c),
          .soft_cap = c.soft_cap};
}

// The heads whose keys and values are computed at a time.
std::size_t heads_at_once(const LatentDecode& c) noexcept {
  return std::min(c.heads, std::max<std::size_t>(1, c.threads));
}
// Attention of `heads` expanded heads: they are a batch.
AttentionConfig expanded_queries(const LatentDecode& c, std::size_t heads) noexcept {
  AttentionConfig config = many_queries(c);
  config.batch = heads;
  config.head_size = c.head();
  config.value_size = c.values;
  return config;
}
// Returns whether a step may have a sequence that is expanded.
bool may_expand(const LatentDecode& c) noexcept {
  const std::size_t most = std::min(c.most_tokens, c.places);
  return latent_expands(c, most, most);
}

}  // namespace

// The scratch of a step.
struct LatentScratch {
  float* queries = nullptr;  // of all tokens: absorbed (NH, K + R), or rotated (NH, P + R)
  float* sums = nullptr;     // of all tokens (NH, K)
  float* lse = nullptr;      // of a sequence; decoding does not use it
  float *keys = nullptr, *values = nullptr;  // of some heads: (rows, P + R) and (rows, V) each
  float* attention = nullptr;
  LatentScratch(FloatArena& arena, const LatentDecode& c) noexcept {
    const AttentionConfig many = many_queries(c);
    std::size_t attention_bytes = std::max(decode_attention_scratch_bytes(single_queries(c)),
                                           attention_forward_scratch_bytes(many));
    std::size_t query = c.row();
    if (may_expand(c)) {
      const std::size_t heads = heads_at_once(c);
      query = std::max(query, c.head());
      keys = arena.take(heads * c.places * c.head());
      values = arena.take(heads * c.places * c.values);
      attention_bytes =
          std::max(attention_bytes, attention_forward_scratch_bytes(expanded_queries(c, heads)));
    }
    queries = arena.take(c.most_tokens * c.heads * query);
    sums = arena.take(c.most_tokens * c.heads * c.rank);
    lse = arena.take(c.heads * many.max_queries);
    attention = arena.take(attention_bytes / sizeof(float));
  }
};

namespace {

// Rows that a unit of work has at most: their results, 2 KiB each at rank 512, stay in a small L2 cache.
constexpr std::size_t kUnitRows = 64;

// The threads that apply `size` rows of the weight of `heads` heads to `rows` rows. Bound by memory, a weight
// takes four times as long as its FLOPs.
std::size_t threads_for(const LatentDecode& c, std::size_t heads, std::size_t rows,
                        std::size_t size) noexcept {
  return useful_threads(c.threads, 4 * 2.0 * static_cast<double>(rows * heads * size * c.rank));
}

}  // namespace

bool latent_expands(const LatentDecode& c, std::size_t added, std::size_t kept) noexcept {
  if (added <= kLatentSingle) return false;
  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  double seen = number(kept) - 0.5 * (number(added) - 1);  // keys of a token, in the mean
  if (c.window > 0) seen = std::min(seen, number(c.window));
  const double weight = number(c.rank) * number(c.plain + c.values);
  return number(kept) * weight + number(added) * seen * number(c.head() + c.values) <
         number(added) * weight + number(added) * seen * number(c.row() + c.rank);
}

LatentDecoder::LatentDecoder(const LatentDecode& config) : config_(config) {
  check_attention(many_queries(config));
  queries_.reserve(std::min(config.most_tokens, config.sequences * kLatentSingle));
  blocks_.reserve(config.most_tokens / kUnitRows + config.sequences);
}

std::size_t LatentDecoder::scratch_bytes(const LatentDecode& config) noexcept {
  FloatArena counter(nullptr);
  const LatentScratch all(counter, config);
  return counter.used() * sizeof(float);
}

// Neighbours share a block, so that a decoding step of many sequences reads the weight once.
void LatentDecoder::add_blocks(std::size_t first, std::size_t last) {
  while (first < last) {
    const bool continues = !blocks_.empty() && blocks_.back().last == first &&
                           first - blocks_.back().first < kUnitRows;
    if (!continues) blocks_.push_back({first, first});
    Block& block = blocks_.back();
    block.last = std::min(last, block.first + kUnitRows);
    first = block.last;
  }
}

// Attends to the rows of the cache, for the tokens of blocks_.
void LatentDecoder::absorbed(const LatentTokens& a, const LatentScratch& s) noexcept {
  const LatentDecode& c = config_;
  const std::size_t query = c.heads * c.row(), sum = c.heads * c.rank;  // floats of a token
  std::size_t tokens = 0;
  for (const Block& block : blocks_) tokens += block.last - block.first;
  const auto for_each_head = [&](std::size_t size, const auto& body) {
    for_each_unit(c.heads * blocks_.size(), threads_for(c, c.heads, tokens, size),
                  [&](std::size_t unit, std::size_t) {
                    const Block& block = blocks_[unit % blocks_.size()];
                    body(LatentUnit{unit / blocks_.size(), block.first, block.last});
                  });
  };
  const auto absorb = HWY_DYNAMIC_DISPATCH(absorb_query);
  for_each_head(c.plain, [&](const LatentUnit& unit) { absorb(c, a, unit, s.queries); });
  queries_.clear();
  std::size_t token = 0;
  for (const LatentSequence& one : a.sequences) {
    const float* const q = s.queries + token * query;
    float* const o = s.sums + token * sum;
    token += one.added;
    if (latent_expands(c, one.added, one.kept)) continue;
    if (one.added > kLatentSingle) {
      attention_forward(many_queries(c), {.in = {.query_count = one.added,
                                                 .key_count = one.kept,
                                                 .q = {q, query, c.row()},
                                                 .k = {one.cache, c.row(), 0},
                                                 .v = {one.cache, c.row(), 0}},
                                          .o = {o, sum, c.rank},
                                          .lse = s.lse,
                                          .scratch = reinterpret_cast<std::byte*>(s.attention)});
    } else {
      for (std::size_t n = 0; n < one.added; ++n) {
        queries_.push_back({.q = q + n * query,
                            .keys = one.cache,
                            .values = one.cache,
                            .o = o + n * sum,
                            .key_count = one.kept - one.added + n + 1});
      }
    }
  }
  decode_attention(single_queries(c), queries_, reinterpret_cast<std::byte*>(s.attention));
  const auto apply = HWY_DYNAMIC_DISPATCH(apply_weight);
  for_each_head(c.values, [&](const LatentUnit& unit) {
    const std::size_t h = unit.head;
    apply({.weight = a.weight + (h * (c.plain + c.values) + c.plain) * c.rank,
           .rank = c.rank,
           .size = c.values,
           .x = s.sums + h * c.rank,
           .y = a.output + h * c.values,
           .x_stride = sum,
           .y_stride = c.heads * c.values,
           .first = unit.first,
           .last = unit.last});
  });
}

// Attends to keys and values of the heads. `token`: the first of the sequence in the step.
void LatentDecoder::expanded(const LatentTokens& a, const LatentSequence& one, std::size_t token,
                             const LatentScratch& s) const noexcept {
  const LatentDecode& c = config_;
  const std::size_t query = c.heads * c.head();
  float* const queries = s.queries;
  const auto rotate = HWY_DYNAMIC_DISPATCH(rotate_query);
  for_each_unit(one.added, useful_threads(c.threads, static_cast<double>(one.added * query)),
                [&](std::size_t n, std::size_t) { rotate(c, a, token + n, queries + n * query); });
  const std::size_t blocks = (one.kept + kUnitRows - 1) / kUnitRows, most = heads_at_once(c);
  const auto apply = HWY_DYNAMIC_DISPATCH(apply_weight);
  for (std::size_t h = 0; h < c.heads; h += most) {
    const std::size_t heads = std::min(most, c.heads - h);
    for_each_unit(
        heads * blocks, threads_for(c, heads, one.kept, c.plain + c.values),
        [&](std::size_t unit, std::size_t) {
          const std::size_t k = unit / blocks, first = unit % blocks * kUnitRows,
                            last = std::min(one.kept, first + kUnitRows);
          float* const keys = s.keys + k * c.places * c.head();
          LatentProduct product{.weight = a.weight + (h + k) * (c.plain + c.values) * c.rank,
                                .rank = c.rank,
                                .size = c.plain,
                                .x = one.cache,
                                .y = keys,
                                .x_stride = c.row(),
                                .y_stride = c.head(),
                                .first = first,
                                .last = last};
          apply(product);
          for (std::size_t j = first; j < last; ++j)
            std::copy_n(one.cache + j * c.row() + c.rank, c.rotated, keys + j * c.head() + c.plain);
          product.weight += c.plain * c.rank;
          product.size = c.values;
          product.y = s.values + k * c.places * c.values;
          product.y_stride = c.values;
          apply(product);
        });
    attention_forward(
        expanded_queries(c, heads),
        {.in = {.query_count = one.added,
                .key_count = one.kept,
                .q = {queries + h * c.head(), query, c.head()},
                .k = {s.keys, c.head(), c.places * c.head()},
                .v = {s.values, c.values, c.places * c.values}},
         .o = {a.output + (token * c.heads + h) * c.values, c.heads * c.values, c.values},
         .lse = s.lse,
         .scratch = reinterpret_cast<std::byte*>(s.attention)});
  }
}

void LatentDecoder::run(const LatentTokens& a) noexcept {
  const LatentDecode& c = config_;
  FloatArena arena(reinterpret_cast<float*>(a.scratch));
  const LatentScratch s(arena, c);
  const auto write = HWY_DYNAMIC_DISPATCH(write_row);
  blocks_.clear();
  std::size_t token = 0;
  for (const LatentSequence& one : a.sequences) {
    for (std::size_t n = 0; n < one.added; ++n)
      write(c, a, token + n, one.cache + (one.kept - one.added + n) * c.row());
    if (latent_expands(c, one.added, one.kept)) {
      expanded(a, one, token, s);
    } else {
      add_blocks(token, token + one.added);
    }
    token += one.added;
  }
  if (!blocks_.empty()) absorbed(a, s);
}

}  // namespace megascale::kernels::cpu
#endif
