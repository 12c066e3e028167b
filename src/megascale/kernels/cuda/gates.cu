// A warp computes one row, since the gradient of a row's scale is a sum over the row. The order of that
// sum is fixed: each lane adds its packs, then the lanes by halves.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/gates.h"

namespace megascale::kernels::cuda {
namespace {

// 1 / (1 + exp(-t)); exp overflows to infinity for t < -88, which gives 0.
__device__ float sigmoid_of(float t) { return 1.0F / (1.0F + expf(-t)); }

// Calls body(row) on all lanes of a warp, for each row of the warp.
template <class Body>
__device__ void for_rows_of_warp(const RowCount& counted, std::size_t bound, const Body& body) {
  const std::size_t rows = counted_rows(counted, bound);
  for (std::size_t n = grid_thread() / 32; n < rows; n += grid_threads() / 32) body(n);
}

// `width`: packs in half a row of x, which is a row of y.
template <class T, int kWidth>
__global__ void gated_swiglu_kernel(GatedSwiglu a, std::size_t width) {
  const std::size_t lane = threadIdx.x % 32;
  for_rows_of_warp(a.counted, a.rows, [&](std::size_t n) {
    const auto* x = static_cast<const Pack<T, kWidth>*>(a.x) + n * 2 * width;
    auto* y = static_cast<Pack<T, kWidth>*>(a.y) + n * width;
    const float weight = a.weight[n];
    for (std::size_t c = lane; c < width; c += 32) {
      const Pack<T, kWidth> gate = x[c], up = x[width + c];
      Pack<T, kWidth> pack{};
      for (int k = 0; k < kWidth; ++k) {
        const float g = to_float(gate.at[k]);
        pack.at[k] = from_float<T>(g * sigmoid_of(g) * to_float(up.at[k]) * weight);
      }
      y[c] = pack;
    }
  });
}

// A thread reads both halves at its columns before it writes them: dx may be x.
template <class T, int kWidth>
__global__ void gated_swiglu_gradient_kernel(GatedSwigluGradient a, std::size_t width) {
  const std::size_t lane = threadIdx.x % 32;
  for_rows_of_warp(a.counted, a.rows, [&](std::size_t n) {
    const auto* dy = static_cast<const Pack<T, kWidth>*>(a.dy) + n * width;
    const auto* x = static_cast<const Pack<T, kWidth>*>(a.x) + n * 2 * width;
    auto* dx = static_cast<Pack<T, kWidth>*>(a.dx) + n * 2 * width;
    const float weight = a.weight[n];
    float sum = 0;
    for (std::size_t c = lane; c < width; c += 32) {
      const Pack<T, kWidth> gradient = dy[c];
      Pack<T, kWidth> gate = x[c], up = x[width + c];
      for (int k = 0; k < kWidth; ++k) {
        const float g = to_float(gate.at[k]), u = to_float(up.at[k]), d = to_float(gradient.at[k]);
        const float s = sigmoid_of(g);
        sum += d * g * s * u;
        gate.at[k] = from_float<T>(weight * d * u * s * (1.0F + g * (1.0F - s)));
        up.at[k] = from_float<T>(weight * d * g * s);
      }
      dx[c] = gate;
      dx[width + c] = up;
    }
    sum = warp_sum(sum);
    if (lane == 0) a.dweight[n] = sum;
  });
}

template <class T, int kWidth>
__global__ void gate_rows_kernel(GateRows a, std::size_t width) {
  const std::size_t lane = threadIdx.x % 32;
  for_rows_of_warp(a.counted, a.rows, [&](std::size_t n) {
    const auto* x = static_cast<const Pack<T, kWidth>*>(a.x) + n * width;
    auto* y = static_cast<Pack<T, kWidth>*>(a.y) + n * width;
    const float s = sigmoid_of(to_float(static_cast<const T*>(a.logits)[n]));
    for (std::size_t c = lane; c < width; c += 32) {
      Pack<T, kWidth> pack = x[c];
      for (T& value : pack.at) value = from_float<T>(s * to_float(value));
      y[c] = pack;
    }
  });
}

template <class T, int kWidth>
__global__ void gate_rows_gradient_kernel(GateRowsGradient a, std::size_t width) {
  const std::size_t lane = threadIdx.x % 32;
  for_rows_of_warp(a.counted, a.rows, [&](std::size_t n) {
    const auto* dy = static_cast<const Pack<T, kWidth>*>(a.dy) + n * width;
    const auto* x = static_cast<const Pack<T, kWidth>*>(a.x) + n * width;
    auto* dx = static_cast<Pack<T, kWidth>*>(a.dx) + n * width;
    const float s = sigmoid_of(to_float(static_cast<const T*>(a.logits)[n]));
    float sum = 0;
    for (std::size_t c = lane; c < width; c += 32) {
      Pack<T, kWidth> pack = dy[c];
      const Pack<T, kWidth> input = x[c];
      for (int k = 0; k < kWidth; ++k) {
        const float d = to_float(pack.at[k]);
        sum += d * to_float(input.at[k]);
        pack.at[k] = from_float<T>(s * d);
      }
      dx[c] = pack;
    }
    sum = warp_sum(sum);
    if (lane == 0) static_cast<T*>(a.dlogits)[n] = from_float<T>(s * (1.0F - s) * sum);
  });
}

}  // namespace

void gated_swiglu(const GatedSwiglu& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.width, [&](auto element, auto width) {
    launch(gated_swiglu_kernel<decltype(element), decltype(width)::value>, grid_for(a.rows * 32),
           stream, a, a.width / width.value);
  });
}

void gated_swiglu_gradient(const GatedSwigluGradient& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.width, [&](auto element, auto width) {
    launch(gated_swiglu_gradient_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.rows * 32), stream, a, a.width / width.value);
  });
}

void gate_rows(const GateRows& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    launch(gate_rows_kernel<decltype(element), decltype(width)::value>, grid_for(a.rows * 32),
           stream, a, a.channels / width.value);
  });
}

void gate_rows_gradient(const GateRowsGradient& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    launch(gate_rows_gradient_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.rows * 32), stream, a, a.channels / width.value);
  });
}

}  // namespace megascale::kernels::cuda
