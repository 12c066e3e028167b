// Gradients of attention (formulas in attention.h), in tiles that stay in registers and blocks that
// stay in the caches. Probabilities are computed again from lse, so the forward pass stores no
// scores.
#include "megascale/kernels/cpu/attention.h"
#include "megascale/kernels/cpu/attention_work.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/attention_backward.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/attention_tile-inl.h"

// A unit of work is one key-value head of one sequence, and one of `splits` sets of its key blocks.
// Block n belongs to set n mod splits, so that all sets cost about the same under the causal mask.
//
// A unit takes the queries in chunks that fit a cache, in ascending order. It packs each chunk once
// and keeps the chunk's dq in scratch. For every chunk it takes the blocks of keys that the chunk
// sees, in ascending order. It computes the block's dk and dv in scratch and adds them to those of
// earlier chunks.
//
// No two units write the same bytes: set 0 writes dq itself, and every other set writes a partial
// sum of its own. The partial sums are added at the end, in the order of the sets. splits is 1 if
// the number of key-value heads of all sequences is a multiple of the number of threads, or at
// least 8 times as large. Only otherwise do the bits depend on the number of threads.
#ifndef MEGASCALE_KERNELS_CPU_ATTENTION_BACKWARD_ONCE_
#define MEGASCALE_KERNELS_CPU_ATTENTION_BACKWARD_ONCE_
namespace megascale::kernels::cpu {

// Returns the number of sets that the key blocks of a head are divided into.
inline std::size_t backward_splits(const AttentionConfig& c) noexcept {
  constexpr std::size_t kUnitsPerThread = 8,
                        kMost = 8;  // 8 uneven units per thread: at most 1/16 idle time
  const std::size_t heads = c.batch * c.kv_heads, blocks = (c.max_keys + kKeyBlock - 1) / kKeyBlock;
  if (c.threads == 1 || heads % c.threads == 0 || heads >= kUnitsPerThread * c.threads) return 1;
  return std::min({(kUnitsPerThread * c.threads + heads - 1) / heads, blocks, kMost});
}

// Query rows that one unit of prepare_rows() takes.
inline constexpr std::size_t kPreparedRows = 64;

// The scratch that all threads share: delta and lse2 (lse in units of log 2) per query row, and the
// partial sums of dq.
struct BackwardShared {
  float *delta, *lse2, *partial;
  BackwardShared(FloatArena& arena, const AttentionConfig& c) noexcept {
    const std::size_t rows = c.batch * c.query_heads * c.max_queries;
    delta = arena.take(rows);
    lse2 = arena.take(rows);
    partial = arena.take((backward_splits(c) - 1) * rows * c.head_size);
  }
};

// The scratch of one thread. p, ds, dq, dk, dv have the meaning of attention.h.
struct BackwardScratch {
  float *keys_transposed, *values_transposed, *keys, *dk, *dv, *queries, *grad_o, *dq, *p, *ds;
  BackwardScratch(FloatArena& arena, const AttentionConfig& c) noexcept {
    const std::size_t padded = padded_head(c.head_size),
                      padded_value = padded_head(value_size_of(c));
    // A tile may reach beyond the last row of a chunk.
    const std::size_t rows = c.query_heads / c.kv_heads * chunk_positions(c) + kTileRows;
    keys_transposed = arena.take(c.head_size * kKeyBlock);
    values_transposed = arena.take(value_size_of(c) * kKeyBlock);
    keys = arena.take(kKeyBlock * padded);
    dk = arena.take(kKeyBlock * padded);
    dv = arena.take(kKeyBlock * padded_value);
    queries = arena.take(rows * padded);
    grad_o = arena.take(rows * padded_value);
    dq = arena.take(rows * padded);
    p = arena.take(kQueryBlock * kKeyBlock);
    ds = arena.take(kQueryBlock * kKeyBlock);
  }
};

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Computes, for one block of query rows of one sequence, delta[r] = sum_d do[r,d] o[r,d] and lse in
// units of log 2. All heads of a row are taken in turn, since they are adjacent in memory.
void prepare_rows(const AttentionConfig& c, const AttentionBackward& run,
                  const BackwardShared& shared, std::size_t batch, std::size_t block) {
  const Tag d;
  const std::size_t size = value_size_of(c), rows = run.in.query_count,
                    end = std::min(rows, (block + 1) * kPreparedRows);
  for (std::size_t r = block * kPreparedRows; r < end; ++r) {
    for (std::size_t head = 0; head < c.query_heads; ++head) {
      const float* o = row_of(run.o, batch, r, head * size);
      const float* grad_o = row_of(run.grad_o, batch, r, head * size);
      Vec sum = hn::Zero(d);
      std::size_t k = 0;
      for (; k + kLanes <= size; k += kLanes)
        sum = hn::MulAdd(hn::LoadU(d, o + k), hn::LoadU(d, grad_o + k), sum);
      float total = hn::GetLane(hn::SumOfLanes(d, sum));
      for (; k < size; ++k) total += o[k] * grad_o[k];
      const std::size_t at = (batch * c.query_heads + head) * rows + r;
      shared.delta[at] = total;
      shared.lse2[at] = run.lse[at] * kLog2E;
    }
  }
}

// A block of queries against a block of keys, with the operands of the backward pass.
struct BackwardBlock : AttentionBlock {
  const float *delta = nullptr, *lse2 = nullptr;      // of the block's first row
  const float *queries = nullptr, *grad_o = nullptr;  // packed, from the block's first row
  float* dq = nullptr;
  BlockDraws draws;
};

// On entry p holds the scores s (in units of log 2) and ds the products dp = do v^T. Replaces them
// by p = 2^(s - lse2) and ds = p (dp - delta). Keys after the first `vectors` vectors get 0.
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

// The same with dropout, whose factors m multiply dp: p = m 2^(s - lse2), ds = 2^(s - lse2) (m dp - delta).
HWY_INLINE void dropped_probabilities(float* p, float* ds, float lse2, float delta,
                                      std::size_t vectors, const RowFactors& factors) {
  const Tag d;
  const Vec shift = hn::Set(d, lse2), mean = hn::Set(d, delta);
  std::size_t v = 0;
  for (; v < vectors; ++v) {
    float *to_p = p + v * kLanes, *to_ds = ds + v * kLanes;
    const Vec probability = exp2_of(hn::Sub(hn::Load(d, to_p), shift)), factor = factors[v];
    hn::Store(hn::Mul(probability, factor), d, to_p);
    hn::Store(hn::Mul(probability, hn::Sub(hn::Mul(hn::Load(d, to_ds), factor), mean)), d, to_ds);
  }
  for (; v < kKeyVectors; ++v) {
    hn::Store(hn::Zero(d), d, p + v * kLanes);
    hn::Store(hn::Zero(d), d, ds + v * kLanes);
  }
}

// row[j] *= factors[j]
HWY_INLINE void multiply_row(float* row, const float* factors, std::size_t vectors) {
  const Tag d;
  for (std::size_t v = 0; v < vectors; ++v) {
    float* at = row + v * kLanes;
    hn::Store(hn::Mul(hn::Load(d, at), hn::Load(d, factors + v * kLanes)), d, at);
  }
}

// dq[r] += sum_j ds[r][j] keys[j] for `rows` of the tile's rows.
HWY_INLINE void add_query_gradient(float* dq, const float* ds, const float* keys,
                                   std::size_t padded, std::size_t key_count, std::size_t rows) {
  for_column_groups(padded / kLanes, [&](std::size_t c, auto width) HWY_ATTR {
    constexpr int kRows = static_cast<int>(kTileRows), kColumns = decltype(width)::value;
    const Tag d;
    Tile<kRows, kColumns> tile;
    clear<kRows, kColumns>(tile);
    multiply_add<kRows, kColumns>(tile, ds, kKeyBlock, 1, keys + c * kLanes, padded, key_count);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      if (static_cast<std::size_t>(r) >= rows) return;
#pragma GCC unroll 8
      for (int k = 0; k < kColumns; ++k) {
        float* to =
            dq + static_cast<std::size_t>(r) * padded + (c + static_cast<std::size_t>(k)) * kLanes;
        hn::Store(hn::Add(hn::Load(d, to), tile[r][k]), d, to);
      }
    }
  });
}

