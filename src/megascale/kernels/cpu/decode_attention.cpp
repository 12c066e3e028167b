// A unit of work is a query and a key-value head. It takes the keys in blocks of 64 and keeps, for each
// query head of the group, the running maximum, sum and output (attention_forward.cpp). A block of keys
// and values stays in the first-level cache while the heads of the group use it.
#include "megascale/kernels/cpu/decode_attention.h"

#include <algorithm>
#include <cmath>

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

inline constexpr std::size_t kDecodeKeys = 64;   // of a block
inline constexpr std::size_t kDecodeAhead = 16;  // rows between a prefetch and the use
inline constexpr float kDecodeLowest = -1e30F;   // finite, so that differences are numbers

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Rows of a cache lie pages apart, where the processor's own prefetch ends.
HWY_INLINE void prefetch_ahead(const float* row, std::size_t size) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  for (std::size_t i = 0; i < size; i += kLine) __builtin_prefetch(row + i);
}

// scores[j] = factor * q . keys[j] for j < count, and the lowest value for the rest of the block.
// Returns the largest score. Prefetches keys, of which `left` follow from the first of the block on, and
// the values of the block; null: they are in the cache.
HWY_INLINE float block_scores(const float* q, const float* keys, const float* values,
                              std::size_t stride, std::size_t size, std::size_t count,
                              std::size_t left, float factor, float* scores) {
  for (std::size_t j = 0; j < count; ++j) {
    if (values != nullptr) {
      prefetch_ahead(values + j * stride, size);
      if (j + kDecodeAhead < left) prefetch_ahead(keys + (j + kDecodeAhead) * stride, size);
    }
    Vec sum = zero();
    for_each_vector(0, size, [&](auto at) HWY_ATTR {
      sum = hn::MulAdd(at.load(q), at.load(keys + j * stride), sum);
    });
    scores[j] = factor * hn::GetLane(hn::SumOfLanes(Tag(), sum));
  }
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

// Computes the query heads of one key-value head for one query. `state`: maximum and sum of each.
void decode_unit(const DecodeAttention& c, const DecodeQuery& query, std::size_t kv_head,
                 float* state) {
  const std::size_t group = c.query_heads / c.kv_heads, size = c.head_size;
  const float factor = static_cast<float>(1.0 / std::sqrt(static_cast<double>(size)));
  const float* const q = query.q + kv_head * group * size;
  float* const o = query.o + kv_head * group * size;
  for (std::size_t g = 0; g < group; ++g) {
    state[2 * g] = kDecodeLowest;
    state[2 * g + 1] = 0;
  }
  std::fill_n(o, group * size, 0.0F);
  HWY_ALIGN float scores[kDecodeKeys];
  const std::size_t end = query.key_count;
  for (std::size_t key = graph::first_visible_key(end - 1, c.window); key < end;
       key += kDecodeKeys) {
    const std::size_t count = std::min(kDecodeKeys, end - key);
    const float* const keys = query.keys + key * c.row_stride + kv_head * size;
    const float* const values = query.values + key * c.row_stride + kv_head * size;
    for (std::size_t g = 0; g < group; ++g) {
      float& maximum = state[2 * g];
      const float before = maximum;
      maximum =
          std::max(maximum, block_scores(q + g * size, keys, g == 0 ? values : nullptr,
                                         c.row_stride, size, count, end - key, factor, scores));
      const float change = std::exp(before - maximum);
      state[2 * g + 1] = state[2 * g + 1] * change + block_weights(maximum, scores);
      float* const out = o + g * size;
      for_each_vector(0, size, [&](auto at) HWY_ATTR {
        Vec sum = hn::Mul(at.load(out), set(change));
        for (std::size_t j = 0; j < count; ++j)
          sum = hn::MulAdd(set(scores[j]), at.load(values + j * c.row_stride), sum);
        at.store(sum, out);
      });
    }
  }
  for (std::size_t g = 0; g < group; ++g) {
    const float inverse = 1.0F / state[2 * g + 1];
    float* const out = o + g * size;
    for_each_vector(0, size,
                    [&](auto at) HWY_ATTR { at.store(hn::Mul(at.load(out), set(inverse)), out); });
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(decode_unit);

namespace {

std::size_t floats_per_thread(const DecodeAttention& c) noexcept {
  constexpr std::size_t kLine = 64 / sizeof(float);
  return (2 * (c.query_heads / c.kv_heads) + kLine - 1) / kLine * kLine;
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
  const double flops = 4.0 * keys * static_cast<double>(config.query_heads * config.head_size);
  // Bound by memory, a key takes four times as long as its FLOPs.
  const std::size_t threads = useful_threads(config.threads, 4 * flops);
  const std::size_t floats = floats_per_thread(config);
  for_each_unit(queries.size() * config.kv_heads, threads,
                [&](std::size_t unit, std::size_t thread) {
                  unit_of(config, queries[unit / config.kv_heads], unit % config.kv_heads,
                          reinterpret_cast<float*>(scratch) + thread * floats);
                });
}

}  // namespace megascale::kernels::cpu
#endif
