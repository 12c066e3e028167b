// RMSNorm of query and key heads. A warp takes one norm of one token at a time. It reads its
// channels twice, the second time from the cache.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/head_norm.h"

namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kWarp = 32;

// A piece of a token's row: the channels of a norm, or values, which are copied. In packs of kWidth
// elements.
template <int kWidth>
struct Piece {
  std::size_t first, width;  // of the row, of the piece
  bool is_query, is_value;
  __device__ Piece(const HeadNormShape& s, std::size_t number) {
    const std::size_t queries = s.query_norms(), head = s.head_size / kWidth;
    is_query = number < queries;
    is_value = number >= s.norms();
    width = (is_query ? s.query_channels() : s.key_channels()) / kWidth;
    first = is_query ? number * width : s.query_heads * head + (number - queries) * width;
  }
};
template <int kWidth>
__device__ std::size_t row_packs(const HeadNormShape& s) {
  return (s.query_heads + 2 * s.key_heads) * s.head_size / kWidth;
}

// Returns the sum of all ranks for norm `number` of token n, in rank order, if there are several, else `own`.
__device__ float sum_of_ranks(const HeadNormShape& a, const float* all, std::size_t n,
                              std::size_t number, float own) {
  if (a.ranks == 1) return own;
  float sum = 0;
  for (std::size_t r = 0; r < a.ranks; ++r) sum += all[(r * a.tokens + n) * a.norms() + number];
  return sum;
}

// Returns the sum of squares of the packs x of a norm, in all threads of the warp.
template <class P>
__device__ float sum_of_squares(const P* x, std::size_t width) {
  float squares = 0;
  for (std::size_t i = threadIdx.x % kWarp; i < width; i += kWarp) {
    const P pack = x[i];
    for (const auto& value : pack.at) squares += to_float(value) * to_float(value);
  }
  return warp_sum(squares);
}

template <class T, int kWidth>
__global__ void head_norm_kernel(HeadNorm a) {
  using P = Pack<T, kWidth>;
  const unsigned lane = threadIdx.x % kWarp;
  const std::size_t pieces = a.pieces(), row = row_packs<kWidth>(a);
  const std::size_t items = counted_rows(a.counted, a.tokens) * pieces;
  for (std::size_t item = grid_thread() / kWarp; item < items; item += grid_threads() / kWarp) {
    const std::size_t n = item / pieces, number = item % pieces;
    const Piece<kWidth> piece(a, number);
    const P* x = static_cast<const P*>(a.x) + n * row + piece.first;
    P* y = static_cast<P*>(a.y) + n * row + piece.first;
    if (piece.is_value) {
      for (std::size_t i = lane; y != x && i < piece.width; i += kWarp) y[i] = x[i];
      continue;
    }
    const P* gamma = static_cast<const P*>(piece.is_query ? a.query_gamma : a.key_gamma);
    const float own = a.ranks == 1 ? sum_of_squares(x, piece.width) : 0;
    const float squares = sum_of_ranks(a, a.squares, n, number, own);
    const auto channels = static_cast<float>(piece.width * kWidth * a.ranks);
    const float rstd = 1.0F / sqrtf(squares / channels + a.eps);
    for (std::size_t i = lane; i < piece.width; i += kWarp) {
      P pack = x[i];
      const P scale = gamma[i];
      for (int k = 0; k < kWidth; ++k) {
        const float factor = to_float(scale.at[k]) + a.gamma_offset;
        pack.at[k] = from_float<T>(to_float(pack.at[k]) * rstd * factor);
      }
      y[i] = pack;
    }
    if (lane == 0) a.rstd[n * a.norms() + number] = rstd;
  }
}