// sums[j] += sum_r weights[r][j] rows[r] for the first kRows keys of a block.
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

// Does the same for all keys of a block. dv and dk are computed in two calls, one after the other:
// the operands of one (weights and rows of a block) fit the first-level cache, those of both do
// not.
HWY_INLINE void add_key_gradients(float* sums, const float* weights, const float* rows,
                                  const AttentionBlock& b, std::size_t padded) {
  constexpr std::size_t kRest = kKeyBlock % kTileRows;
  static_assert(kRest > 0);
  for (std::size_t j = 0; j < b.keys; j += kTileRows) {
    // Query rows before key j do not see it, nor any later key.
    const std::size_t skip = b.key + j > b.first_position ? b.key + j - b.first_position : 0;
    if (skip >= b.rows) break;
    const float *from = weights + skip * kKeyBlock + j, *row = rows + skip * padded;
    if (j + kTileRows <= kKeyBlock) {
      add_key_gradient<kTileRows>(sums + j * padded, from, row, padded, b.rows - skip);
    } else {
      add_key_gradient<kRest>(sums + j * padded, from, row, padded, b.rows - skip);
    }
  }
}

// Adds what one block of queries and one block of keys contribute to dq, dk and dv. Three passes:
// scores and dp; probabilities and ds with masks; gradients.
HWY_INLINE void backward_block(const BackwardBlock& b, const BackwardScratch& s,
                               const AttentionConfig& c) {
  const std::size_t head_size = c.head_size, padded = padded_head(head_size);
  const std::size_t value_size = value_size_of(c), padded_value = padded_head(value_size);
  HWY_ALIGN float slopes[kKeyBlock];          // of the soft cap, for one row
  std::size_t seen[kQueryBlock / kTileRows];  // per tile: keys up to the last one it sees
  const std::size_t tiles = (b.rows + kTileRows - 1) / kTileRows;
  const auto vectors_of = [&](std::size_t t) { return (seen[t] + kLanes - 1) / kLanes; };
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::size_t last = b.first_position + std::min((t + 1) * kTileRows, b.rows) - 1;
    seen[t] = std::min(b.keys, last - b.key + 1);
    row_products<kTileRows>(s.p + t * kTileRows * kKeyBlock, b.queries + t * kTileRows * padded,
                            padded, s.keys_transposed, head_size, vectors_of(t));
  }
  for (std::size_t t = 0; t < tiles; ++t) {
    row_products<kTileRows>(s.ds + t * kTileRows * kKeyBlock,
                            b.grad_o + t * kTileRows * padded_value, padded_value,
                            s.values_transposed, value_size, vectors_of(t));
  }
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::size_t begin = t * kTileRows, end = std::min(begin + kTileRows, b.rows),
                      vectors = vectors_of(t);
    const auto sight = visibility(b.first_position + begin, b.first_position + end - 1, b.key,
                                  b.key + vectors * kLanes, b.window, nullptr);
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t position = b.first_position + r;
      float* p = s.p + r * kKeyBlock;
      if (c.soft_cap > 0) cap_row(p, slopes, vectors, tanh_factor(c));
      if (sight != Visibility::all || b.segments != nullptr) mask_row(p, vectors, b, position);
      float* ds = s.ds + r * kKeyBlock;
      if (b.draws.draws == nullptr) {
        probabilities(p, ds, b.lse2[r], b.delta[r], vectors);
      } else {
        dropped_probabilities(p, ds, b.lse2[r], b.delta[r], vectors, RowFactors(b.draws, r));
      }
      if (c.soft_cap > 0) multiply_row(ds, slopes, vectors);
    }
  }
  add_key_gradients(s.dv, s.p, b.grad_o, b, padded_value);
  add_key_gradients(s.dk, s.ds, b.queries, b, padded);
  for (std::size_t t = 0; t < tiles; ++t) {
    add_query_gradient(b.dq + t * kTileRows * padded, s.ds + t * kTileRows * kKeyBlock, s.keys,
                       padded, seen[t], std::min(kTileRows, b.rows - t * kTileRows));
  }
}

