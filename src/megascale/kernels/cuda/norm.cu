// The forward pass of LayerNorm and RMSNorm. A row is used up to three times: for the mean
// (LayerNorm only), for the variance about it, and for the result. Only the first use reads memory:
// then the row is in registers, or a wide one in the cache. The separate pass for the variance
// avoids the cancellation of mean(x^2) - mean(x)^2.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/norm.h"
#include "megascale/kernels/cuda/thread_packs-inl.h"

namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kBlock = 256, kWarp = 32, kRows = kBlock / kWarp;

// Pack number i of the result. In kernels, `width` is the number of packs in a row.
template <class T, int kWidth>
__device__ Pack<T, kWidth> normalised(const Norm& a, Pack<T, kWidth> pack, std::size_t i,
                                      float mean, float rstd) {
  using P = Pack<T, kWidth>;
  const P scale = static_cast<const P*>(a.gamma)[i],
          shift = a.beta != nullptr ? static_cast<const P*>(a.beta)[i] : P{};
  for (int k = 0; k < kWidth; ++k) {
    const float factor = to_float(scale.at[k]) + a.gamma_offset;
    pack.at[k] =
        from_float<T>((to_float(pack.at[k]) - mean) * rstd * factor + to_float(shift.at[k]));
  }
  return pack;
}
template <class T, int kWidth>
__device__ void add_pack(const Pack<T, kWidth>& pack, float& sum) {
  for (int k = 0; k < kWidth; ++k) sum += to_float(pack.at[k]);
}
template <class T, int kWidth>
__device__ void add_squares(const Pack<T, kWidth>& pack, float mean, float& sum) {
  for (int k = 0; k < kWidth; ++k) {
    const float d = to_float(pack.at[k]) - mean;
    sum += d * d;
  }
}
__device__ float rstd_of(const Norm& a, float squares) {
  return 1.0F / sqrtf(squares * (1.0F / static_cast<float>(a.channels)) + a.eps);
}
__device__ void write_statistics(const Norm& a, std::size_t n, float mean, float rstd) {
  a.rstd[n] = rstd;
  if (a.beta != nullptr) a.mean[n] = mean;
}

// A warp has a row of at most kPacks * 32 packs and keeps it in registers. No barrier is needed.
template <class T, int kWidth, int kPacks>
__global__ void __launch_bounds__(kBlock) narrow_norm_kernel(Norm a, std::size_t width) {
  using P = Pack<T, kWidth>;
  const std::size_t n = std::size_t{blockIdx.x} * kRows + threadIdx.x / kWarp;
  if (n >= counted_rows(a.counted, a.tokens)) return;  // the whole warp
  const unsigned lane = threadIdx.x % kWarp;
  ThreadPacks<P, kPacks, kWarp> x;
  x.load(a.x, lane, n, width);
  float mean = 0;
  if (a.beta != nullptr) {
#pragma unroll
    for (int j = 0; j < kPacks; ++j) add_pack(x[j], mean);  // packs beyond the row are zeros
    mean = warp_sum(mean) * (1.0F / static_cast<float>(a.channels));
  }
  float squares = 0;
#pragma unroll
  for (int j = 0; j < kPacks; ++j) {
    if (lane + j * kWarp < width) add_squares(x[j], mean, squares);
  }
  const float rstd = rstd_of(a, warp_sum(squares));
#pragma unroll
  for (int j = 0; j < kPacks; ++j) {
    const std::size_t i = lane + j * kWarp;
    if (i < width) static_cast<P*>(a.y)[n * width + i] = normalised(a, x[j], i, mean, rstd);
  }
  if (lane == 0) write_statistics(a, n, mean, rstd);
}

// A thread block has a wider row and reads it up to three times.
template <class T, int kWidth>
__global__ void __launch_bounds__(kBlock) wide_norm_kernel(Norm a, std::size_t width) {
  using P = Pack<T, kWidth>;
  const std::size_t n = blockIdx.x;
  if (n >= counted_rows(a.counted, a.tokens)) return;
  const P* x = static_cast<const P*>(a.x) + n * width;
  float mean = 0;
  if (a.beta != nullptr) {
    for (std::size_t i = threadIdx.x; i < width; i += kBlock) add_pack(x[i], mean);
    mean = block_sum(mean) * (1.0F / static_cast<float>(a.channels));
  }
  float squares = 0;
  for (std::size_t i = threadIdx.x; i < width; i += kBlock) add_squares(x[i], mean, squares);
  const float rstd = rstd_of(a, block_sum(squares));
  // y may be x: a thread reads and writes the same elements in every pass, and no thread reads
  // those of another one.
  P* y = static_cast<P*>(a.y) + n * width;
  for (std::size_t i = threadIdx.x; i < width; i += kBlock)
    y[i] = normalised(a, x[i], i, mean, rstd);
  if (threadIdx.x == 0) write_statistics(a, n, mean, rstd);
}

template <class T, int kWidth>
void launch_norm(const Norm& a, CUstream_st* stream) {
  constexpr int kPacks = 8;
  const std::size_t width = a.channels / kWidth;
  if (width <= std::size_t{kPacks} * kWarp) {
    const LaunchShape shape{.grid = dim3(static_cast<unsigned>((a.tokens + kRows - 1) / kRows)),
                            .block = kBlock};
    launch(narrow_norm_kernel<T, kWidth, kPacks>, shape, stream, a, width);
  } else {
    const LaunchShape shape{.grid = dim3(static_cast<unsigned>(a.tokens)), .block = kBlock};
    launch(wide_norm_kernel<T, kWidth>, shape, stream, a, width);
  }
}

}  // namespace

void norm_forward(const Norm& a, CUstream_st* stream) noexcept {
  if (a.tokens == 0) return;
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    launch_norm<decltype(element), decltype(width)::value>(a, stream);
  });
}

}  // namespace megascale::kernels::cuda
