#include "megascale/kernels/cpu/attention.h"
#include "megascale/kernels/cpu/attention_work.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/attention_backward.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/attention_tile-inl.h"

// A unit of work is one key-value head of one sequence and one of `splits` sets of its key blocks
// (block n belongs to set n mod splits, so that causal sets cost the same). It takes its blocks of
// keys in ascending order, keeps dk and dv of the block in scratch and adds to dq of all queries
// that see the block. No two units write the same bytes: set 0 adds into dq itself, the others into
// partial sums of their own, which are added in order of the sets at the end. splits is 1 unless a
// machine has more threads than heads; only then do the bits depend on the number of threads.
#ifndef MEGASCALE_KERNELS_CPU_ATTENTION_BACKWARD_ONCE_
#define MEGASCALE_KERNELS_CPU_ATTENTION_BACKWARD_ONCE_
namespace megascale::kernels::cpu {

inline std::size_t backward_splits(const AttentionConfig& c) noexcept {
  constexpr std::size_t kUnitsPerThread = 8,
                        kMost = 8;  // of uneven units 8 per thread leave it idle for 1/16 at most
  const std::size_t heads = c.batch * c.kv_heads, blocks = (c.max_keys + kKeyBlock - 1) / kKeyBlock;
  if (c.threads == 1 || heads % c.threads == 0 || heads >= kUnitsPerThread * c.threads) return 1;
  return std::min({(kUnitsPerThread * c.threads + heads - 1) / heads, blocks, kMost});
}

// What all threads share: per query row delta and lse in units of log 2, and the partial sums of
// dq.
struct BackwardShared {
  float *delta, *lse2, *partial;
  BackwardShared(FloatArena& arena, const AttentionConfig& c) noexcept {
    const std::size_t rows = c.batch * c.query_heads * c.max_queries;
    delta = arena.take(rows);
    lse2 = arena.take(rows);
    partial = arena.take((backward_splits(c) - 1) * rows * c.head_size);
  }
};

// The scratch of one thread. Names of one letter are those of attention.h.
struct BackwardScratch {
  float *keys_transposed, *values_transposed, *keys, *dk, *dv, *queries, *grad_o, *p, *ds;
  BackwardScratch(FloatArena& arena, const AttentionConfig& c) noexcept {
    const std::size_t padded = padded_head(c.head_size);
    keys_transposed = arena.take(c.head_size * kKeyBlock);
    values_transposed = arena.take(c.head_size * kKeyBlock);
    keys = arena.take(kKeyBlock * padded);
    dk = arena.take(kKeyBlock * padded);
    dv = arena.take(kKeyBlock * padded);
    queries = arena.take(kQueryBlock * padded);
    grad_o = arena.take(kQueryBlock * padded);
    p = arena.take(kQueryBlock * kKeyBlock);
    ds = arena.take(kQueryBlock * kKeyBlock);
  }
};

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// delta[r] = sum_d do[r,d] o[r,d] and lse in units of log 2, of one sequence and head.
void prepare_rows(const AttentionConfig& c, const AttentionBackward& run,
                  const BackwardShared& shared, std::size_t unit) {
  const Tag d;
  const std::size_t batch = unit / c.query_heads, head = unit % c.query_heads,
                    rows = run.in.query_count;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* o = row_of(run.o, batch, r, head * c.head_size);
    const float* grad_o = row_of(run.grad_o, batch, r, head * c.head_size);
    Vec sum = hn::Zero(d);
    std::size_t k = 0;
    for (; k + kLanes <= c.head_size; k += kLanes)
      sum = hn::MulAdd(hn::LoadU(d, o + k), hn::LoadU(d, grad_o + k), sum);
    float total = hn::GetLane(hn::SumOfLanes(d, sum));
    for (; k < c.head_size; ++k) total += o[k] * grad_o[k];
    shared.delta[unit * rows + r] = total;
    shared.lse2[unit * rows + r] = run.lse[unit * rows + r] * kLog2E;
  }
}

struct BackwardBlock : AttentionBlock {
  const float *delta, *lse2;  // of the block's first row
  float* dq;                  // its first row
  std::size_t dq_stride;
};

// p = 2^(s - lse2) and ds = p (dp - delta) in the place of the products s and dp. Keys behind
// `vectors` become 0.
HWY_INLINE void probabilities(float* p, float* ds, float lse2, float delta, std::size_t vectors) {
  const Tag d;
  const Vec shift = hn::Set(d, lse2), mean = hn::Set(d, delta);
  std::size_t v = 0;
  for (; v < vectors; ++v) {
    const Vec probability = exp2_of(hn::Sub(hn::Load(d, p + v * kLanes), shift));
    hn::Store(probability, d, p + v * kLanes);
    hn::Store(hn::Mul(probability, hn::Sub(hn::Load(d, ds + v * kLanes), mean)), d,
              ds + v * kLanes);
  }
  for (; v < kKeyVectors; ++v) {
    hn::Store(hn::Zero(d), d, p + v * kLanes);
    hn::Store(hn::Zero(d), d, ds + v * kLanes);
  }
}

