#ifndef MEGASCALE_KERNELS_CPU_ATTENTION_WORK_H_
#define MEGASCALE_KERNELS_CPU_ATTENTION_WORK_H_

// How attention is divided into blocks and units of work. Only the sources of attention include it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "megascale/graph/sliding_window.h"
#include "megascale/kernels/cpu/attention.h"

namespace megascale::kernels::cpu {

// Keys in a block. At 64 keys and head size 64, K transposed and V of a block take 16 KiB each,
// half of a 32 KiB first-level cache.
inline constexpr std::size_t kKeyBlock = 64;
inline constexpr std::size_t kTileRows = 6;                // query rows of a register tile
inline constexpr std::size_t kQueryBlock = 8 * kTileRows;  // query rows of a block

inline constexpr float kLog2E = 1.44269504088896341F;
inline constexpr float kLn2 = 0.69314718055994531F;

// Rounds `value` up to a multiple of `multiple`.
[[nodiscard]] constexpr std::size_t round_up(std::size_t value, std::size_t multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}
// Rows in scratch are padded to whole vectors of every target.
[[nodiscard]] constexpr std::size_t padded_head(std::size_t head_size) noexcept {
  return round_up(head_size, 16);
}

// Returns how many query positions a unit works on at a time, a multiple of kQueryBlock. The chunk
// is as large as possible while each operand, over all query heads of one key-value head, takes at
// most 256 KiB (unless one block is larger). Large chunks pay since rows of the callers' tensors
// lie pages apart: each row that is read costs a walk of the page table, and a block of keys is
// read once per chunk.
[[nodiscard]] inline std::size_t chunk_positions(const AttentionConfig& c) noexcept {
  constexpr std::size_t kFloats = std::size_t{64} << 10;
  const std::size_t group = c.query_heads / c.kv_heads,
                    most = kFloats / (group * padded_head(std::max(c.head_size, value_size_of(c))));
  return round_up(std::clamp<std::size_t>(most, 1, c.max_queries), kQueryBlock);
}

// Returns the factor of the scores.
[[nodiscard]] inline double scale_of(const AttentionConfig& c) noexcept {
  return c.scale > 0 ? c.scale : 1.0 / std::sqrt(static_cast<double>(c.head_size));
}
// Returns the factor of packed keys. Products of queries with such keys are the scores in units of
// log 2; with a soft cap they are the arguments of tanh.
[[nodiscard]] inline float key_factor(const AttentionConfig& c) noexcept {
  if (c.soft_cap > 0) return static_cast<float>(scale_of(c) / c.soft_cap);
  return static_cast<float>(scale_of(c)) * kLog2E;
}
// Returns the factor of tanh in the scores in units of log 2; 0 without a soft cap.
[[nodiscard]] inline float tanh_factor(const AttentionConfig& c) noexcept {
  return static_cast<float>(c.soft_cap) * kLog2E;
}

// Estimates the FLOPs of a forward run, to decide how many threads are worth starting. The estimate
// includes the window, but neither the causal mask nor documents. It is no model of cost: reports
// and the simulator take FLOPs from the op (graph/ops/attention.cpp).
[[nodiscard]] inline double visible_flops(const AttentionConfig& c,
                                          const AttentionInputs& in) noexcept {
  const auto keys = static_cast<double>(graph::most_visible_keys(in.key_count, c.window));
  return 2.0 * keys *
         static_cast<double>(in.query_count * c.batch * c.query_heads *
                             (c.head_size + value_size_of(c)));
}

// Returns the address of a feature: `column` of row `row` of sequence `batch`.
template <class T>
[[nodiscard]] T* row_of(const TokenRows<T>& rows, std::size_t batch, std::size_t row,
                        std::size_t column) noexcept {
  return rows.data + batch * rows.batch_stride + row * rows.row_stride + column;
}

// How many rows ahead of the one it reads or writes a packing loop prefetches. A page walk and a
// read from memory together take about as long as eight rows.
inline constexpr std::size_t kRowsAhead = 16;
inline void prefetch_row(const float* row, std::size_t count) noexcept {
  constexpr std::size_t kLine = 64 / sizeof(float);
  for (std::size_t i = 0; i < count; i += kLine) __builtin_prefetch(row + i);
}

// Prefetches the rows that will be packed next, one row per call of ask(), so that the reads
// overlap with other work.
class ComingRows {
 public:
  ComingRows(const float* first, std::size_t stride, std::size_t count, std::size_t width) noexcept
      : row_(first), stride_(stride), left_(count), width_(width) {}
  void ask() noexcept {
    if (left_ == 0) return;
    prefetch_row(row_, width_);
    row_ += stride_;
    --left_;
  }