// to[r] = factor * from[r]; with `add`, to[r] += factor * from[r]. `from` is packed, `to` has the
// caller's strides.
HWY_INLINE void write_rows(const TokenRows<float>& to, std::size_t batch, std::size_t row,
                           std::size_t column, const float* from, std::size_t padded,
                           std::size_t rows, std::size_t head_size, float factor, bool add) {
  const Tag d;
  const Vec scale = hn::Set(d, factor);
  for (std::size_t r = 0; r < rows; ++r, from += padded) {
    if (r + kRowsAhead < rows)
      prefetch_row(row_of(to, batch, row + r + kRowsAhead, column), head_size);
    float* out = row_of(to, batch, row + r, column);
    std::size_t k = 0;
    for (; k + kLanes <= head_size; k += kLanes) {
      const Vec before = add ? hn::LoadU(d, out + k) : hn::Zero(d);
      hn::StoreU(hn::MulAdd(scale, hn::Load(d, from + k), before), d, out + k);
    }
    for (; k < head_size; ++k) out[k] = factor * from[k] + (add ? out[k] : 0.0F);
  }
}

// Packs the query rows [from, from + count) of all query heads of a key-value head, and the
// matching rows of grad_o. Clears their dq.
void start_chunk(const AttentionConfig& c, const AttentionBackward& run, const BackwardScratch& s,
                 std::size_t batch, std::size_t kv_head, std::size_t from, std::size_t count) {
  const std::size_t hs = c.head_size, padded = padded_head(hs), group = c.query_heads / c.kv_heads;
  const std::size_t vs = value_size_of(c), padded_value = padded_head(vs);
  for (std::size_t g = 0; g < group; ++g) {
    const std::size_t head = kv_head * group + g, row = g * chunk_positions(c);
    pack_rows(s.queries + row * padded, padded, row_of(run.in.q, batch, from, head * hs),
              run.in.q.row_stride, count, count + kTileRows, hs, 1.0F);
    pack_rows(s.grad_o + row * padded_value, padded_value,
              row_of(run.grad_o, batch, from, head * vs), run.grad_o.row_stride, count,
              count + kTileRows, vs, 1.0F);
    std::memset(s.dq + row * padded, 0, count * padded * sizeof(float));
  }
}

