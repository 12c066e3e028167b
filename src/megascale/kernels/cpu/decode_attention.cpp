// A unit of work is a query and a range of its heads. It takes the keys in blocks of 64 and keeps, for
// each query head, the running maximum, sum and output (attention_forward.cpp). The heads of a row lie
// side by side, so a unit of many heads reads the cache in long runs, which the processor's own
// prefetching follows; single heads would be pieces of some lines, pages apart.
#include "megascale/kernels/cpu/decode_attention.h"

#include <algorithm>
#include <cmath>

#include "megascale/graph/sliding_window.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/decode_attention.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/decode_rows-inl.h"
#include "megascale/kernels/cpu/tanh-inl.h"

#ifndef MEGASCALE_KERNELS_CPU_DECODE_ATTENTION_ONCE_
#define MEGASCALE_KERNELS_CPU_DECODE_ATTENTION_ONCE_
namespace megascale::kernels::cpu {

inline constexpr std::size_t kDecodeKeys = 64;  // of a block
inline constexpr float kDecodeLowest = -1e30F;  // finite, so that differences are numbers

// The query heads of a unit.
struct DecodeHeads {
  std::size_t first = 0, last = 0;
};

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

HWY_INLINE float highest_score(std::size_t count, float* scores) {
  std::fill(scores + count, scores + kDecodeKeys, kDecodeLowest);
  Vec highest = hn::Load(Tag(), scores);
  for (std::size_t j = kLanes; j < kDecodeKeys; j += kLanes)
    highest = hn::Max(highest, hn::Load(Tag(), scores + j));
  return hn::GetLane(hn::MaxOfLanes(Tag(), highest));
}

// Replaces scores / cap by cap * tanh(scores / cap), in whole vectors: the last one may go beyond `count`.
HWY_INLINE void cap_scores(std::size_t count, float cap, float* scores) {
  for (std::size_t j = 0; j < count; j += kLanes) {
    const Vec capped =
        tanh_of(Tag(), hn::Load(Tag(), scores + j), [](Vec t) HWY_ATTR { return exp_in_range(t); });
    hn::Store(hn::Mul(capped, set(cap)), Tag(), scores + j);
  }
}

// Replaces the scores by e^(s - maximum) and returns their sum.
HWY_INLINE float block_weights(float maximum, float* scores) {
  Vec total = zero();
  for (std::size_t j = 0; j < kDecodeKeys; j += kLanes) {
    const Vec p = exp_nonpositive(hn::Sub(hn::Load(Tag(), scores + j), set(maximum)));
    hn::Store(p, Tag(), scores + j);
    total = hn::Add(total, p);
  }
  return hn::GetLane(hn::SumOfLanes(Tag(), total));
}

// Computes some heads of one query. `scratch` has, for each of them, kDecodeKeys scores, and then maximum,
// sum and change of each.
void decode_unit(const DecodeAttention& c, const DecodeQuery& query, DecodeHeads heads,
                 float* scratch) {
  const std::size_t group = c.query_heads / c.kv_heads, size = c.head_size,
                    value_size = value_size_of(c);
  const std::size_t count = heads.last - heads.first;
  const double scale = c.scale > 0 ? c.scale : 1.0 / std::sqrt(static_cast<double>(size));
  const float cap = static_cast<float>(c.soft_cap);
  const float factor = static_cast<float>(c.soft_cap > 0 ? scale / c.soft_cap : scale);
  const float* const q = query.q + heads.first * size;
  float* const o = query.o + heads.first * value_size;
  float* const scores = scratch;
  float* const maximums = scores + count * kDecodeKeys;
  float* const sums = maximums + count;
  float* const changes = sums + count;
  std::fill_n(maximums, count, kDecodeLowest);
  std::fill_n(sums, count, 0.0F);
  std::fill_n(o, count * value_size, 0.0F);
  const std::size_t end = query.key_count;
  for (std::size_t key = graph::first_visible_key(end - 1, c.window); key < end;
       key += kDecodeKeys) {
    const std::size_t keys_left = std::min(kDecodeKeys, end - key);
    const float* const keys = query.keys + key * c.row_stride;
    const float* const values = query.values + key * c.row_stride;
    for_each_rows(keys_left, [&](std::size_t j, auto rows) HWY_ATTR {
      for (std::size_t h = 0; h < count; ++h)
        row_scores<rows>(q + h * size, keys + j * c.row_stride + (heads.first + h) / group * size,
                         c.row_stride, size, factor, scores + h * kDecodeKeys + j);
    });
    for (std::size_t h = 0; h < count; ++h) {
      float* const own = scores + h * kDecodeKeys;
      if (cap > 0) cap_scores(keys_left, cap, own);
      const float before = maximums[h];
      maximums[h] = std::max(before, highest_score(keys_left, own));
      changes[h] = std::exp(before - maximums[h]);
      sums[h] = sums[h] * changes[h] + block_weights(maximums[h], own);
    }
    for_each_rows(keys_left, [&](std::size_t j, auto rows) HWY_ATTR {
      for (std::size_t h = 0; h < count; ++h)
        add_rows<rows>(j == 0 ? changes[h] : 1.0F, scores + h * kDecodeKeys + j,
                       values + j * c.row_stride + (heads.first + h) / group * value_size,
                       c.row_stride, value_size, o + h * value_size);
    });
  }
  for (std::size_t h = 0; h < count; ++h) {
    const float inverse = 1.0F / sums[h];
    float* const out = o + h * value_size;
    for_each_vector(0, value_size,
                    [&](auto at) HWY_ATTR { at.store(hn::Mul(at.load(out), set(inverse)), out); });
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(decode_unit);

namespace {

// The scratch of a unit of all heads: its vectors are read aligned.
std::size_t floats_per_thread(const DecodeAttention& c) noexcept {
  constexpr std::size_t kLine = 64 / sizeof(float);
  return (c.query_heads * (kDecodeKeys + 3) + kLine - 1) / kLine * kLine;
}

// Returns into how many units a query is cut: as few as give each thread the same number of units, or
// several.
std::size_t units_per_query(const DecodeAttention& c, std::size_t queries, std::size_t threads) {
  constexpr std::size_t kSeveral = 4;
  std::size_t units = 1;
  while (units < c.query_heads && queries * units % threads != 0 &&
         queries * units < kSeveral * threads)
    ++units;
  return units;
}

// Returns the first query head of unit number `part`. Units share the keys and values of a head only if
// there are more units than such heads.
std::size_t first_head(const DecodeAttention& c, std::size_t part, std::size_t parts) {
  if (parts > c.kv_heads) return part * c.query_heads / parts;
  return part * c.kv_heads / parts * (c.query_heads / c.kv_heads);
}

}  // namespace

std::size_t decode_attention_scratch_bytes(const DecodeAttention& config) noexcept {
  return config.threads * floats_per_thread(config) * sizeof(float);
}

void decode_attention(const DecodeAttention& config, std::span<const DecodeQuery> queries,
                      std::byte* scratch) noexcept {
  const auto unit_of = HWY_DYNAMIC_DISPATCH(decode_unit);
  double keys = 0;
  for (const DecodeQuery& query : queries)
    keys += static_cast<double>(graph::most_visible_keys(query.key_count, config.window));
  const double flops =
      2.0 * keys *
      static_cast<double>(config.query_heads * (config.head_size + value_size_of(config)));
  // Bound by memory, a key takes four times as long as its FLOPs.
  const std::size_t threads = useful_threads(config.threads, 4 * flops);
  const std::size_t floats = floats_per_thread(config);
  const std::size_t parts = units_per_query(config, queries.size(), threads);
  for_each_unit(queries.size() * parts, threads, [&](std::size_t unit, std::size_t thread) {
    const std::size_t part = unit % parts;
    unit_of(config, queries[unit / parts],
            {.first = first_head(config, part, parts), .last = first_head(config, part + 1, parts)},
            reinterpret_cast<float*>(scratch) + thread * floats);
  });
}

}  // namespace megascale::kernels::cpu
#endif