// dq[r] += sum_j ds[r][j] keys[j] for `rows` of the tile's rows.
HWY_INLINE void add_query_gradient(float* dq, std::size_t stride, const float* ds,
                                   const float* keys, std::size_t padded, std::size_t key_count,
                                   std::size_t rows, std::size_t head_size) {
  for_column_groups(padded / kLanes, [&](std::size_t c, auto width) HWY_ATTR {
    constexpr int kRows = static_cast<int>(kTileRows), kColumns = decltype(width)::value;
    const Tag d;
    Tile<kRows, kColumns> tile;
    clear<kRows, kColumns>(tile);
    multiply_add<kRows, kColumns>(tile, ds, kKeyBlock, 1, keys + c * kLanes, padded, key_count);
    if (rows == kTileRows && (c + kColumns) * kLanes <= head_size) {
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
        for (int k = 0; k < kColumns; ++k) {
          float* to = dq + static_cast<std::size_t>(r) * stride +
                      (c + static_cast<std::size_t>(k)) * kLanes;
          hn::StoreU(hn::Add(hn::LoadU(d, to), tile[r][k]), d, to);
        }
      }
      return;
    }
    HWY_ALIGN float sums[kTileRows * kColumns * kLanes];
    store<kRows, kColumns>(tile, sums, kColumns * kLanes);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t end = std::min(head_size, (c + kColumns) * kLanes);
      for (std::size_t k = c * kLanes; k < end; ++k)
        dq[r * stride + k] += sums[r * kColumns * kLanes + k - c * kLanes];
    }
  });
}

// sums[j] += sum_r weights[r][j] rows[r] for the keys [j, j + kRows) of a block.
template <int kRows>
HWY_INLINE void add_key_gradient(float* sums, const float* weights, const float* rows,
                                 std::size_t padded, std::size_t row_count) {
  for_column_groups(padded / kLanes, [&](std::size_t c, auto width) HWY_ATTR {
    constexpr int kColumns = decltype(width)::value;
    Tile<kRows, kColumns> tile;
    load<kRows, kColumns>(tile, sums + c * kLanes, padded);
    multiply_add<kRows, kColumns>(tile, weights, 1, kKeyBlock, rows + c * kLanes, padded,
                                  row_count);
    store<kRows, kColumns>(tile, sums + c * kLanes, padded);
  });
}

HWY_INLINE void add_key_gradients(const BackwardBlock& b, const BackwardScratch& s,
                                  std::size_t padded) {
  constexpr std::size_t kRest = kKeyBlock % kTileRows;
  static_assert(kRest > 0);
  for (std::size_t j = 0; j < b.keys; j += kTileRows) {
    // The rows in front of key j do not see it, nor any key behind it.
    const std::size_t skip = b.key + j > b.first_position ? b.key + j - b.first_position : 0;
    if (skip >= b.rows) break;
    const std::size_t at = skip * kKeyBlock + j, row = skip * padded, rows = b.rows - skip;
    if (j + kTileRows <= kKeyBlock) {
      add_key_gradient<kTileRows>(s.dv + j * padded, s.p + at, s.grad_o + row, padded, rows);
      add_key_gradient<kTileRows>(s.dk + j * padded, s.ds + at, s.queries + row, padded, rows);
    } else {
      add_key_gradient<kRest>(s.dv + j * padded, s.p + at, s.grad_o + row, padded, rows);
      add_key_gradient<kRest>(s.dk + j * padded, s.ds + at, s.queries + row, padded, rows);
    }
  }
}