// Runs one unit: the key blocks of set `split` of one key-value head.
void backward_unit(const AttentionConfig& c, const AttentionBackward& run,
                   const BackwardShared& shared, const BackwardScratch& s, std::size_t split,
                   std::size_t splits, std::size_t batch, std::size_t kv_head) {
  const AttentionInputs& in = run.in;
  const std::size_t hs = c.head_size, padded = padded_head(hs), group = c.query_heads / c.kv_heads;
  const std::size_t vs = value_size_of(c), padded_value = padded_head(vs);
  const std::size_t offset = in.key_count - in.query_count, chunk = chunk_positions(c);
  const auto scale = static_cast<float>(scale_of(c));
  const std::int32_t* segments =
      in.segments == nullptr ? nullptr : in.segments + batch * in.segment_batch_stride;
  // Row 0 of query head `g` of this unit in arrays of [batch, query_heads, query_count].
  const auto rows_of_head = [&](std::size_t g) {
    return (batch * c.query_heads + kv_head * group + g) * in.query_count;
  };
  for (std::size_t from = 0; from < in.query_count; from += chunk) {
    const std::size_t count = std::min(chunk, in.query_count - from);
    start_chunk(c, run, s, batch, kv_head, from, count);
    const std::size_t low = offset + from, high = low + count;  // positions of the chunk
    // The first chunk takes all blocks from key 0 on, so that keys that no query sees get the
    // gradient 0.
    const std::size_t first_block =
        from > 0 ? graph::first_visible_key(low, c.window) / kKeyBlock : 0;
    const std::size_t first_of_set = first_block + (split + splits - first_block % splits) % splits;
    for (std::size_t key = first_of_set * kKeyBlock; key < high; key += splits * kKeyBlock) {
      const std::size_t keys = std::min(kKeyBlock, in.key_count - key);
      const float *k = row_of(in.k, batch, key, kv_head * hs),
                  *v = row_of(in.v, batch, key, kv_head * vs);
      pack_transposed(s.keys_transposed, k, in.k.row_stride, keys, hs, key_factor(c));
      pack_transposed(s.values_transposed, v, in.v.row_stride, keys, vs, 1.0F);
      pack_rows(s.keys, padded, k, in.k.row_stride, keys, keys, hs, scale);
      std::memset(s.dk, 0, kKeyBlock * padded * sizeof(float));
      std::memset(s.dv, 0, kKeyBlock * padded_value * sizeof(float));
      const KeySegments key_segments(segments == nullptr ? nullptr : segments + key, keys);
      const std::size_t begin = std::max(key, low);  // positions of queries that see one
      const std::size_t end = graph::end_of_seeing_queries(key + keys - 1, c.window, high);
      for (std::size_t first = begin; first < end; first += kQueryBlock) {
        const std::size_t rows = std::min(kQueryBlock, end - first);
        const auto sight = visibility(first, first + rows - 1, key, key + keys, c.window, segments);
        if (sight == Visibility::none) continue;
        for (std::size_t g = 0; g < group; ++g) {
          const std::size_t head_row = rows_of_head(g) + first - offset,
                            row = g * chunk + first - low;  // in the packed arrays
          backward_block({{first, rows, key, keys, c.window,
                           sight == Visibility::all ? nullptr : segments, key_segments.ids},
                          shared.delta + head_row,
                          shared.lse2 + head_row,
                          s.queries + row * padded,
                          s.grad_o + row * padded_value,
                          s.dq + row * padded,
                          block_draws(in, batch, kv_head * group + g, first, key)},
                         s, c);
        }
      }
      // The first chunk that reaches the block writes dk and dv; later chunks add to them.
      const bool add = std::max(key, offset) < low;
      write_rows(run.dk, batch, key, kv_head * hs, s.dk, padded, keys, hs, scale, add);
      write_rows(run.dv, batch, key, kv_head * vs, s.dv, padded_value, keys, vs, 1.0F, add);
    }
    const std::size_t all_rows = c.batch * c.query_heads * in.query_count;
    for (std::size_t g = 0; g < group; ++g) {
      const float* dq = s.dq + g * chunk * padded;
      if (split == 0) {
        write_rows(run.dq, batch, from, (kv_head * group + g) * hs, dq, padded, count, hs, 1.0F,
                   false);
      } else {
        float* partial = shared.partial + ((split - 1) * all_rows + rows_of_head(g)) * hs;
        write_rows({partial, hs, 0}, 0, from, 0, dq, padded, count, hs, 1.0F, false);
      }
    }
  }
}

// Adds the partial sums of one sequence and query head to dq, in the order of the sets.
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
  const std::size_t row_blocks = (run.in.query_count + kPreparedRows - 1) / kPreparedRows;
  for_each_unit(config.batch * row_blocks, threads, [&](std::size_t unit, std::size_t) {
    rows_of(config, run, shared, unit / row_blocks, unit % row_blocks);
  });
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
