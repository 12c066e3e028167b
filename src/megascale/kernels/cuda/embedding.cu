// Embedding and its gradient. The gradient must not depend on timing, so it uses no atomic
// additions. Instead tokens are sorted by their row of the table, and cut into runs of equal length,
// so that all thread blocks have equal work however often a token occurs. A block adds the rows of
// dy of its run in order. A second kernel adds up rows whose tokens lie in several runs.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/embedding.h"
#include "megascale/kernels/cuda/sort_tokens.h"

namespace megascale::kernels::cuda {
namespace {

// `width`: packs in a row.
template <class T, int kWidth>
__global__ void embedding_kernel(Embedding a, std::size_t width) {
  using P = Pack<T, kWidth>;
  const P* table = static_cast<const P*>(a.table);
  const P* position_table = static_cast<const P*>(a.position_table);
  const std::size_t packs = counted_rows(a.counted, a.tokens) * width;
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    const std::size_t n = i / width, c = i % width;
    const long long row = a.token[n] - static_cast<long long>(a.vocab_start);
    const bool here = row >= 0 && row < static_cast<long long>(a.vocab_count);
    P sum;
    if (here) {
      sum = table[static_cast<std::size_t>(row) * width + c];
    } else {
      for (int k = 0; k < kWidth; ++k) sum.at[k] = from_float<T>(0.0F);
    }
    if (a.position != nullptr) {
      const P other = position_table[static_cast<std::size_t>(a.position[n]) * width + c];
      for (int k = 0; k < kWidth; ++k)
        sum.at[k] = from_float<T>(to_float(sum.at[k]) + to_float(other.at[k]));
    }
    static_cast<P*>(a.y)[i] = sum;
  }
}

constexpr unsigned kThreads = 128;  // a pack of columns each
constexpr unsigned kBatch = 8;      // loads of dy that a thread has in flight

// The sums of a run: of its tokens with the row that the run before ended with, and of those with
// the row that the next run begins with. A row that has tokens in one run only needs neither.
enum Part : unsigned { kOfRowBefore, kOfLastRow, kParts };

template <class T, int kWidth>
struct Gradient {
  std::size_t tokens, vocab_count, width;  // width: packs in a row
  TokenOrder order;
  const Pack<T, kWidth>* dy;
  Pack<float, kWidth>*table, *parts;  // parts[runs][kParts][width]
  bool accumulate;

