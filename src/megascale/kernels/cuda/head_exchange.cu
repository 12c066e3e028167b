// The copies as grid-stride loops over packs of up to 16 bytes. Each thread computes, from the
// index of a pack in the destination (for sequences: in the blocks), where the pack is in the
// source.
#include <numeric>

#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/head_exchange.h"

namespace megascale::kernels::cuda {
namespace {

// The layout of HeadExchange in packs. `size` and `value` are those of a head.
struct Heads {
  std::size_t tokens, heads, groups, size, value, ranks;
  __device__ std::size_t shared() const {  // key-value heads of a block
    return groups == 0 ? 0 : (groups >= ranks ? groups / ranks : 1);
  }
  __device__ std::size_t first_group(std::size_t rank) const {
    return groups >= ranks ? rank * (groups / ranks) : rank / (ranks / groups);
  }
  // The queries and the keys of a block; a block; a row.
  __device__ std::size_t queries() const { return heads / ranks * size; }
  __device__ std::size_t keys() const { return shared() * size; }
  __device__ std::size_t block() const { return queries() + keys() + shared() * value; }
  constexpr std::size_t row() const { return heads * size + groups * (size + value); }
  // Returns which pack of a token's row is pack c of block `rank`.
  __device__ std::size_t source(std::size_t rank, std::size_t c) const {
    if (c < queries()) return rank * queries() + c;
    const std::size_t rest = c - queries(), group = first_group(rank);
    if (rest < keys()) return (heads + group) * size + rest;
    return (heads + groups) * size + group * value + rest - keys();
  }
};

template <class T, int kWidth>
__global__ void split_heads_kernel(Heads a, const Pack<T, kWidth>* rows, Pack<T, kWidth>* blocks) {
  const std::size_t width = a.block(), count = a.ranks * a.tokens * width;
  for (std::size_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::size_t c = i % width, n = i / width;
    const std::size_t rank = n / a.tokens, token = n % a.tokens;
    blocks[i] = rows[token * a.row() + a.source(rank, c)];
  }
}

template <class T, int kWidth>
__global__ void join_heads_kernel(Heads a, const Pack<T, kWidth>* blocks, Pack<T, kWidth>* rows) {
  const std::size_t width = a.row(), count = a.tokens * width;
  for (std::size_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::size_t c = i % width, token = i / width;
    std::size_t first_rank = 0, ranks = 1, in_block = 0;
    if (c < a.heads * a.size) {
      first_rank = c / a.queries();
      in_block = c % a.queries();
    } else {
      const std::size_t first_value = (a.heads + a.groups) * a.size;
      const bool is_key = c < first_value;
      const std::size_t size = is_key ? a.size : a.value,
                        rest = c - (is_key ? a.heads * a.size : first_value), group = rest / size;
      if (a.groups >= a.ranks) {
        first_rank = group / a.shared();
      } else {
        ranks = a.ranks / a.groups;
        first_rank = group * ranks;
      }
      in_block = a.queries() + (is_key ? 0 : a.keys()) + group % a.shared() * size + rest % size;
    }
    float sum[kWidth];
    Pack<T, kWidth> pack{};
    for (std::size_t r = 0; r < ranks; ++r) {
      pack = blocks[((first_rank + r) * a.tokens + token) * a.block() + in_block];
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
  return {a.tokens, a.heads, a.groups, a.head_size / width, value_size_of(a) / width, a.ranks};
}
// A pack holds elements of one head, so its width divides both sizes.
std::size_t common_size(const HeadExchange& a) { return std::gcd(a.head_size, value_size_of(a)); }

void exchange_sequences(const SequenceExchange& a, bool split, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    const std::size_t row = a.channels / width.value;
    launch(sequences_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.sequences * a.length * row), stream, a, row, split);
  });
}

}  // namespace

void split_heads(const HeadExchange& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, common_size(a), [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const Heads heads = heads_of(a, width.value);
    launch(split_heads_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * heads.row()), stream, heads, static_cast<const P*>(a.from),
           static_cast<P*>(a.to));
  });
}

void join_heads(const HeadExchange& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, common_size(a), [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const Heads heads = heads_of(a, width.value);
    launch(join_heads_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * heads.row()), stream, heads, static_cast<const P*>(a.from),
           static_cast<P*>(a.to));
  });
}

void split_sequences(const SequenceExchange& a, CUstream_st* stream) noexcept {
  exchange_sequences(a, true, stream);
}
void join_sequences(const SequenceExchange& a, CUstream_st* stream) noexcept {
  exchange_sequences(a, false, stream);
}

}  // namespace megascale::kernels::cuda