HWY_INLINE void backward_block(const BackwardBlock& b, const BackwardScratch& s,
                               std::size_t head_size) {
  const std::size_t padded = padded_head(head_size);
  std::size_t seen[kQueryBlock / kTileRows];  // keys up to the last one that a tile sees
  const std::size_t tiles = (b.rows + kTileRows - 1) / kTileRows;
  const auto vectors_of = [&](std::size_t t) { return (seen[t] + kLanes - 1) / kLanes; };
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::size_t last = b.first_position + std::min((t + 1) * kTileRows, b.rows) - 1;
    seen[t] = std::min(b.keys, last - b.key + 1);
    row_products<kTileRows>(s.p + t * kTileRows * kKeyBlock, s.queries + t * kTileRows * padded,
                            padded, s.keys_transposed, head_size, vectors_of(t));
  }
  for (std::size_t t = 0; t < tiles; ++t) {
    row_products<kTileRows>(s.ds + t * kTileRows * kKeyBlock, s.grad_o + t * kTileRows * padded,
                            padded, s.values_transposed, head_size, vectors_of(t));
  }
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::size_t begin = t * kTileRows, end = std::min(begin + kTileRows, b.rows),
                      vectors = vectors_of(t);
    const auto sight = visibility(b.first_position + begin, b.first_position + end - 1, b.key,
                                  b.key + vectors * kLanes, b.window, nullptr);
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t position = b.first_position + r;
      float* p = s.p + r * kKeyBlock;
      if (sight != Visibility::all || b.segments != nullptr) mask_row(p, vectors, b, position);
      probabilities(p, s.ds + r * kKeyBlock, b.lse2[r], b.delta[r], vectors);
    }
  }
  add_key_gradients(b, s, padded);
  for (std::size_t t = 0; t < tiles; ++t) {
    add_query_gradient(b.dq + t * kTileRows * b.dq_stride, b.dq_stride,
                       s.ds + t * kTileRows * kKeyBlock, s.keys, padded, seen[t],
                       std::min(kTileRows, b.rows - t * kTileRows), head_size);
  }
}

HWY_INLINE void write_rows(const TokenRows<float>& to, std::size_t batch, std::size_t row,
                           std::size_t column, const float* from, std::size_t padded,
                           std::size_t rows, std::size_t head_size, float factor) {
  const Tag d;
  const Vec scale = hn::Set(d, factor);
  for (std::size_t r = 0; r < rows; ++r, from += padded) {
    float* out = row_of(to, batch, row + r, column);
    std::size_t k = 0;
    for (; k + kLanes <= head_size; k += kLanes)
      hn::StoreU(hn::Mul(scale, hn::Load(d, from + k)), d, out + k);
    for (; k < head_size; ++k) out[k] = factor * from[k];
  }
}

// One unit: the key blocks of set `split` of one key-value head.
void backward_unit(const AttentionConfig& c, const AttentionBackward& run,
                   const BackwardShared& shared, const BackwardScratch& s, std::size_t split,
                   std::size_t splits, std::size_t batch, std::size_t kv_head) {
  const AttentionInputs& in = run.in;
  const std::size_t hs = c.head_size, padded = padded_head(hs), group = c.query_heads / c.kv_heads;
  const std::size_t offset = in.key_count - in.query_count;
  const float scale = scale_of(c);
  const std::int32_t* segments =
      in.segments == nullptr ? nullptr : in.segments + batch * in.segment_batch_stride;
  // Where this set adds dq of head `g`: the result itself, or a dense partial sum.
  const auto dq_rows = [&](std::size_t g) {
    const std::size_t head = batch * c.query_heads + kv_head * group + g;
    if (split == 0)
      return TokenRows<float>{row_of(run.dq, batch, 0, (kv_head * group + g) * hs),
                              run.dq.row_stride, 0};
    const std::size_t all_rows = c.batch * c.query_heads * in.query_count;
    return TokenRows<float>{shared.partial + ((split - 1) * all_rows + head * in.query_count) * hs,
                            hs, 0};
  };
  for (std::size_t g = 0; g < group; ++g) {
    for (std::size_t r = 0; r < in.query_count; ++r)
      std::memset(row_of(dq_rows(g), 0, r, 0), 0, hs * sizeof(float));
  }
  for (std::size_t key = split * kKeyBlock; key < in.key_count; key += splits * kKeyBlock) {
    const std::size_t keys = std::min(kKeyBlock, in.key_count - key);
    const float *k = row_of(in.k, batch, key, kv_head * hs),
                *v = row_of(in.v, batch, key, kv_head * hs);
    pack_transposed(s.keys_transposed, k, in.k.row_stride, keys, hs, scale * kLog2E);
    pack_transposed(s.values_transposed, v, in.v.row_stride, keys, hs, 1.0F);
    pack_rows(s.keys, padded, k, in.k.row_stride, keys, keys, hs, scale);
    std::memset(s.dk, 0, kKeyBlock * padded * sizeof(float));
    std::memset(s.dv, 0, kKeyBlock * padded * sizeof(float));
    const KeySegments key_segments(segments == nullptr ? nullptr : segments + key, keys);
    const std::size_t begin =
        std::max(key, offset);  // positions of the queries that see any of these keys
    const std::size_t end =
        c.window == 0 ? in.key_count : std::min(in.key_count, key + keys - 1 + c.window);
    for (std::size_t first = begin; first < end; first += kQueryBlock) {
      const std::size_t rows = std::min(kQueryBlock, end - first);
      const auto sight = visibility(first, first + rows - 1, key, key + keys, c.window, segments);
      if (sight == Visibility::none) continue;
      for (std::size_t g = 0; g < group; ++g) {
        const std::size_t head = kv_head * group + g, row = first - offset;
        const std::size_t at = (batch * c.query_heads + head) * in.query_count + row;
        pack_rows(s.queries, padded, row_of(in.q, batch, row, head * hs), in.q.row_stride, rows,
                  round_up(rows, kTileRows), hs, 1.0F);
        pack_rows(s.grad_o, padded, row_of(run.grad_o, batch, row, head * hs),
                  run.grad_o.row_stride, rows, round_up(rows, kTileRows), hs, 1.0F);
        const TokenRows<float> dq = dq_rows(g);
        backward_block({{first, rows, key, keys, c.window,
                         sight == Visibility::all ? nullptr : segments, key_segments.ids},
                        shared.delta + at,
                        shared.lse2 + at,
                        row_of(dq, 0, row, 0),
                        dq.row_stride},
                       s, hs);
      }
    }
    write_rows(run.dk, batch, key, kv_head * hs, s.dk, padded, keys, hs, scale);
    write_rows(run.dv, batch, key, kv_head * hs, s.dv, padded, keys, hs, 1.0F);
  }
}

