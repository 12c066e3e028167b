// GELU and SwiGLU as element-wise kernels: a grid-stride loop in which each thread reads, computes
// and writes packs of up to 16 bytes. GELU is computed by the sigmoid, which does not cancel for
// large negative inputs.
#include "megascale/kernels/cuda/activation.h"
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"

namespace megascale::kernels::cuda {
namespace {

constexpr float kRoot = 0.7978845608028654F;  // sqrt(2 / pi)
constexpr float kCubic = 0.044715F;

// 1 / (1 + exp(-t)); exp overflows to infinity for t < -88, which gives 0.
__device__ float sigmoid(float t) { return 1.0F / (1.0F + expf(-t)); }

// 0.5 t (1 + tanh w) = t sigmoid(2 w), without the cancellation for negative t.
__device__ float gelu(float t) { return t * sigmoid(2.0F * kRoot * (t + kCubic * t * t * t)); }
// With s = sigmoid(2 w): s + 2 t s (1 - s) dw/dt.
__device__ float gelu_slope(float t) {
  const float s = sigmoid(2.0F * kRoot * (t + kCubic * t * t * t));
  // If s rounds to 1, the second term becomes 0. The exact term is then at most about 1e-6.
  return s + 2.0F * t * s * (1.0F - s) * kRoot * (1.0F + 3.0F * kCubic * t * t);
}

template <class T, int kWidth>
__global__ void gelu_kernel(std::size_t all_packs, RowCount counted, std::size_t channels,
                            const Pack<T, kWidth>* x, Pack<T, kWidth>* y) {
  const std::size_t packs = counted_packs<kWidth>(counted, all_packs, channels);
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    Pack<T, kWidth> pack = x[i];
    for (T& value : pack.at) value = from_float<T>(gelu(to_float(value)));
    y[i] = pack;
  }
}

template <class T, int kWidth>
__global__ void gelu_gradient_kernel(std::size_t all_packs, RowCount counted, std::size_t channels,
                                     const Pack<T, kWidth>* dy, const Pack<T, kWidth>* x,
                                     Pack<T, kWidth>* dx) {
  const std::size_t packs = counted_packs<kWidth>(counted, all_packs, channels);
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    const Pack<T, kWidth> input = x[i];
    Pack<T, kWidth> pack = dy[i];
    for (int k = 0; k < kWidth; ++k)
      pack.at[k] = from_float<T>(to_float(pack.at[k]) * gelu_slope(to_float(input.at[k])));
    dx[i] = pack;
  }
}

// `bound`: rows of the tensor. `width`: packs in half a row of x, which is a row of y.
template <class T, int kWidth>
__global__ void swiglu_kernel(std::size_t bound, RowCount counted, std::size_t width,
                              const Pack<T, kWidth>* x, Pack<T, kWidth>* y) {
  const std::size_t tokens = counted_rows(counted, bound);
  for (std::size_t i = grid_thread(); i < tokens * width; i += grid_threads()) {
    const std::size_t n = i / width, c = i % width;
    const Pack<T, kWidth> gate = x[n * 2 * width + c], up = x[(n * 2 + 1) * width + c];
    Pack<T, kWidth> pack{};
    for (int k = 0; k < kWidth; ++k) {
      const float g = to_float(gate.at[k]);
      pack.at[k] = from_float<T>(g * sigmoid(g) * to_float(up.at[k]));
    }
    y[i] = pack;
  }
}

// A thread reads both halves at its columns before it writes them: dx may be x.
template <class T, int kWidth>
__global__ void swiglu_gradient_kernel(std::size_t bound, RowCount counted, std::size_t width,
                                       const Pack<T, kWidth>* dy, const Pack<T, kWidth>* x,
                                       Pack<T, kWidth>* dx) {
  const std::size_t tokens = counted_rows(counted, bound);
  for (std::size_t i = grid_thread(); i < tokens * width; i += grid_threads()) {
    const std::size_t first = i / width * 2 * width + i % width, second = first + width;
    const Pack<T, kWidth> gradient = dy[i];
    Pack<T, kWidth> gate = x[first], up = x[second];
    for (int k = 0; k < kWidth; ++k) {
      const float g = to_float(gate.at[k]), u = to_float(up.at[k]), d = to_float(gradient.at[k]);
      const float s = sigmoid(g);
      gate.at[k] = from_float<T>(d * u * s * (1.0F + g * (1.0F - s)));
      up.at[k] = from_float<T>(d * g * s);
    }
    dx[first] = gate;
    dx[second] = up;
  }
}

}  // namespace

void gelu_forward(const Gelu& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.count, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const std::size_t packs = a.count / width.value;
    launch(gelu_kernel<decltype(element), decltype(width)::value>, grid_for(packs), stream, packs,
           a.counted, a.channels, static_cast<const P*>(a.x), static_cast<P*>(a.y));
  });
}

void gelu_gradient(const GeluGradient& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.count, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const std::size_t packs = a.count / width.value;
    launch(gelu_gradient_kernel<decltype(element), decltype(width)::value>, grid_for(packs), stream,
           packs, a.counted, a.channels, static_cast<const P*>(a.dy), static_cast<const P*>(a.x),
           static_cast<P*>(a.dx));
  });
}

void swiglu_forward(const Swiglu& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.width, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const std::size_t packs = a.width / width.value;
    launch(swiglu_kernel<decltype(element), decltype(width)::value>, grid_for(a.tokens * packs),
           stream, a.tokens, a.counted, packs, static_cast<const P*>(a.x), static_cast<P*>(a.y));
  });
}

void swiglu_gradient(const SwigluGradient& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.width, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const std::size_t packs = a.width / width.value;
    launch(swiglu_gradient_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * packs), stream, a.tokens, a.counted, packs,
           static_cast<const P*>(a.dy), static_cast<const P*>(a.x), static_cast<P*>(a.dx));
  });
}

}  // namespace megascale::kernels::cuda
