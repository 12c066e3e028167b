// A unit of work is a query and a range of its key-value heads. It takes the keys in blocks of 64 and
// keeps, for each query head, the running maximum, sum and output (attention_forward.cpp). The heads of
// a row lie side by side, so a unit of many heads reads the cache in long runs, which the processor's
// own prefetching follows; single heads would be pieces of some lines, pages apart.
#include "megascale/kernels/cpu/decode_attention.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "megascale/graph/sliding_window.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/decode_attention.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

#ifndef MEGASCALE_KERNELS_CPU_DECODE_ATTENTION_ONCE_
#define MEGASCALE_KERNELS_CPU_DECODE_ATTENTION_ONCE_
namespace megascale::kernels::cpu {

inline constexpr std::size_t kDecodeKeys = 64;  // of a block
inline constexpr std::size_t kDecodeRows = 8;   // keys or values that are read side by side
inline constexpr float kDecodeLowest = -1e30F;  // finite, so that differences are numbers

// The heads of a unit.
struct DecodeHeads {
  std::size_t first_kv = 0, last_kv = 0;
};

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// scores[j] = factor * q . keys[j] for `kRows` keys.
template <std::size_t kRows>
HWY_INLINE void row_scores(const float* q, const float* keys, std::size_t stride, std::size_t size,
                           float factor, float* scores) {
  Vec sums[kRows];
#pragma GCC unroll 8
  for (std::size_t j = 0; j < kRows; ++j) sums[j] = zero();
  for_each_vector(0, size, [&](auto at) HWY_ATTR {
    const Vec query = at.load(q);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kRows; ++j)
      sums[j] = hn::MulAdd(query, at.load(keys + j * stride), sums[j]);
  });
#pragma GCC unroll 8
  for (std::size_t j = 0; j < kRows; ++j)
    scores[j] = factor * hn::GetLane(hn::SumOfLanes(Tag(), sums[j]));
}

// out = change * out + the sum of weights[j] * values[j] for `kRows` values, in their order.
template <std::size_t kRows>
HWY_INLINE void add_rows(float change, const float* weights, const float* values,
                         std::size_t stride, std::size_t size, float* out) {
  for_each_vector(0, size, [&](auto at) HWY_ATTR {
    Vec sum = hn::Mul(at.load(out), set(change));
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kRows; ++j)
      sum = hn::MulAdd(set(weights[j]), at.load(values + j * stride), sum);
    at.store(sum, out);
  });
}

// Calls body(row, count) for the rows [0, count): kDecodeRows at once, the rest one by one. The count is
// a constant.
template <class Body>
HWY_INLINE void for_each_rows(std::size_t count, Body body) {
  std::size_t j = 0;
  for (; j + kDecodeRows <= count; j += kDecodeRows)
    body(j, std::integral_constant<std::size_t, kDecodeRows>());
  for (; j < count; ++j) body(j, std::integral_constant<std::size_t, 1>());
}

HWY_INLINE float highest_score(std::size_t count, float* scores) {
  std::fill(scores + count, scores + kDecodeKeys, kDecodeLowest);
  Vec highest = hn::Load(Tag(), scores);
  for (std::size_t j = kLanes; j < kDecodeKeys; j += kLanes)
    highest = hn::Max(highest, hn::Load(Tag(), scores + j));
  return hn::GetLane(hn::MaxOfLanes(Tag(), highest));
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

// Computes the query heads of some key-value heads for one query. `scratch` has, for each of these
// query heads, kDecodeKeys scores, and then maximum, sum and change of each.
void decode_unit(const DecodeAttention& c, const DecodeQuery& query, DecodeHeads heads,
                 float* scratch) {
  const std::size_t group = c.query_heads / c.kv_heads, size = c.head_size,
                    value_size = value_size_of(c);
  const std::size_t count = (heads.last_kv - heads.first_kv) * group;
  const float factor = static_cast<float>(1.0 / std::sqrt(static_cast<double>(size)));
  const float* const q = query.q + heads.first_kv * group * size;
  float* const o = query.o + heads.first_kv * group * value_size;
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
    const float* const keys = query.keys + key * c.row_stride + heads.first_kv * size;
    const float* const values = query.values + key * c.row_stride + heads.first_kv * value_size;
    for_each_rows(keys_left, [&](std::size_t j, auto rows) HWY_ATTR {
      for (std::size_t h = 0; h < count; ++h)
        row_scores<rows>(q + h * size, keys + j * c.row_stride + h / group * size, c.row_stride,
                         size, factor, scores + h * kDecodeKeys + j);
    });
    for (std::size_t h = 0; h < count; ++h) {
      float* const own = scores + h * kDecodeKeys;
      const float before = maximums[h];
      maximums[h] = std::max(before, highest_score(keys_left, own));
      changes[h] = std::exp(before - maximums[h]);
      sums[h] = sums[h] * changes[h] + block_weights(maximums[h], own);
    }
    for_each_rows(keys_left, [&](std::size_t j, auto rows) HWY_ATTR {
      for (std::size_t h = 0; h < count; ++h)
        add_rows<rows>(j == 0 ? changes[h] : 1.0F, scores + h * kDecodeKeys + j,
                       values + j * c.row_stride + h / group * value_size, c.row_stride, value_size,
                       o + h * value_size);
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
  while (units < c.kv_heads && queries * units % threads != 0 &&
         queries * units < kSeveral * threads)
    ++units;
  return units;
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
            {.first_kv = part * config.kv_heads / parts,
             .last_kv = (part + 1) * config.kv_heads / parts},
            reinterpret_cast<float*>(scratch) + thread * floats);
  });
}

}  // namespace megascale::kernels::cpu
#endif