// Adds the partial sums of one sequence and head to dq, in order of the sets.
void add_partials(const AttentionConfig& c, const AttentionBackward& run,
                  const BackwardShared& shared, std::size_t splits, std::size_t unit) {
  const Tag d;
  const std::size_t batch = unit / c.query_heads, head = unit % c.query_heads, hs = c.head_size;
  const std::size_t all_rows = c.batch * c.query_heads * run.in.query_count;
  for (std::size_t r = 0; r < run.in.query_count; ++r) {
    float* dq = row_of(run.dq, batch, r, head * hs);
    for (std::size_t split = 1; split < splits; ++split) {
      const float* part =
          shared.partial + ((split - 1) * all_rows + unit * run.in.query_count + r) * hs;
      std::size_t k = 0;
      for (; k + kLanes <= hs; k += kLanes)
        hn::StoreU(hn::Add(hn::LoadU(d, dq + k), hn::LoadU(d, part + k)), d, dq + k);
      for (; k < hs; ++k) dq[k] += part[k];
    }
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(prepare_rows);
HWY_EXPORT(backward_unit);
HWY_EXPORT(add_partials);

namespace {

std::size_t shared_floats(const AttentionConfig& c) noexcept {
  FloatArena counter(nullptr);
  BackwardShared(counter, c);
  return counter.used();
}
std::size_t thread_floats(const AttentionConfig& c) noexcept {
  FloatArena counter(nullptr);
  BackwardScratch(counter, c);
  return counter.used();
}

}  // namespace

std::size_t attention_backward_scratch_bytes(const AttentionConfig& config) noexcept {
  return (shared_floats(config) + config.threads * thread_floats(config)) * sizeof(float);
}

void attention_backward(const AttentionConfig& config, const AttentionBackward& run) noexcept {
  check_attention_run(config, run.in, run.scratch);
  auto* const base = reinterpret_cast<float*>(run.scratch);
  FloatArena shared_arena(base);
  const BackwardShared shared(shared_arena, config);
  float* const private_base = base + shared_arena.used();
  const std::size_t floats = thread_floats(config), splits = backward_splits(config);
  const std::size_t sequence_heads = config.batch * config.query_heads,
                    kv_units = config.batch * config.kv_heads;
  const std::size_t threads = useful_threads(config.threads, 2.5 * visible_flops(config, run.in));

  const auto rows_of = HWY_DYNAMIC_DISPATCH(prepare_rows);
  for_each_unit(sequence_heads, threads,
                [&](std::size_t unit, std::size_t) { rows_of(config, run, shared, unit); });
  const auto unit_of = HWY_DYNAMIC_DISPATCH(backward_unit);
  for_each_unit(kv_units * splits, threads, [&](std::size_t unit, std::size_t thread) {
    FloatArena arena(private_base + thread * floats);
    const std::size_t kv_unit = unit % kv_units;
    unit_of(config, run, shared, BackwardScratch(arena, config), unit / kv_units, splits,
            kv_unit / config.kv_heads, kv_unit % config.kv_heads);
  });
  if (splits == 1) return;
  const auto add = HWY_DYNAMIC_DISPATCH(add_partials);
  for_each_unit(sequence_heads, threads,
                [&](std::size_t unit, std::size_t) { add(config, run, shared, splits, unit); });
}

}  // namespace megascale::kernels::cpu
#endif