// Writes dx of norm `number` of token n, whose channels begin at pack `first` of the tensor, and adds its terms to
// `dgamma`, the sums of this warp for the norm's kind: element k of pack i at k * width + i. Each
// is used by one thread only.
template <class T, int kWidth>
__device__ void gradient_of_norm(const HeadNormGradient& a, std::size_t first, std::size_t width,
                                 const void* weights, float rstd, std::size_t n, std::size_t number,
                                 float* dgamma) {
  using P = Pack<T, kWidth>;
  const unsigned lane = threadIdx.x % kWarp;
  const P* x = static_cast<const P*>(a.x) + first;
  const P* dy = static_cast<const P*>(a.dy) + first;
  const P* gamma = static_cast<const P*>(weights);
  P* dx = static_cast<P*>(a.dx) + first;
  float sum = 0;  // of g z
  for (std::size_t i = lane; i < width; i += kWarp) {
    const P d = dy[i], v = x[i], scale = gamma[i];
    for (int k = 0; k < kWidth; ++k) {
      const float z = to_float(v.at[k]) * rstd;
      sum += to_float(d.at[k]) * (to_float(scale.at[k]) + a.gamma_offset) * z;
      dgamma[k * width + i] += to_float(d.at[k]) * z;
    }
  }
  const float mean = sum_of_ranks(a, a.products, n, number, warp_sum(sum)) /
                     static_cast<float>(width * kWidth * a.ranks);
  for (std::size_t i = lane; i < width; i += kWarp) {
    P d = dy[i];
    const P v = x[i], scale = gamma[i];
    for (int k = 0; k < kWidth; ++k) {
      const float g = to_float(d.at[k]) * (to_float(scale.at[k]) + a.gamma_offset);
      d.at[k] = from_float<T>(rstd * (g - to_float(v.at[k]) * rstd * mean));
    }
    dx[i] = d;
  }
}

// Thread block b handles a range of tokens. It writes its sums of both weights to the scratch.
template <class T, int kWidth>
__global__ void head_norm_gradient_kernel(HeadNormGradient a) {
  using P = Pack<T, kWidth>;
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, warps = blockDim.x / kWarp;
  const std::size_t channels = a.channels();
  float* sums = reinterpret_cast<float*>(dynamic_shared());  // [warps][channels]
  for (std::size_t i = threadIdx.x; i < warps * channels; i += blockDim.x) sums[i] = 0;
  __syncthreads();
  float* of_queries = sums + warp * channels;
  float* of_keys = of_queries + a.query_channels();
  const std::size_t tokens = counted_rows(a.counted, a.tokens);
  const std::size_t pieces = a.pieces(), row = row_packs<kWidth>(a);
  const std::size_t last = tokens * (blockIdx.x + 1) / gridDim.x * pieces;
  for (std::size_t item = tokens * blockIdx.x / gridDim.x * pieces + warp; item < last;
       item += warps) {
    const std::size_t n = item / pieces, number = item % pieces;
    const Piece<kWidth> piece(a, number);
    const std::size_t first = n * row + piece.first;
    if (!piece.is_value) {
      gradient_of_norm<T, kWidth>(
          a, first, piece.width, piece.is_query ? a.query_gamma : a.key_gamma,
          a.rstd[n * a.norms() + number], n, number, piece.is_query ? of_queries : of_keys);
      continue;
    }
    const P* dy = static_cast<const P*>(a.dy) + first;
    P* dx = static_cast<P*>(a.dx) + first;
    for (std::size_t i = lane; dx != dy && i < piece.width; i += kWarp) dx[i] = dy[i];
  }
  __syncthreads();
  float* parts = a.scratch + blockIdx.x * channels;
  for (std::size_t i = threadIdx.x; i < channels; i += blockDim.x) {
    float sum = sums[i];
    for (std::size_t w = 1; w < warps; ++w) sum += sums[w * channels + i];
    // From the order of shared memory to that of the channels.
    const std::size_t begin = i < a.query_channels() ? 0 : a.query_channels(), c = i - begin;
    const std::size_t width = (begin == 0 ? a.query_channels() : a.key_channels()) / kWidth;
    parts[begin + c % width * kWidth + c / width] = sum;
  }
}

