// The forward pass of LayerNorm and RMSNorm. One thread block reads a row up to three times: for
// the mean (LayerNorm only), for the variance about it, and for the result. Only the first read
// comes from memory; the row stays in the cache. The separate pass for the variance avoids the
// cancellation of mean(x^2) - mean(x)^2.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/norm.h"

namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kBlock = 256;

// One block per row. `width`: packs in a row.
template <class T, int kWidth>
__global__ void norm_kernel(Norm a, std::size_t width) {
  using P = Pack<T, kWidth>;
  const std::size_t n = blockIdx.x;
  if (n >= counted_rows(a.counted, a.tokens)) return;
  const P* x = static_cast<const P*>(a.x) + n * width;
  const P* gamma = static_cast<const P*>(a.gamma);
  const P* beta = static_cast<const P*>(a.beta);
  P* y = static_cast<P*>(a.y) + n * width;
  const float share = 1.0F / static_cast<float>(a.channels);
  float mean = 0;
  if (beta != nullptr) {
    float sum = 0;
    for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
      const P pack = x[i];
      for (int k = 0; k < kWidth; ++k) sum += to_float(pack.at[k]);
    }
    mean = block_sum(sum) * share;
  }
  float squares = 0;
  for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
    const P pack = x[i];
    for (int k = 0; k < kWidth; ++k) {
      const float d = to_float(pack.at[k]) - mean;
      squares += d * d;
    }
  }
  // y may be x: a thread reads and writes the same elements in every pass, and no thread reads
  // those of another one.
  const float rstd = 1.0F / sqrtf(block_sum(squares) * share + a.eps);
  for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
    P pack = x[i];
    const P scale = gamma[i], shift = beta != nullptr ? beta[i] : P{};
    for (int k = 0; k < kWidth; ++k) {
      const float factor = to_float(scale.at[k]) + a.gamma_offset;
      pack.at[k] =
          from_float<T>((to_float(pack.at[k]) - mean) * rstd * factor + to_float(shift.at[k]));
    }
    y[i] = pack;
  }
  if (threadIdx.x != 0) return;
  a.rstd[n] = rstd;
  if (beta != nullptr) a.mean[n] = mean;
}

}  // namespace

void norm_forward(const Norm& a, CUstream_st* stream) noexcept {
  if (a.tokens == 0) return;
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    launch(norm_kernel<decltype(element), decltype(width)::value>,
           {.grid = dim3(static_cast<unsigned>(a.tokens)), .block = kBlock}, stream, a,
           a.channels / width.value);
  });
}

}  // namespace megascale::kernels::cuda
