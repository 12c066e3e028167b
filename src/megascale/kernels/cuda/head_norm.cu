// RMSNorm of query and key heads. A warp takes one head of one token at a time. It reads the head
// twice, the second time from the cache.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/head_norm.h"

namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kHeadBlock = kHeadNormWarps * kWarp;

// `width`: packs in a head.
template <class T, int kWidth>
__global__ void head_norm_kernel(HeadNorm a, std::size_t width) {
  using P = Pack<T, kWidth>;
  const unsigned lane = threadIdx.x % kWarp;
  const std::size_t heads = a.all_heads(), normed = a.normed_heads();
  const std::size_t items = counted_rows(a.counted, a.tokens) * heads;
  for (std::size_t item = grid_thread() / kWarp; item < items; item += grid_threads() / kWarp) {
    const std::size_t n = item / heads, h = item % heads;
    const P* x = static_cast<const P*>(a.x) + item * width;
    P* y = static_cast<P*>(a.y) + item * width;
    if (h >= normed) {
      for (std::size_t i = lane; y != x && i < width; i += kWarp) y[i] = x[i];
      continue;
    }
    const P* gamma = static_cast<const P*>(h < a.query_heads ? a.query_gamma : a.key_gamma);
    float squares = 0;
    for (std::size_t i = lane; i < width; i += kWarp) {
      const P pack = x[i];
      for (int k = 0; k < kWidth; ++k) squares += to_float(pack.at[k]) * to_float(pack.at[k]);
    }
    const float rstd = 1.0F / sqrtf(warp_sum(squares) / static_cast<float>(a.head_size) + a.eps);
    for (std::size_t i = lane; i < width; i += kWarp) {
      P pack = x[i];
      const P scale = gamma[i];
      for (int k = 0; k < kWidth; ++k)
        pack.at[k] = from_float<T>(to_float(pack.at[k]) * rstd * to_float(scale.at[k]));
      y[i] = pack;
    }
    if (lane == 0) a.rstd[n * normed + h] = rstd;
  }
}

// Writes dx of one head, and adds its terms to `dgamma`, the sums of this warp for the head's kind:
// element k of pack i at k * width + i. Each is used by one thread only.
template <class T, int kWidth>
__device__ void head_gradient(const HeadNormGradient& a, std::size_t item, std::size_t width,
                              const void* weights, float rstd, float* dgamma) {
  using P = Pack<T, kWidth>;
  const unsigned lane = threadIdx.x % kWarp;
  const P* x = static_cast<const P*>(a.x) + item * width;
  const P* dy = static_cast<const P*>(a.dy) + item * width;
  const P* gamma = static_cast<const P*>(weights);
  P* dx = static_cast<P*>(a.dx) + item * width;
  float sum = 0;  // of g z
  for (std::size_t i = lane; i < width; i += kWarp) {
    const P d = dy[i], v = x[i], scale = gamma[i];
    for (int k = 0; k < kWidth; ++k) {
      const float z = to_float(v.at[k]) * rstd;
      sum += to_float(d.at[k]) * to_float(scale.at[k]) * z;
      dgamma[k * width + i] += to_float(d.at[k]) * z;
    }
  }
  const float mean = warp_sum(sum) / static_cast<float>(a.head_size);
  for (std::size_t i = lane; i < width; i += kWarp) {
    P d = dy[i];
    const P v = x[i], scale = gamma[i];
    for (int k = 0; k < kWidth; ++k) {
      const float g = to_float(d.at[k]) * to_float(scale.at[k]);
      d.at[k] = from_float<T>(rstd * (g - to_float(v.at[k]) * rstd * mean));
    }
    dx[i] = d;
  }
}

// Thread block b handles a range of tokens. It writes its sums of both weights to the scratch.
template <class T, int kWidth>
__global__ void head_norm_gradient_kernel(HeadNormGradient a, std::size_t width) {
  using P = Pack<T, kWidth>;
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  float* sums = reinterpret_cast<float*>(dynamic_shared());  // [warps][2][HS]
  for (std::size_t i = threadIdx.x; i < kHeadNormWarps * 2 * a.head_size; i += kHeadBlock)
    sums[i] = 0;
  __syncthreads();
  float* of_queries = sums + std::size_t{warp} * 2 * a.head_size;
  float* of_keys = of_queries + a.head_size;
  const std::size_t tokens = counted_rows(a.counted, a.tokens);
  const std::size_t heads = a.all_heads(), normed = a.normed_heads();
  const std::size_t last = tokens * (blockIdx.x + 1) / gridDim.x * heads;
  for (std::size_t item = tokens * blockIdx.x / gridDim.x * heads + warp; item < last;
       item += kHeadNormWarps) {
    const std::size_t n = item / heads, h = item % heads;
    if (h < normed) {
      const bool is_query = h < a.query_heads;
      head_gradient<T, kWidth>(a, item, width, is_query ? a.query_gamma : a.key_gamma,
                               a.rstd[n * normed + h], is_query ? of_queries : of_keys);
      continue;
    }
    const P* dy = static_cast<const P*>(a.dy) + item * width;
    P* dx = static_cast<P*>(a.dx) + item * width;
    for (std::size_t i = lane; dx != dy && i < width; i += kWarp) dx[i] = dy[i];
  }
  __syncthreads();
  float* parts = a.scratch + std::size_t{blockIdx.x} * 2 * a.head_size;
  for (std::size_t i = threadIdx.x; i < 2 * a.head_size; i += kHeadBlock) {
    float sum = sums[i];
    for (std::size_t w = 1; w < kHeadNormWarps; ++w) sum += sums[w * 2 * a.head_size + i];
    // From the order of shared memory to that of the channels.
    const std::size_t kind = i / a.head_size, c = i % a.head_size;
    parts[kind * a.head_size + c % width * kWidth + c / width] = sum;
  }
}

}  // namespace

void head_norm_forward(const HeadNorm& a, CUstream_st* stream) noexcept {
  if (a.tokens == 0) return;
  with_width(a.dtype, a.head_size, [&](auto element, auto width) {
    launch(head_norm_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * a.all_heads() * kWarp), stream, a, a.head_size / width.value);
  });
}

void head_norm_gradient(const HeadNormGradient& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.head_size, [&](auto element, auto width) {
    launch(head_norm_gradient_kernel<decltype(element), decltype(width)::value>,
           {.grid = dim3(static_cast<unsigned>(kHeadNormParts)),
            .block = kHeadBlock,
            .shared_nbytes = kHeadNormWarps * 2 * a.head_size * sizeof(float)},
           stream, a, a.head_size / width.value);
  });
  if (a.dquery_gamma == nullptr) return;
  add_rows({.rows = kHeadNormParts,
            .stride = 2 * a.head_size,
            .channels = a.head_size,
            .parts = a.scratch,
            .result = a.dquery_gamma,
            .next_result = a.dkey_gamma,
            .accumulate = a.accumulate},
           stream);
}

}  // namespace megascale::kernels::cuda