  [[nodiscard]] __device__ Pack<float, kWidth>& part(std::size_t run, Part which,
                                                     std::size_t i) const {
    return parts[(run * kParts + which) * width + i];
  }
  __device__ void store(std::uint32_t row, std::size_t i, const Pack<float, kWidth>& sum) const {
    Pack<float, kWidth>& place = table[row * width + i];
    if (!accumulate) {
      place = sum;
      return;
    }
    Pack<float, kWidth> old = place;
    for (int k = 0; k < kWidth; ++k) old.at[k] += sum.at[k];
    place = old;
  }
};

// Block x adds the tokens of run x in order, for the y-th group of columns.
template <class T, int kWidth>
__global__ void __launch_bounds__(kThreads) add_runs_kernel(Gradient<T, kWidth> g) {
  __shared__ std::uint32_t rows[kEmbeddingRun + 2];  // with one neighbour on each side
  __shared__ std::uint32_t tokens[kEmbeddingRun];
  static_assert(kEmbeddingRun + 2 <= kThreads);
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kEmbeddingRun;
  const auto none = static_cast<std::uint32_t>(g.vocab_count);
  if (threadIdx.x < kEmbeddingRun + 2) {
    const std::size_t place = first + threadIdx.x;  // one too high
    const bool is_token = place >= 1 && place - 1 < g.tokens;
    rows[threadIdx.x] = is_token ? g.order.row[place - 1] : none;
    if (threadIdx.x < kEmbeddingRun && place < g.tokens) tokens[threadIdx.x] = g.order.token[place];
  }
  __syncthreads();
  const std::size_t i = static_cast<std::size_t>(blockIdx.y) * kThreads + threadIdx.x;
  if (i >= g.width) return;
  const std::uint32_t* row = rows + 1;
  Part unfinished = rows[0] == row[0] ? kOfRowBefore : kOfLastRow;
  Pack<float, kWidth> sum = {};
  for (unsigned begin = 0; begin < kEmbeddingRun; begin += kBatch) {
    Pack<T, kWidth> values[kBatch];
#pragma unroll
    for (unsigned f = 0; f < kBatch; ++f) {
      if (row[begin + f] == none) break;
      values[f] = g.dy[tokens[begin + f] * g.width + i];
    }
#pragma unroll
    for (unsigned f = 0; f < kBatch; ++f) {
      const std::uint32_t here = row[begin + f], next = row[begin + f + 1];
      if (here == none) return;
      for (int k = 0; k < kWidth; ++k) sum.at[k] += to_float(values[f].at[k]);
      if (next == here && begin + f + 1 < kEmbeddingRun) continue;
      if (next != here && unfinished == kOfLastRow) {
        g.store(here, i, sum);
      } else {
        g.part(blockIdx.x, unfinished, i) = sum;
      }
      unfinished = kOfLastRow;
      sum = {};
    }
  }
}

// Block x adds the parts of the row that begins in run x and goes on in the next one, if there is
// such a row, in the order of the runs.
template <class T, int kWidth>
__global__ void __launch_bounds__(kThreads) join_runs_kernel(Gradient<T, kWidth> g) {
  const std::size_t run = blockIdx.x, first = run * kEmbeddingRun, next = first + kEmbeddingRun;
  const std::size_t i = static_cast<std::size_t>(blockIdx.y) * kThreads + threadIdx.x;
  if (i >= g.width || next >= g.tokens) return;
  const std::uint32_t row = g.order.row[next];
  if (row == g.vocab_count || g.order.row[next - 1] != row) return;
  if (first > 0 && g.order.row[first - 1] == row) return;  // it begins earlier
  std::size_t end = next + 1, limit = g.tokens;            // the first place with a larger row
  while (end < limit) {
    const std::size_t middle = (end + limit) / 2;
    if (g.order.row[middle] == row) {
      end = middle + 1;
    } else {
      limit = middle;
    }
  }
  Pack<float, kWidth> sum = g.part(run, kOfLastRow, i);
#pragma unroll 8
  for (std::size_t other = run + 1; other * kEmbeddingRun < end; ++other) {
    const Pack<float, kWidth> part = g.part(other, kOfRowBefore, i);
    for (int k = 0; k < kWidth; ++k) sum.at[k] += part.at[k];
  }
  g.store(row, i, sum);
}

template <int kWidth>
__global__ void clear_table_kernel(std::size_t packs, Pack<float, kWidth>* table) {
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) table[i] = {};
}

template <class T, int kWidth>
void launch_gradient(const EmbeddingGradient& a, CUstream_st* stream) {
  using Sums = Pack<float, kWidth>;
  const std::size_t width = a.channels / kWidth, packs = a.vocab_count * width;
  auto* table = reinterpret_cast<Sums*>(a.table_gradient);
  if (!a.accumulate) launch(clear_table_kernel<kWidth>, grid_for(packs), stream, packs, table);
  if (a.tokens == 0) return;
  std::byte* sorted = a.scratch + embedding_parts_bytes(a.tokens, a.channels);
  const TokenOrder order = sort_tokens({.tokens = a.tokens,
                                        .counted = a.counted,
                                        .index = a.index,
                                        .vocab_start = a.vocab_start,
                                        .vocab_count = a.vocab_count,
                                        .scratch = sorted},
                                       stream);
  const Gradient<T, kWidth> g{.tokens = a.tokens,
                              .vocab_count = a.vocab_count,
                              .width = width,
                              .order = order,
                              .dy = static_cast<const Pack<T, kWidth>*>(a.dy),
                              .table = table,
                              .parts = reinterpret_cast<Sums*>(a.scratch),
                              .accumulate = a.accumulate};
  const LaunchShape shape{.grid = dim3(static_cast<unsigned>(embedding_runs(a.tokens)),
                                       static_cast<unsigned>((width + kThreads - 1) / kThreads)),
                          .block = kThreads};
  launch(add_runs_kernel<T, kWidth>, shape, stream, g);
  launch(join_runs_kernel<T, kWidth>, shape, stream, g);
}

}  // namespace

void embedding_forward(const Embedding& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    const std::size_t row = a.channels / width.value;
    launch(embedding_kernel<decltype(element), decltype(width)::value>, grid_for(a.tokens * row),
           stream, a, row);
  });
}

void embedding_gradient(const EmbeddingGradient& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    launch_gradient<decltype(element), decltype(width)::value>(a, stream);
  });
}

}  // namespace megascale::kernels::cuda
