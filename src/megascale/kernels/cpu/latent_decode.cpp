// Latent attention of decoding. A step has four parts, one after the other: it writes the rows of the new
// tokens, applies the weight to queries, attends to the rows of the cache, and applies the weight to the
// outputs. Where the weight is applied, a unit of work is a head and up to 64 tokens: it reads eight rows of
// the head's weight for all of them, and then the next eight, so that a weight is read from memory once.
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

// Writes the outputs of a head, from sums of latent vectors (tokens, NH, K).
void apply_values(const LatentDecode& c, const LatentTokens& a, const LatentUnit& unit,
                  const float* sums) {
  const std::size_t h = unit.head;
  const float* const weight = a.weight + (h * (c.plain + c.values) + c.plain) * c.rank;
  for_each_rows(c.values, [&](std::size_t i, auto rows) HWY_ATTR {
    for (std::size_t n = unit.first; n < unit.last; ++n)
      row_scores<rows>(sums + (n * c.heads + h) * c.rank, weight + i * c.rank, c.rank, c.rank, 1.0F,
                       a.output + (n * c.heads + h) * c.values + i);
  });
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(write_row);
HWY_EXPORT(absorb_query);
HWY_EXPORT(apply_values);

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

// The scratch of a step.
struct LatentScratch {
  float *absorbed, *sums;  // of all tokens
  float* lse;              // of a sequence; decoding does not use it
  float* attention;
  LatentScratch(FloatArena& arena, const LatentDecode& c) noexcept {
    const AttentionConfig many = many_queries(c);
    absorbed = arena.take(c.most_tokens * c.heads * c.row());
    sums = arena.take(c.most_tokens * c.heads * c.rank);
    lse = arena.take(c.heads * many.max_queries);
    attention = arena.take(std::max(decode_attention_scratch_bytes(single_queries(c)),
                                    attention_forward_scratch_bytes(many)) /
                           sizeof(float));
  }
};

// Calls body(unit) for all heads and tokens, in parallel. `size`: rows of a head's weight that it applies.
template <class Body>
void for_each_head(const LatentDecode& c, std::size_t tokens, std::size_t size,
                   const Body& body) noexcept {
  constexpr std::size_t kTokens =
      64;  // their results, 2 KiB each at rank 512, stay in a small L2 cache
  const auto flops = 2.0 * static_cast<double>(tokens * c.heads * size * c.rank);
  const std::size_t parts = (tokens + kTokens - 1) / kTokens;
  // Bound by memory, a weight takes four times as long as its FLOPs.
  for_each_unit(c.heads * parts, useful_threads(c.threads, 4 * flops),
                [&](std::size_t unit, std::size_t) {
                  const std::size_t first = unit % parts * kTokens;
                  body(LatentUnit{unit / parts, first, std::min(first + kTokens, tokens)});
                });
}

}  // namespace

LatentDecoder::LatentDecoder(const LatentDecode& config) : config_(config) {
  check_attention(many_queries(config));
  queries_.reserve(std::min(config.most_tokens, config.sequences * kLatentSingle));
}

std::size_t LatentDecoder::scratch_bytes(const LatentDecode& config) noexcept {
  FloatArena counter(nullptr);
  const LatentScratch all(counter, config);
  return counter.used() * sizeof(float);
}

void LatentDecoder::run(const LatentTokens& a) noexcept {
  const LatentDecode& c = config_;
  FloatArena arena(reinterpret_cast<float*>(a.scratch));
  const LatentScratch s(arena, c);
  const std::size_t query = c.heads * c.row(), sum = c.heads * c.rank;  // floats of a token
  const auto write = HWY_DYNAMIC_DISPATCH(write_row);
  std::size_t tokens = 0;
  for (const LatentSequence& one : a.sequences) {
    for (std::size_t n = 0; n < one.added; ++n, ++tokens)
      write(c, a, tokens, one.cache + (one.kept - one.added + n) * c.row());
  }
  const auto absorb = HWY_DYNAMIC_DISPATCH(absorb_query);
  for_each_head(c, tokens, c.plain,
                [&](const LatentUnit& unit) { absorb(c, a, unit, s.absorbed); });
  queries_.clear();
  const float* q = s.absorbed;
  float* o = s.sums;
  for (const LatentSequence& one : a.sequences) {
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
    q += one.added * query;
    o += one.added * sum;
  }
  decode_attention(single_queries(c), queries_, reinterpret_cast<std::byte*>(s.attention));
  const auto apply = HWY_DYNAMIC_DISPATCH(apply_values);
  for_each_head(c, tokens, c.values, [&](const LatentUnit& unit) { apply(c, a, unit, s.sums); });
}

}  // namespace megascale::kernels::cpu
#endif