 private:
  const float* row_;
  std::size_t stride_, left_, width_;
};

// Divides scratch into arrays, each aligned to 64 bytes. With a null base it only counts, which
// gives the size of the scratch.
class FloatArena {
 public:
  explicit FloatArena(float* base) noexcept : base_(base) {}
  float* take(std::size_t count) noexcept {
    float* part = base_ == nullptr ? nullptr : base_ + used_;
    used_ += round_up(count, 16);
    return part;
  }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }

 private:
  float* base_;
  std::size_t used_ = 0;
};

// The lowest and highest document id of a range of tokens. Two ranges with disjoint ids cannot see
// each other; if both consist of one and the same id, they need no mask for documents.
struct SegmentRange {
  std::int32_t low, high;
};
[[nodiscard]] inline SegmentRange segment_range(const std::int32_t* ids,
                                                std::size_t count) noexcept {
  SegmentRange range{ids[0], ids[0]};
  for (std::size_t i = 1; i < count; ++i)
    range = {std::min(range.low, ids[i]), std::max(range.high, ids[i])};
  return range;
}

// The document ids of a block of keys, padded to kKeyBlock: masks load whole vectors, which must
// not reach beyond the caller's array.
struct KeySegments {
  alignas(64) std::int32_t ids[kKeyBlock];
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): without documents nobody reads them
  KeySegments(const std::int32_t* from, std::size_t keys) noexcept {
    if (from != nullptr) std::fill(std::copy_n(from, keys, ids), ids + kKeyBlock, 0);
  }
};

// Returns which pairs of queries at positions [first, last] and keys [key, key_end) are visible.
// none: skip the block. all: no mask is needed. some: a mask is needed.
enum class Visibility : std::uint8_t { none, some, all };
[[nodiscard]] inline Visibility visibility(std::size_t first, std::size_t last, std::size_t key,
                                           std::size_t key_end, std::size_t window,
                                           const std::int32_t* segments) noexcept {
  if (key > last || key_end <= graph::first_visible_key(first, window)) return Visibility::none;
  bool all = key_end - 1 <= first && key >= graph::first_visible_key(last, window);
  if (segments != nullptr) {
    const SegmentRange queries = segment_range(segments + first, last - first + 1);
    const SegmentRange keys = segment_range(segments + key, key_end - key);
    if (queries.high < keys.low || keys.high < queries.low) return Visibility::none;
    all = all && queries.low == keys.high && queries.high == keys.low;
  }
  return all ? Visibility::all : Visibility::some;
}

// A block of queries and a block of keys whose scores are computed together.
struct AttentionBlock {
  std::size_t first_position = 0, rows = 0;  // of the queries
  std::size_t key = 0, keys = 0;             // first key and number of keys
  std::size_t window = 0;
  // Of this sequence, by position; null if documents need no mask here.
  const std::int32_t* segments = nullptr;
  const std::int32_t* key_segments = nullptr;  // of this block's keys, padded
};

// The draws of dropout for a block of queries and a block of keys.
struct BlockDraws {
  const DropoutDraws* draws = nullptr;  // null: no dropout
  std::uint64_t row = 0;                // number of the block's first query
  std::uint64_t groups = 1, group = 0;  // blocks of keys: all of them, and this one
};
// `position` is that of the first query, `key` the first key of the block.
[[nodiscard]] inline BlockDraws block_draws(const AttentionInputs& in, std::size_t batch,
                                            std::size_t head, std::size_t position,
                                            std::size_t key) noexcept {
  const AttentionDropout& dropout = in.dropout;
  if (dropout.draws.rate == 0) return {};
  const std::uint64_t row =
      static_cast<std::uint64_t>(dropout.sample[batch]) * dropout.heads + dropout.first_head + head;
  return {&dropout.draws, row * in.key_count + position, (in.key_count + kKeyBlock - 1) / kKeyBlock,
          key / kKeyBlock};
}

// Aborts if a run breaks the contract of attention.h.
void check_attention_run(const AttentionConfig& config, const AttentionInputs& in,
                         const std::byte* scratch) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_ATTENTION_WORK_H_
