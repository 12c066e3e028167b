#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/norm.h"

namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kBlock = 256;

// One block per row. The second and third time the row comes from the cache. `width`: packs of a
// row.
template <class T, int kWidth>
__global__ void norm_kernel(Norm a, std::size_t width) {
  using P = Pack<T, kWidth>;
  const std::size_t n = blockIdx.x;
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
  // Behind this sum's barriers everybody has read the row for the mean; y may be x all the same,
  // since each thread writes what it alone reads.
  const float rstd = 1.0F / sqrtf(block_sum(squares) * share + a.eps);
  for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
    P pack = x[i];
    const P scale = gamma[i];
    for (int k = 0; k < kWidth; ++k) {
      float value = (to_float(pack.at[k]) - mean) * rstd * to_float(scale.at[k]);
      if (beta != nullptr) value += to_float(beta[i].at[k]);
      pack.at[k] = from_float<T>(value);
    }
    y[i] = pack;
  }
  if (threadIdx.x != 0) return;
  a.rstd[n] = rstd;
  if (beta != nullptr) a.mean[n] = mean;
}

// Block b takes a run of rows. The sums for gamma and beta lie in shared memory, each touched by
// one thread only.
template <class T, int kWidth>
__global__ void norm_gradient_kernel(NormGradient a, std::size_t width) {
  using P = Pack<T, kWidth>;
  float* dgamma = reinterpret_cast<float*>(dynamic_shared());  // [C]
  float* dbeta = dgamma + a.channels;                          // [C], LayerNorm only
  const bool centered = a.mean != nullptr;
  const P* gamma = static_cast<const P*>(a.gamma);
  const float share = 1.0F / static_cast<float>(a.channels);
  for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
    for (int k = 0; k < kWidth; ++k) {
      dgamma[i * kWidth + k] = 0;
      if (centered) dbeta[i * kWidth + k] = 0;
    }
  }
  const std::size_t first = a.tokens * blockIdx.x / gridDim.x,
                    last = a.tokens * (blockIdx.x + 1) / gridDim.x;
  for (std::size_t n = first; n < last; ++n) {
    const P* dy = static_cast<const P*>(a.dy) + n * width;
    const P* x = static_cast<const P*>(a.x) + n * width;
    const P* addend = static_cast<const P*>(a.addend);
    P* dx = static_cast<P*>(a.dx) + n * width;
    const float mean = centered ? a.mean[n] : 0.0F, rstd = a.rstd[n];
    float sum_g = 0, sum_gz = 0;
    for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
      const P gradient = dy[i], input = x[i], scale = gamma[i];
      for (int k = 0; k < kWidth; ++k) {
        const float d = to_float(gradient.at[k]), z = (to_float(input.at[k]) - mean) * rstd;
        const float g = d * to_float(scale.at[k]);
        sum_g += g;
        sum_gz += g * z;
        dgamma[i * kWidth + k] += d * z;
        if (centered) dbeta[i * kWidth + k] += d;
      }
    }
    const float mean_g = centered ? block_sum(sum_g) * share : 0.0F;
    const float mean_gz = block_sum(sum_gz) * share;
    for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
      P gradient = dy[i];
      const P input = x[i], scale = gamma[i];
      for (int k = 0; k < kWidth; ++k) {
        const float z = (to_float(input.at[k]) - mean) * rstd;
        const float g = to_float(gradient.at[k]) * to_float(scale.at[k]);
        float value = rstd * (g - mean_g - z * mean_gz);
        if (addend != nullptr) value += to_float(addend[n * width + i].at[k]);
        gradient.at[k] = from_float<T>(value);
      }
      dx[i] = gradient;
    }
  }
  float* parts = a.scratch + blockIdx.x * 2 * a.channels;
  for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
    for (int k = 0; k < kWidth; ++k) {
      parts[i * kWidth + k] = dgamma[i * kWidth + k];
      if (centered) parts[a.channels + i * kWidth + k] = dbeta[i * kWidth + k];
    }
  }
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

void norm_gradient(const NormGradient& a, CUstream_st* stream) noexcept {
  const bool centered = a.mean != nullptr;
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    launch(norm_gradient_kernel<decltype(element), decltype(width)::value>,
           {.grid = dim3(static_cast<unsigned>(kNormParts)),
            .block = kBlock,
            .shared_nbytes = (centered ? 2 : 1) * a.channels * sizeof(float)},
           stream, a, a.channels / width.value);
  });
  AddRows rows{.rows = kNormParts,
               .stride = 2 * a.channels,
               .channels = a.channels,
               .parts = a.scratch,
               .result = a.dgamma,
               .accumulate = a.accumulate};
  add_rows(rows, stream);
  if (!centered) return;
  rows.parts = a.scratch + a.channels;
  rows.result = a.dbeta;
  add_rows(rows, stream);
}

}  // namespace megascale::kernels::cuda
