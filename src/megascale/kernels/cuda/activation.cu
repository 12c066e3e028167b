// GELU, gated activations and soft caps as element-wise kernels: a grid-stride loop in which each
// thread reads, computes and writes packs of up to 16 bytes.
#include "megascale/kernels/cuda/activation.h"
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"

namespace megascale::kernels::cuda {
namespace {

// 1 / (1 + exp(-t)); exp overflows to infinity for t < -88, which gives 0.
__device__ float sigmoid(float t) { return 1.0F / (1.0F + expf(-t)); }

// Activations: value() and slope() at t.

struct Silu {
  __device__ static float value(float t) { return t * sigmoid(t); }
  __device__ static float slope(float t) {
    const float s = sigmoid(t);
    return s * (1.0F + t * (1.0F - s));
  }
};

// By the sigmoid, which does not cancel for large negative inputs: 0.5 t (1 + tanh w) = t sigmoid(2
// w).
struct TanhGelu {
  static constexpr float kRoot = 0.7978845608028654F;  // sqrt(2 / pi)
  static constexpr float kCubic = 0.044715F;
  __device__ static float value(float t) {
    return t * sigmoid(2.0F * kRoot * (t + kCubic * t * t * t));
  }
  // With s = sigmoid(2 w): s + 2 t s (1 - s) dw/dt.
  __device__ static float slope(float t) {
    const float s = sigmoid(2.0F * kRoot * (t + kCubic * t * t * t));
    // If s rounds to 1, the second term becomes 0. The exact term is then at most about 1e-6.
    return s + 2.0F * t * s * (1.0F - s) * kRoot * (1.0F + 3.0F * kCubic * t * t);
  }
};

// t P(t), P the distribution function of the standard normal distribution: erfc(-t / sqrt(2)) / 2.
struct ErfGelu {
  static constexpr float kHalfRoot = 0.7071067811865476F;    // 1 / sqrt(2)
  static constexpr float kDensityAt0 = 0.3989422804014327F;  // 1 / sqrt(2 pi)
  __device__ static float value(float t) { return t * 0.5F * erfcf(-t * kHalfRoot); }
  __device__ static float slope(float t) {
    return 0.5F * erfcf(-t * kHalfRoot) + t * kDensityAt0 * expf(-0.5F * t * t);
  }
};

// y = body(x) of counted rows.
template <class T, int kWidth, class Body>
__global__ void map_kernel(std::size_t all_packs, RowCount counted, std::size_t channels,
                           const Pack<T, kWidth>* x, Pack<T, kWidth>* y, Body body) {
  const std::size_t packs = counted_packs<kWidth>(counted, all_packs, channels);
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    Pack<T, kWidth> pack = x[i];
    for (T& value : pack.at) value = from_float<T>(body(to_float(value)));
    y[i] = pack;
  }
}

// dx = dy slope(x) of counted rows.
template <class T, int kWidth, class Slope>
__global__ void map_gradient_kernel(std::size_t all_packs, RowCount counted, std::size_t channels,
                                    const Pack<T, kWidth>* dy, const Pack<T, kWidth>* x,
                                    Pack<T, kWidth>* dx, Slope slope) {
  const std::size_t packs = counted_packs<kWidth>(counted, all_packs, channels);
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    const Pack<T, kWidth> input = x[i];
    Pack<T, kWidth> pack = dy[i];
    for (int k = 0; k < kWidth; ++k)
      pack.at[k] = from_float<T>(to_float(pack.at[k]) * slope(to_float(input.at[k])));
    dx[i] = pack;
  }
}

// `bound`: rows of the tensor. `width`: packs in half a row of x, which is a row of y.
template <class T, int kWidth, class Gate>
__global__ void gated_kernel(std::size_t bound, RowCount counted, std::size_t width,
                             const Pack<T, kWidth>* x, Pack<T, kWidth>* y) {
  const std::size_t tokens = counted_rows(counted, bound);
  for (std::size_t i = grid_thread(); i < tokens * width; i += grid_threads()) {
    const std::size_t n = i / width, c = i % width;
    const Pack<T, kWidth> gate = x[n * 2 * width + c], up = x[(n * 2 + 1) * width + c];
    Pack<T, kWidth> pack{};
    for (int k = 0; k < kWidth; ++k)
      pack.at[k] = from_float<T>(Gate::value(to_float(gate.at[k])) * to_float(up.at[k]));
    y[i] = pack;
  }
}

