// Attention forward (formulas in attention.h) with a running softmax: one pass over the keys, in
// register tiles, with the scores of one block of queries and keys in the first-level cache.
#include "megascale/kernels/cpu/attention.h"
#include "megascale/kernels/cpu/attention_work.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/attention_forward.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/attention_tile-inl.h"

// A unit of work is a chunk of query positions, for all query heads that share one key-value head.
// The unit takes the blocks of keys in ascending order and packs each block once. For every query
// it keeps the running maximum m, sum l and output o, with s in units of log 2:
//   m' = max(m, max_j s_j),  l' = l 2^(m - m') + sum_j 2^(s_j - m')
//   o' = o 2^(m - m') + sum_j 2^(s_j - m') v_j
// The arithmetic for one query does not depend on its chunk, so the bits do not depend on the chunk
// size.
#ifndef MEGASCALE_KERNELS_CPU_ATTENTION_FORWARD_ONCE_
#define MEGASCALE_KERNELS_CPU_ATTENTION_FORWARD_ONCE_
namespace megascale::kernels::cpu {

// The initial maximum. It is finite, so that m - m' is a number while all keys so far are masked.
inline constexpr float kLowestMaximum = -1e30F;

// group: query heads per key-value head; chunk: query positions of a unit.
struct ForwardPlan {
  std::size_t group, chunk, chunks, units;  // units = batch * kv_heads * chunks
};

// Makes the chunks smaller until there are at least four units per thread, or the chunk is one
// block.
inline ForwardPlan plan_forward(const AttentionConfig& c, std::size_t query_count) noexcept {
  const std::size_t group = c.query_heads / c.kv_heads;
  std::size_t chunk = chunk_positions(c);
  while (chunk > kQueryBlock &&
         c.batch * c.kv_heads * ((query_count + chunk - 1) / chunk) < 4 * c.threads)
    chunk -= kQueryBlock;
  const std::size_t chunks = (query_count + chunk - 1) / chunk;
  return {group, chunk, chunks, c.batch * c.kv_heads * chunks};
}

// The scratch of one thread.
struct ForwardScratch {
  float *queries, *output, *maximum, *sum, *keys, *values, *scores;
  ForwardScratch(FloatArena& arena, const AttentionConfig& c) noexcept {
    const std::size_t padded_value = padded_head(value_size_of(c));
    const std::size_t rows = c.query_heads / c.kv_heads * chunk_positions(c);
    queries = arena.take(rows * padded_head(c.head_size));
    output = arena.take(rows * padded_value);
    maximum = arena.take(rows);
    sum = arena.take(rows * 16);  // a vector of partial sums per row
    keys = arena.take(c.head_size * kKeyBlock);
    values = arena.take(kKeyBlock * padded_value);
    scores = arena.take(kQueryBlock * kKeyBlock);
  }
};

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Replaces the scores of one tile by 2^(s - m') with the new maximum m', and updates maximum and
// sum. `factors` receives 2^(m - m') per row.
HWY_INLINE void softmax_tile(float* scores, float* maximum, float* sum, std::size_t vectors,
                             float* factors) {
  const Tag d;
  HWY_ALIGN float change[16] = {};
  for (std::size_t r = 0; r < kTileRows; ++r) {
    const float* row = scores + r * kKeyBlock;
    Vec highest = hn::Load(d, row);
    for (std::size_t v = 1; v < vectors; ++v)
      highest = hn::Max(highest, hn::Load(d, row + v * kLanes));
    const float before = maximum[r];
    maximum[r] = std::max(before, hn::GetLane(hn::MaxOfLanes(d, highest)));
    change[r] = before - maximum[r];
  }
  for (std::size_t r = 0; r < kTileRows; r += kLanes)
    hn::Store(exp2_of(hn::Load(d, change + r)), d, factors + r);
  for (std::size_t r = 0; r < kTileRows; ++r) {
    float* row = scores + r * kKeyBlock;
    const Vec shift = hn::Set(d, maximum[r]);
    Vec total = hn::Zero(d);
    for (std::size_t v = 0; v < vectors; ++v) {
      const Vec p = exp2_of(hn::Sub(hn::Load(d, row + v * kLanes), shift));
      hn::Store(p, d, row + v * kLanes);
      total = hn::Add(total, p);
    }
    float* lanes = sum + r * 16;
    hn::Store(hn::MulAdd(hn::Load(d, lanes), hn::Set(d, factors[r]), total), d, lanes);
  }
}

// Multiplies the probabilities of `rows` rows of a tile, of which `row` is the first in its block, by the
// factors of dropout.
HWY_INLINE void drop_tile(float* p, const BlockDraws& draws, std::size_t row, std::size_t rows,
                          std::size_t vectors) {
  const Tag d;
  for (std::size_t r = 0; r < rows; ++r) {
    const RowFactors factors(draws, row + r);
    for (std::size_t v = 0; v < vectors; ++v) {
      float* at = p + r * kKeyBlock + v * kLanes;
      hn::Store(hn::Mul(hn::Load(d, at), factors[v]), d, at);
    }
  }
}

// output[r] = output[r] * factors[r] + sum_j scores[r][j] values[j]
HWY_INLINE void add_values(float* output, const float* factors, const float* scores,
                           const float* values, std::size_t padded, std::size_t keys) {
  for_column_groups(padded / kLanes, [&](std::size_t c, auto width) HWY_ATTR {
    constexpr int kRows = static_cast<int>(kTileRows), kColumns = decltype(width)::value;
    Tile<kRows, kColumns> tile;
    load<kRows, kColumns>(tile, output + c * kLanes, padded);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const Vec factor = hn::Set(Tag(), factors[r]);
#pragma GCC unroll 8
      for (int k = 0; k < kColumns; ++k) tile[r][k] = hn::Mul(tile[r][k], factor);
    }
    multiply_add<kRows, kColumns>(tile, scores, kKeyBlock, 1, values + c * kLanes, padded, keys);
    store<kRows, kColumns>(tile, output + c * kLanes, padded);
  });
}

// Processes one block of at most kQueryBlock rows; `row` is its first row in the unit's scratch.
// `keys` and `values` prefetch the rows of the next block while this one is computed.
HWY_INLINE void forward_block(const AttentionBlock& b, const BlockDraws& draws,
                              const ForwardScratch& s, std::size_t row, const AttentionConfig& c,
                              ComingRows& keys, ComingRows& values) {
  const std::size_t head_size = c.head_size, padded = padded_head(head_size),
                    padded_value = padded_head(value_size_of(c));
  HWY_ALIGN float factors[kQueryBlock / kTileRows][16];
  std::size_t seen[kQueryBlock / kTileRows];  // per tile: keys up to the last one it sees
  const std::size_t tiles = (b.rows + kTileRows - 1) / kTileRows;
  for (std::size_t t = 0; t < tiles; ++t) {
    keys.ask();
    values.ask();
    const std::size_t first = b.first_position + t * kTileRows;
    const std::size_t rows = std::min(kTileRows, b.rows - t * kTileRows), last = first + rows - 1;
    seen[t] = last < b.key ? 0 : std::min(b.keys, last - b.key + 1);
    if (seen[t] == 0) continue;
    const std::size_t vectors = (seen[t] + kLanes - 1) / kLanes, at = row + t * kTileRows;
    float* scores = s.scores + t * kTileRows * kKeyBlock;
    row_products<kTileRows>(scores, s.queries + at * padded, padded, s.keys, head_size, vectors);
    if (c.soft_cap > 0) {
      for (std::size_t r = 0; r < rows; ++r)
        cap_row(scores + r * kKeyBlock, nullptr, vectors, tanh_factor(c));
    }
    const auto sight = visibility(first, last, b.key, b.key + vectors * kLanes, b.window, nullptr);
    if (sight != Visibility::all || b.segments != nullptr) {
      for (std::size_t r = 0; r < rows; ++r)
        mask_row(scores + r * kKeyBlock, vectors, b, first + r);
    }
    softmax_tile(scores, s.maximum + at, s.sum + at * 16, vectors, factors[t]);
    if (draws.draws != nullptr) drop_tile(scores, draws, t * kTileRows, rows, vectors);
  }
  for (std::size_t t = 0; t < tiles; ++t) {
    if (seen[t] == 0) continue;
    add_values(s.output + (row + t * kTileRows) * padded_value, factors[t],
               s.scores + t * kTileRows * kKeyBlock, s.values, padded_value, seen[t]);
  }
}

// Divides the outputs by their sums, and writes o and lse of `rows` queries of one head.
void finish_rows(const AttentionConfig& c, const AttentionForward& run, const ForwardScratch& s,
                 std::size_t batch, std::size_t head, std::size_t first_query, std::size_t rows,
                 std::size_t row) {
  const Tag d;
  const std::size_t size = value_size_of(c), padded = padded_head(size);
  float* lse = run.lse + (batch * c.query_heads + head) * run.in.query_count + first_query;
  for (std::size_t r = 0; r < rows; ++r) {
    if (r + kRowsAhead < rows)
      prefetch_row(row_of(run.o, batch, first_query + r + kRowsAhead, head * size), size);
    const float sum = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, s.sum + (row + r) * 16)));
    lse[r] = (s.maximum[row + r] + std::log2(sum)) * kLn2;
    const Vec inverse = hn::Set(d, 1.0F / sum);
    const float* from = s.output + (row + r) * padded;
    float* to = row_of(run.o, batch, first_query + r, head * size);
    std::size_t k = 0;
    for (; k + kLanes <= size; k += kLanes)
      hn::StoreU(hn::Mul(hn::Load(d, from + k), inverse), d, to + k);
    for (; k < size; ++k) to[k] = from[k] * (1.0F / sum);
  }
}