// A warp takes one of the two norms of a token.
template <class T, int kWidth>
__global__ void head_norm_squares_kernel(HeadNormShape a, const void* rows, float* squares) {
  using P = Pack<T, kWidth>;
  const std::size_t items = counted_rows(a.counted, a.tokens) * a.norms();
  for (std::size_t item = grid_thread() / kWarp; item < items; item += grid_threads() / kWarp) {
    const Piece<kWidth> piece(a, item % a.norms());
    const P* x =
        static_cast<const P*>(rows) + item / a.norms() * row_packs<kWidth>(a) + piece.first;
    const float sum = sum_of_squares(x, piece.width);
    if (threadIdx.x % kWarp == 0) squares[item] = sum;
  }
}

// A warp takes one of the two norms of a token.
template <class T, int kWidth>
__global__ void head_norm_products_kernel(HeadNormProducts a) {
  using P = Pack<T, kWidth>;
  const unsigned lane = threadIdx.x % kWarp;
  const std::size_t items = counted_rows(a.counted, a.tokens) * a.norms();
  for (std::size_t item = grid_thread() / kWarp; item < items; item += grid_threads() / kWarp) {
    const Piece<kWidth> piece(a, item % a.norms());
    const std::size_t first = item / a.norms() * row_packs<kWidth>(a) + piece.first;
    const P* x = static_cast<const P*>(a.x) + first;
    const P* dy = static_cast<const P*>(a.dy) + first;
    const P* gamma = static_cast<const P*>(piece.is_query ? a.query_gamma : a.key_gamma);
    float sum = 0;
    for (std::size_t i = lane; i < piece.width; i += kWarp) {
      const P d = dy[i], v = x[i], scale = gamma[i];
      for (int k = 0; k < kWidth; ++k) {
        const float g = to_float(d.at[k]) * (to_float(scale.at[k]) + a.gamma_offset);
        sum += g * (to_float(v.at[k]) * a.rstd[item]);
      }
    }
    sum = warp_sum(sum);
    if (lane == 0) a.products[item] = sum;
  }
}

}  // namespace

void head_norm_forward(const HeadNorm& a, CUstream_st* stream) noexcept {
  if (a.tokens == 0) return;
  with_width(a.dtype, a.head_size, [&](auto element, auto width) {
    launch(head_norm_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * a.pieces() * kWarp), stream, a);
  });
}

void head_norm_squares(const HeadNormShape& a, const void* x, float* squares,
                       CUstream_st* stream) noexcept {
  if (a.tokens == 0) return;
  with_width(a.dtype, a.head_size, [&](auto element, auto width) {
    launch(head_norm_squares_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * a.norms() * kWarp), stream, a, x, squares);
  });
}

void head_norm_products(const HeadNormProducts& a, CUstream_st* stream) noexcept {
  if (a.tokens == 0) return;
  with_width(a.dtype, a.head_size, [&](auto element, auto width) {
    launch(head_norm_products_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * a.norms() * kWarp), stream, a);
  });
}

void head_norm_gradient(const HeadNormGradient& a, CUstream_st* stream) noexcept {
  const std::size_t warps = head_norm_warps(a), channels = a.channels();
  with_width(a.dtype, a.head_size, [&](auto element, auto width) {
    launch(head_norm_gradient_kernel<decltype(element), decltype(width)::value>,
           {.grid = dim3(static_cast<unsigned>(kHeadNormParts)),
            .block = static_cast<unsigned>(warps) * kWarp,
            .shared_nbytes = warps * channels * sizeof(float)},
           stream, a);
  });
  if (a.dquery_gamma == nullptr) return;
  const auto add = [&](std::size_t first, std::size_t count, float* result) {
    add_rows({.rows = kHeadNormParts,
              .stride = channels,
              .channels = count,
              .parts = a.scratch + first,
              .result = result,
              .accumulate = a.accumulate},
             stream);
  };
  add(0, a.query_channels(), a.dquery_gamma);
  add(a.query_channels(), a.key_channels(), a.dkey_gamma);
}

}  // namespace megascale::kernels::cuda