// A thread reads both halves at its columns before it writes them: dx may be x.
template <class T, int kWidth, class Gate>
__global__ void gated_gradient_kernel(std::size_t bound, RowCount counted, std::size_t width,
                                      const Pack<T, kWidth>* dy, const Pack<T, kWidth>* x,
                                      Pack<T, kWidth>* dx) {
  const std::size_t tokens = counted_rows(counted, bound);
  for (std::size_t i = grid_thread(); i < tokens * width; i += grid_threads()) {
    const std::size_t first = i / width * 2 * width + i % width, second = first + width;
    const Pack<T, kWidth> gradient = dy[i];
    Pack<T, kWidth> gate = x[first], up = x[second];
    for (int k = 0; k < kWidth; ++k) {
      const float g = to_float(gate.at[k]), u = to_float(up.at[k]), d = to_float(gradient.at[k]);
      gate.at[k] = from_float<T>(d * u * Gate::slope(g));
      up.at[k] = from_float<T>(d * Gate::value(g));
    }
    dx[first] = gate;
    dx[second] = up;
  }
}

// `a` has count, channels, counted and dtype.
template <class Args, class Body>
void launch_map(const Args& a, const void* x, void* y, CUstream_st* stream, const Body& body) {
  with_width(a.dtype, a.count, [&](auto element, auto width) {
    using T = decltype(element);
    constexpr int kWidth = decltype(width)::value;
    const std::size_t packs = a.count / kWidth;
    launch(map_kernel<T, kWidth, Body>, grid_for(packs), stream, packs, a.counted, a.channels,
           static_cast<const Pack<T, kWidth>*>(x), static_cast<Pack<T, kWidth>*>(y), body);
  });
}
template <class Args, class Slope>
void launch_map_gradient(const Args& a, const void* x, CUstream_st* stream, const Slope& slope) {
  with_width(a.dtype, a.count, [&](auto element, auto width) {
    using T = decltype(element);
    constexpr int kWidth = decltype(width)::value;
    using P = Pack<T, kWidth>;
    const std::size_t packs = a.count / kWidth;
    launch(map_gradient_kernel<T, kWidth, Slope>, grid_for(packs), stream, packs, a.counted,
           a.channels, static_cast<const P*>(a.dy), static_cast<const P*>(x), static_cast<P*>(a.dx),
           slope);
  });
}
template <class Activation>
struct Value {
  __device__ float operator()(float t) const { return Activation::value(t); }
};
template <class Activation>
struct Slope {
  __device__ float operator()(float t) const { return Activation::slope(t); }
};
struct Capped {
  float cap;
  __device__ float operator()(float t) const { return cap * tanhf(t / cap); }
};
// Of the capped value.
struct CappedSlope {
  float cap;
  __device__ float operator()(float y) const { return 1.0F - (y / cap) * (y / cap); }
};

template <class Gate>
void launch_gated(const GatedUnit& a, CUstream_st* stream) {
  with_width(a.dtype, a.width, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const std::size_t packs = a.width / width.value;
    launch(gated_kernel<decltype(element), decltype(width)::value, Gate>,
           grid_for(a.tokens * packs), stream, a.tokens, a.counted, packs,
           static_cast<const P*>(a.x), static_cast<P*>(a.y));
  });
}
template <class Gate>
void launch_gated_gradient(const GatedUnitGradient& a, CUstream_st* stream) {
  with_width(a.dtype, a.width, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const std::size_t packs = a.width / width.value;
    launch(gated_gradient_kernel<decltype(element), decltype(width)::value, Gate>,
           grid_for(a.tokens * packs), stream, a.tokens, a.counted, packs,
           static_cast<const P*>(a.dy), static_cast<const P*>(a.x), static_cast<P*>(a.dx));
  });
}

}  // namespace

void gelu_forward(const Gelu& a, CUstream_st* stream) noexcept {
  if (a.exact) {
    launch_map(a, a.x, a.y, stream, Value<ErfGelu>{});
  } else {
    launch_map(a, a.x, a.y, stream, Value<TanhGelu>{});
  }
}
void gelu_gradient(const GeluGradient& a, CUstream_st* stream) noexcept {
  if (a.exact) {
    launch_map_gradient(a, a.x, stream, Slope<ErfGelu>{});
  } else {
    launch_map_gradient(a, a.x, stream, Slope<TanhGelu>{});
  }
}

void gated_forward(const GatedUnit& a, CUstream_st* stream) noexcept {
  a.form == GateForm::silu ? launch_gated<Silu>(a, stream) : launch_gated<TanhGelu>(a, stream);
}
void gated_gradient(const GatedUnitGradient& a, CUstream_st* stream) noexcept {
  a.form == GateForm::silu ? launch_gated_gradient<Silu>(a, stream)
                           : launch_gated_gradient<TanhGelu>(a, stream);
}

void soft_cap_forward(const SoftCap& a, CUstream_st* stream) noexcept {
  launch_map(a, a.x, a.y, stream, Capped{a.cap});
}
void soft_cap_gradient(const SoftCapGradient& a, CUstream_st* stream) noexcept {
  launch_map_gradient(a, a.y, stream, CappedSlope{a.cap});
}

}  // namespace megascale::kernels::cuda
