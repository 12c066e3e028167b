// The copies as grid-stride loops over packs of up to 16 bytes. Each thread computes, from the
// index of a pack in the destination (for sequences: in the blocks), where the pack is in the
// source.
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/head_exchange.h"

namespace megascale::kernels::cuda {
namespace {

// The layout of HeadExchange. Rows and blocks are counted in heads, `size` is a head in packs.
struct Heads {
  std::size_t tokens, heads, groups, size, ranks;
  __device__ std::size_t query() const { return heads / ranks; }
  __device__ std::size_t shared() const {  // key-value heads of a block
    return groups == 0 ? 0 : (groups >= ranks ? groups / ranks : 1);
  }
  __device__ std::size_t first_group(std::size_t rank) const {
    return groups >= ranks ? rank * (groups / ranks) : rank / (ranks / groups);
  }
  __device__ std::size_t row() const { return heads + 2 * groups; }
  __device__ std::size_t block() const { return query() + 2 * shared(); }
  // Returns which head of a token's row is head h of block `rank`.
  __device__ std::size_t source(std::size_t rank, std::size_t h) const {
    if (h < query()) return rank * query() + h;
    const std::size_t kind = (h - query()) / shared(), g = (h - query()) % shared();
    return heads + kind * groups + first_group(rank) + g;
  }
};

template <class T, int kWidth>
__global__ void split_heads_kernel(Heads a, const Pack<T, kWidth>* rows, Pack<T, kWidth>* blocks) {
  const std::size_t count = a.ranks * a.tokens * a.block() * a.size;
  for (std::size_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::size_t c = i % a.size, h = i / a.size % a.block(), n = i / a.size / a.block();
    const std::size_t rank = n / a.tokens, token = n % a.tokens;
    blocks[i] = rows[(token * a.row() + a.source(rank, h)) * a.size + c];
  }
}

template <class T, int kWidth>
__global__ void join_heads_kernel(Heads a, const Pack<T, kWidth>* blocks, Pack<T, kWidth>* rows) {
  const std::size_t count = a.tokens * a.row() * a.size;
  for (std::size_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::size_t c = i % a.size, h = i / a.size % a.row(), token = i / a.size / a.row();
    std::size_t first_rank = 0, ranks = 1, in_block = 0;
    if (h < a.heads) {
      first_rank = h / a.query();
      in_block = h % a.query();
    } else {
      const std::size_t kind = (h - a.heads) / a.groups, group = (h - a.heads) % a.groups;
      if (a.groups >= a.ranks) {
        first_rank = group / a.shared();
      } else {
        ranks = a.ranks / a.groups;
        first_rank = group * ranks;
      }
      in_block = a.query() + kind * a.shared() + group % a.shared();
    }
    float sum[kWidth];
    Pack<T, kWidth> pack{};
    for (std::size_t r = 0; r < ranks; ++r) {
      pack = blocks[(((first_rank + r) * a.tokens + token) * a.block() + in_block) * a.size + c];
      for (int k = 0; k < kWidth; ++k)
        sum[k] = r == 0 ? to_float(pack.at[k]) : sum[k] + to_float(pack.at[k]);
    }
    for (int k = 0; k < kWidth; ++k) pack.at[k] = from_float<T>(sum[k]);
    rows[i] = pack;
  }
}

// `width`: packs in a row. split: rows -> blocks; otherwise blocks -> rows. The loop index runs
// over the packs of the blocks.
template <class T, int kWidth>
__global__ void sequences_kernel(SequenceExchange a, std::size_t width, bool split) {
  const auto* from = static_cast<const Pack<T, kWidth>*>(a.from);
  auto* to = static_cast<Pack<T, kWidth>*>(a.to);
  const std::size_t share = a.length / a.ranks;
  for (std::size_t i = grid_thread(); i < a.sequences * a.length * width; i += grid_threads()) {
    const std::size_t c = i % width, t = i / width % share, b = i / width / share % a.sequences,
                      rank = i / width / share / a.sequences;
    const std::size_t row = (b * a.length + rank * share + t) * width + c;
    if (split) {
      to[i] = from[row];
    } else {
      to[row] = from[i];
    }
  }
}

Heads heads_of(const HeadExchange& a, std::size_t width) {
  return {a.tokens, a.heads, a.groups, a.head_size / width, a.ranks};
}

void exchange_sequences(const SequenceExchange& a, bool split, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    const std::size_t row = a.channels / width.value;
    launch(sequences_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.sequences * a.length * row), stream, a, row, split);
  });
}

}  // namespace

void split_heads(const HeadExchange& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.head_size, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    launch(split_heads_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * (a.heads + 2 * a.groups) * a.head_size / width.value), stream,
           heads_of(a, width.value), static_cast<const P*>(a.from), static_cast<P*>(a.to));
  });
}

void join_heads(const HeadExchange& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.head_size, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    launch(join_heads_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * (a.heads + 2 * a.groups) * a.head_size / width.value), stream,
           heads_of(a, width.value), static_cast<const P*>(a.from), static_cast<P*>(a.to));
  });
}

void split_sequences(const SequenceExchange& a, CUstream_st* stream) noexcept {
  exchange_sequences(a, true, stream);
}
void join_sequences(const SequenceExchange& a, CUstream_st* stream) noexcept {
  exchange_sequences(a, false, stream);
}

}  // namespace megascale::kernels::cuda
