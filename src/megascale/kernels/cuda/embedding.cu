// Embedding and its gradient. The gradient must not depend on timing, so it uses no atomic
// additions. Instead each thread block owns 32 rows x 256 columns of the table and reads all
// indices: it lists the tokens of its rows, in order, and adds their rows of dy to sums in shared
// memory.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/embedding.h"

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

constexpr unsigned kRows = 32, kColumns = 256;  // of the table, per block; one thread per column
constexpr unsigned kTile = 256;                 // indices that are read at a time, one per thread
constexpr unsigned kBatch = 8;                  // loads of dy that a thread has in flight

// A block keeps kRows x kColumns sums in shared memory and goes over all tokens in order. A column
// belongs to one thread, so the sums need no barrier.
template <class T>
__global__ void embedding_gradient_kernel(EmbeddingGradient a) {
  float* sums = reinterpret_cast<float*>(dynamic_shared());  // [kRows][kColumns]
  __shared__ int found_token[kTile];
  __shared__ int found_row[kTile];
  __shared__ unsigned found_of_warp[kTile / 32];
  const unsigned me = threadIdx.x, lane = me % 32, warp = me / 32;
  const std::size_t column = static_cast<std::size_t>(blockIdx.y) * kColumns + me;
  const long long first_row = static_cast<long long>(blockIdx.x) * kRows;
  const bool counts = column < a.channels;
  const T* dy = static_cast<const T*>(a.dy);
  for (unsigned r = 0; r < kRows; ++r) sums[r * kColumns + me] = 0;
  static_assert(kRows <= 32);
  unsigned touched = 0;  // bit r: a token has row r
  const std::size_t tokens = counted_rows(a.counted, a.tokens);
  for (std::size_t tile = 0; tile < tokens; tile += kTile) {
    // Lists the tokens of this tile whose rows belong to the block, in order.
    const std::size_t n = tile + me;
    long long row = -1;
    if (n < tokens) row = a.index[n] - static_cast<long long>(a.vocab_start) - first_row;
    const bool mine = row >= 0 && row < static_cast<long long>(kRows);
    const unsigned votes = __ballot_sync(~0U, mine);
    if (lane == 0) found_of_warp[warp] = __popc(votes);
    __syncthreads();
    unsigned before = 0, all = 0;
    for (unsigned w = 0; w < kTile / 32; ++w) {
      if (w < warp) before += found_of_warp[w];
      all += found_of_warp[w];
    }
    if (mine) {
      const unsigned place = before + __popc(votes & ((1U << lane) - 1U));
      found_token[place] = static_cast<int>(me);
      found_row[place] = static_cast<int>(row);
    }
    __syncthreads();
    if (counts) {
      for (unsigned begin = 0; begin < all; begin += kBatch) {
        float values[kBatch];
#pragma unroll
        for (unsigned f = 0; f < kBatch; ++f) {
          if (begin + f >= all) break;
          const std::size_t token = tile + static_cast<std::size_t>(found_token[begin + f]);
          values[f] = to_float(dy[token * a.channels + column]);
        }
#pragma unroll
        for (unsigned f = 0; f < kBatch; ++f) {
          if (begin + f >= all) break;
          const auto found = static_cast<unsigned>(found_row[begin + f]);
          sums[found * kColumns + me] += values[f];
          touched |= 1U << found;
        }
      }
    }
    __syncthreads();  // all threads have read the lists, which the next tile overwrites
  }
  if (!counts) return;
  for (unsigned r = 0; r < kRows; ++r) {
    const std::size_t v = static_cast<std::size_t>(first_row) + r;
    if (v >= a.vocab_count) break;
    if (a.accumulate && (touched >> r & 1U) == 0) continue;
    float* place = a.table_gradient + v * a.channels + column;
    *place = a.accumulate ? *place + sums[r * kColumns + me] : sums[r * kColumns + me];
  }
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
  with_storage(a.dtype, [&](auto element) {
    const dim3 grid(static_cast<unsigned>((a.vocab_count + kRows - 1) / kRows),
                    static_cast<unsigned>((a.channels + kColumns - 1) / kColumns));
    launch(embedding_gradient_kernel<decltype(element)>,
           {.grid = grid, .block = kTile, .shared_nbytes = sizeof(float) * kRows * kColumns},
           stream, a);
  });
}

}  // namespace megascale::kernels::cuda
