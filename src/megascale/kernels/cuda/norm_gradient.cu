#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/norm.h"
#include "megascale/kernels/cuda/thread_packs-inl.h"

// The backward pass of LayerNorm and RMSNorm. With d = dy, z = (x - mean) rstd, g = d (gamma + gamma_offset):
//   dx = rstd (g - mean(g) - z mean(g z)) + addend,  dgamma = sum d z,  dbeta = sum d
// RMSNorm has no mean(g). Thread block b handles a range of rows. It computes their dx and writes
// its partial sums of dgamma and dbeta to the scratch; add_rows() then adds the partial sums of all
// blocks. Narrow rows stay in registers; wide rows are read twice and keep their sums in shared
// memory.
namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kBlock = 256;

// The range of rows [first, last) of this thread block.
struct Rows {
  std::size_t first, last;
  __device__ explicit Rows(std::size_t tokens)
      : first(tokens * blockIdx.x / gridDim.x), last(tokens * (blockIdx.x + 1) / gridDim.x) {}
};

struct RowStatistics {
  float mean = 0, rstd = 0;
  __device__ void load(const NormGradient& a, std::size_t n) {
    if (a.mean != nullptr) mean = a.mean[n];
    rstd = a.rstd[n];
  }
};

// Returns mean(g), which is 0 for RMSNorm, and mean(g z) of a row, from the sums of all threads.
// `share`: 1 / C. `parts`: kNormSumParts elements in shared memory.
__device__ TwoSums row_means(const NormGradient& a, float share, TwoSums sums, TwoSums* parts) {
  const TwoSums all = block_sum(sums, parts);
  return {a.mean != nullptr ? all.a * share : 0.0F, all.b * share};
}

// Adds the terms of one pack to the row's `sums` of g and g z, and to dgamma and dbeta of its
// columns. `stride`: floats between the sums of neighbouring columns.
template <class T, int kWidth>
__device__ void add_pack(const Pack<T, kWidth>& dy, const Pack<T, kWidth>& x,
                         const Pack<T, kWidth>& gamma, float offset, RowStatistics row,
                         TwoSums& sums, float* dgamma, float* dbeta, std::size_t stride) {
  for (int k = 0; k < kWidth; ++k) {
    const float d = to_float(dy.at[k]), z = (to_float(x.at[k]) - row.mean) * row.rstd;
    const float g = d * (to_float(gamma.at[k]) + offset);
    sums += {g, g * z};
    dgamma[k * stride] += d * z;
    dbeta[k * stride] += d;
  }
}
template <class T, int kWidth>
__device__ Pack<T, kWidth> input_gradient(const Pack<T, kWidth>& dy, const Pack<T, kWidth>& x,
                                          const Pack<T, kWidth>& gamma, float offset,
                                          const Pack<T, kWidth>& addend, RowStatistics row,
                                          TwoSums means) {
  Pack<T, kWidth> dx{};
  for (int k = 0; k < kWidth; ++k) {
    const float z = (to_float(x.at[k]) - row.mean) * row.rstd;
    const float g = to_float(dy.at[k]) * (to_float(gamma.at[k]) + offset);
    dx.at[k] = from_float<T>(row.rstd * (g - means.a - z * means.b) + to_float(addend.at[k]));
  }
  return dx;
}

template <class P, int kPacks>
using OwnPacks = ThreadPacks<P, kPacks, kBlock>;
template <class P, int kPacks>
struct OwnRow {
  OwnPacks<P, kPacks> dy, x;
  RowStatistics row;
  __device__ void load(const NormGradient& a, std::size_t n, std::size_t width) {
    dy.load(a.dy, threadIdx.x, n, width);
    x.load(a.x, threadIdx.x, n, width);
    row.load(a, n);
  }
};