// Runs one unit: packs the queries of a chunk, passes over the keys, and writes o and lse.
void forward_unit(const AttentionConfig& c, const AttentionForward& run, const ForwardPlan& plan,
                  const ForwardScratch& s, std::size_t unit) {
  const AttentionInputs& in = run.in;
  const std::size_t padded = padded_head(c.head_size), offset = in.key_count - in.query_count;
  const std::size_t value_size = value_size_of(c), padded_value = padded_head(value_size);
  // Units are taken in ascending order, so chunks are numbered from the last one down: the last
  // chunk sees the most keys, and starting with the longest work balances the threads.
  const std::size_t chunk = plan.chunks - 1 - unit / (c.batch * c.kv_heads);
  const std::size_t batch = unit / c.kv_heads % c.batch, kv_head = unit % c.kv_heads;
  const std::size_t begin = chunk * plan.chunk, end = std::min(begin + plan.chunk, in.query_count);
  const std::int32_t* segments =
      in.segments == nullptr ? nullptr : in.segments + batch * in.segment_batch_stride;
  for (std::size_t g = 0; g < plan.group; ++g) {
    const float* q = row_of(in.q, batch, begin, (kv_head * plan.group + g) * c.head_size);
    const std::size_t row = g * plan.chunk;
    pack_rows(s.queries + row * padded, padded, q, in.q.row_stride, end - begin,
              round_up(end - begin, kTileRows), c.head_size, 1.0F);
  }
  const std::size_t rows = plan.group * plan.chunk;
  std::memset(s.output, 0, rows * padded_value * sizeof(float));
  std::memset(s.sum, 0, rows * 16 * sizeof(float));
  std::fill_n(s.maximum, rows, kLowestMaximum);

  const std::size_t first_key = graph::first_visible_key(offset + begin, c.window);
  for (std::size_t key = first_key / kKeyBlock * kKeyBlock; key < offset + end; key += kKeyBlock) {
    const std::size_t keys = std::min(kKeyBlock, in.key_count - key);
    if (visibility(offset + begin, offset + end - 1, key, key + keys, c.window, segments) ==
        Visibility::none)
      continue;
    pack_transposed(s.keys, row_of(in.k, batch, key, kv_head * c.head_size), in.k.row_stride, keys,
                    c.head_size, key_factor(c));
    pack_rows(s.values, padded_value, row_of(in.v, batch, key, kv_head * value_size),
              in.v.row_stride, keys, keys, value_size, 1.0F);
    const std::size_t next = key + keys,
                      coming = std::min(kKeyBlock, std::max(next, offset + end) - next);
    ComingRows coming_keys(row_of(in.k, batch, next, kv_head * c.head_size), in.k.row_stride,
                           coming, c.head_size);
    ComingRows coming_values(row_of(in.v, batch, next, kv_head * value_size), in.v.row_stride,
                             coming, value_size);
    const KeySegments key_segments(segments == nullptr ? nullptr : segments + key, keys);
    for (std::size_t first = begin; first < end; first += kQueryBlock) {
      const std::size_t count = std::min(kQueryBlock, end - first);
      const auto sight = visibility(offset + first, offset + first + count - 1, key, key + keys,
                                    c.window, segments);
      if (sight == Visibility::none) continue;
      const AttentionBlock block{offset + first,
                                 count,
                                 key,
                                 keys,
                                 c.window,
                                 sight == Visibility::all ? nullptr : segments,
                                 key_segments.ids};
      for (std::size_t g = 0; g < plan.group; ++g)
        forward_block(block, block_draws(in, batch, kv_head * plan.group + g, offset + first, key),
                      s, g * plan.chunk + first - begin, c, coming_keys, coming_values);
    }
  }
  for (std::size_t g = 0; g < plan.group; ++g) {
    finish_rows(c, run, s, batch, kv_head * plan.group + g, begin, end - begin, g * plan.chunk);
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(forward_unit);

namespace {

std::size_t thread_floats(const AttentionConfig& c) noexcept {
  FloatArena counter(nullptr);
  ForwardScratch(counter, c);
  return counter.used();
}

}  // namespace

std::size_t attention_forward_scratch_bytes(const AttentionConfig& config) noexcept {
  return config.threads * thread_floats(config) * sizeof(float);
}

void attention_forward(const AttentionConfig& config, const AttentionForward& run) noexcept {
  check_attention_run(config, run.in, run.scratch);
  if (run.in.query_count == 0) return;
  const ForwardPlan plan = plan_forward(config, run.in.query_count);
  const auto unit_of = HWY_DYNAMIC_DISPATCH(forward_unit);
  const std::size_t floats = thread_floats(config);
  const std::size_t threads = useful_threads(config.threads, visible_flops(config, run.in));
  for_each_unit(plan.units, threads, [&](std::size_t unit, std::size_t thread) {
    FloatArena arena(reinterpret_cast<float*>(run.scratch) + thread * floats);
    unit_of(config, run, plan, ForwardScratch(arena, config), unit);
  });
}

}  // namespace megascale::kernels::cpu
#endif