// For rows of at most kPacks * kBlock packs. Packs and column sums stay in registers, and the next
// row is loaded while the sums of this one are formed. `width`: packs in a row.
template <class T, int kWidth, int kPacks>
__global__ void __launch_bounds__(kBlock, 4 / kPacks)
    norm_gradient_kernel(NormGradient a, std::size_t width, float share) {
  using P = Pack<T, kWidth>;
  using Sums = Pack<float, kWidth>;
  auto* parts = reinterpret_cast<TwoSums*>(dynamic_shared());
  OwnPacks<P, kPacks> gamma;
  gamma.load(a.gamma, threadIdx.x, 0, width);
  Sums dgamma[kPacks] = {}, dbeta[kPacks] = {};
  const Rows rows(counted_rows(a.counted, a.tokens));
  OwnRow<P, kPacks> next;
  if (rows.first < rows.last) next.load(a, rows.first, width);
  for (std::size_t n = rows.first; n < rows.last; ++n) {
    const OwnRow<P, kPacks> own = next;
    OwnPacks<P, kPacks> addend;
    if (a.addend != nullptr) addend.load(a.addend, threadIdx.x, n, width);
    if (n + 1 < rows.last) next.load(a, n + 1, width);
    TwoSums sums{0, 0};
#pragma unroll
    for (int j = 0; j < kPacks; ++j) {
      add_pack(own.dy[j], own.x[j], gamma[j], a.gamma_offset, own.row, sums, dgamma[j].at,
               dbeta[j].at, 1);
    }
    const TwoSums means = row_means(a, share, sums, parts);
#pragma unroll
    for (int j = 0; j < kPacks; ++j) {
      const std::size_t i = threadIdx.x + j * kBlock;
      if (i >= width) break;
      static_cast<P*>(a.dx)[n * width + i] =
          input_gradient(own.dy[j], own.x[j], gamma[j], a.gamma_offset, addend[j], own.row, means);
    }
  }
  Sums* sums =
      reinterpret_cast<Sums*>(a.scratch + static_cast<std::size_t>(blockIdx.x * 2) * a.channels);
#pragma unroll
  for (int j = 0; j < kPacks; ++j) {
    const std::size_t i = threadIdx.x + j * kBlock;
    if (i >= width) break;
    sums[i] = dgamma[j];
    if (a.mean != nullptr) sums[width + i] = dbeta[j];
  }
}

// For wider rows. The column sums are in shared memory: element k of pack i at k * width + i, and
// each is used by one thread only. A row is read twice; the second read comes from the cache.
template <class T, int kWidth>
__global__ void __launch_bounds__(kBlock)
    wide_norm_gradient_kernel(NormGradient a, std::size_t width, float share) {
  using P = Pack<T, kWidth>;
  auto* parts = reinterpret_cast<TwoSums*>(dynamic_shared());
  float* dgamma = reinterpret_cast<float*>(parts + kNormSumParts);  // [C]
  float* dbeta = dgamma + a.channels;                               // [C]
  const P* gamma = static_cast<const P*>(a.gamma);
  for (std::size_t i = threadIdx.x; i < 2 * a.channels; i += kBlock) dgamma[i] = 0;
  __syncthreads();
  const Rows rows(counted_rows(a.counted, a.tokens));
  for (std::size_t n = rows.first; n < rows.last; ++n) {
    const P* dy = static_cast<const P*>(a.dy) + n * width;
    const P* x = static_cast<const P*>(a.x) + n * width;
    const P* addend = a.addend != nullptr ? static_cast<const P*>(a.addend) + n * width : nullptr;
    RowStatistics row;
    row.load(a, n);
    TwoSums sums{0, 0};
    for (std::size_t i = threadIdx.x; i < width; i += kBlock)
      add_pack(dy[i], x[i], gamma[i], a.gamma_offset, row, sums, dgamma + i, dbeta + i, width);
    const TwoSums means = row_means(a, share, sums, parts);
    for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
      static_cast<P*>(a.dx)[n * width + i] = input_gradient(
          dy[i], x[i], gamma[i], a.gamma_offset, addend != nullptr ? addend[i] : P{}, row, means);
    }
  }
  float* sums = a.scratch + static_cast<std::size_t>(blockIdx.x * 2) * a.channels;
  for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
    for (int k = 0; k < kWidth; ++k) {
      sums[i * kWidth + k] = dgamma[k * width + i];
      if (a.mean != nullptr) sums[a.channels + i * kWidth + k] = dbeta[k * width + i];
    }
  }
}

template <class T, int kWidth>
void launch_gradient(const NormGradient& a, CUstream_st* stream) {
  const std::size_t width = a.channels / kWidth;
  auto* kernel = wide_norm_gradient_kernel<T, kWidth>;
  LaunchShape shape{.grid = dim3(static_cast<unsigned>(kNormParts)),
                    .block = kBlock,
                    .shared_nbytes = kNormSumParts * sizeof(TwoSums)};
  if (width <= kBlock) {
    kernel = norm_gradient_kernel<T, kWidth, 1>;
  } else if (width <= std::size_t{2} * kBlock) {
    kernel = norm_gradient_kernel<T, kWidth, 2>;
  } else if (width <= std::size_t{4} * kBlock) {
    kernel = norm_gradient_kernel<T, kWidth, 4>;
  } else {
    shape.shared_nbytes += 2 * a.channels * sizeof(float);
  }
  launch(kernel, shape, stream, a, width, 1.0F / static_cast<float>(a.channels));
}

}  // namespace

void norm_gradient(const NormGradient& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    launch_gradient<decltype(element), decltype(width)::value>(a, stream);
  });
  if (a.dgamma == nullptr) return;
  add_rows({.rows = kNormParts,
            .stride = 2 * a.channels,
            .channels = a.channels,
            .parts = a.scratch,
            .result = a.dgamma,
            .next_result = a.mean != nullptr ? a.dbeta : nullptr,
            .accumulate = a.accumulate},
           stream);
}

}  // namespace megascale::kernels::cuda
