#ifndef MEGASCALE_KERNELS_CPU_ACTIVATION_H_
#define MEGASCALE_KERNELS_CPU_ACTIVATION_H_

#include <cstddef>

// GELU, SwiGLU, GeGLU and gates of rows, forward and backward. N tokens, C or F channels; row-major, packed, float32. u =
// 2^-24. Bits do not depend on the number of threads or the vector target. NaN in gives NaN out;
// infinities follow the formula.
namespace megascale::kernels::cpu {

// y = gelu(x),  gelu(t) = t / (1 + exp(-2 w)),  w = sqrt(2/pi) (t + 0.044715 t^3)
// The formula equals GPT-2's 0.5 t (1 + tanh w), but does not cancel for negative t.
// If `exact`: gelu(t) = t erfc(-t / sqrt(2)) / 2, t times the distribution function of the normal one.
// Shapes  x, y (N, C).     Alias  y may be x.
// Cost    about 35 N C flops (exact: 45); moves 2 N C floats: memory bound.
// Error   |y - gelu(x)| <= 8 u |gelu(x)| + 4 u min(|x|, 2); exact: 16 u |gelu(x)| + 8 u min(|x|, 2).
// Source  Hendrycks and Gimpel 2016 (arXiv 1606.08415), tanh form and exact form.
struct GeluForward {
  std::size_t tokens = 0, channels = 0;
  const float* x = nullptr;
  float* y = nullptr;
  bool exact = false;
};
void gelu_forward(const GeluForward& args) noexcept;

// dx = dy gelu'(x)
// Shapes  dy, x, dx (N, C).     Alias  dx may be dy or x.
// Cost    about 45 N C flops; moves 3 N C floats: memory bound.
// Error   |dx - dy gelu'(x)| <= 12 u |dy|.
struct GeluBackward {
  std::size_t tokens = 0, channels = 0;
  const float* dy = nullptr;
  const float* x = nullptr;
  float* dx = nullptr;
  bool exact = false;
};
void gelu_backward(const GeluBackward& args) noexcept;

// y = silu(gate) up [weight],  silu(t) = t / (1 + exp(-t)),  gate = x[:, 0:F], up = x[:, F:2F]
// The weight of a row is the router's weight of its expert: nothing between this product and the
// end of the expert is nonlinear, so the weight may be applied here (arXiv 2505.11432, 4).
// Shapes  x (N, 2F); y (N, F); weight (N), or null.      Alias  nothing overlaps.
// Cost    about 25 N F flops; moves 3 N F floats: memory bound.
// Error   relative, at most 10 u; 11 u with a weight.
// Source  Shazeer 2020 (arXiv 2002.05202).
struct SwigluForward {
  std::size_t tokens = 0, width = 0;  // width = F
  const float* x = nullptr;
  float* y = nullptr;
  const float* weight = nullptr;
};
void swiglu_forward(const SwigluForward& args) noexcept;

// dx[:, 0:F] = d up s (1 + gate (1 - s)),  dx[:, F:2F] = d gate s,   s = 1 / (1 + exp(-gate)),
// d = dy [weight],  dweight[n] = sum_f dy[n,f] gate[n,f] s[n,f] up[n,f]
// Shapes  dy (N, F); x, dx (N, 2F); weight, dweight (N), both or neither null.
// Alias   dx may be x.
// Error   absolute: 10 u |d up| for dx[:, 0:F]; 10 u |exact| + 10^-32 |d| for dx[:, F:2F]; 1 u more
//         with a weight. dweight: (F / 64 + 20) u sum_f |terms|.
struct SwigluBackward {
  std::size_t tokens = 0, width = 0;
  const float* dy = nullptr;
  const float* x = nullptr;
  float* dx = nullptr;
  const float* weight = nullptr;
  float* dweight = nullptr;
};
void swiglu_backward(const SwigluBackward& args) noexcept;

// y = gelu(gate) up,  gate = x[:, 0:F], up = x[:, F:2F], gelu in the tanh form.
// Shapes  x (N, 2F); y (N, F).      Alias  nothing overlaps.
// Cost    about 40 N F flops; moves 3 N F floats: memory bound.
// Error   |y - exact| <= (10 u |gelu(gate)| + 4 u min(|gate|, 2)) |up|.
// Source  Shazeer 2020 (arXiv 2002.05202).
struct GegluForward {
  std::size_t tokens = 0, width = 0;  // width = F
  const float* x = nullptr;
  float* y = nullptr;
};
void geglu_forward(const GegluForward& args) noexcept;

// dx[:, 0:F] = dy up gelu'(gate),  dx[:, F:2F] = dy gelu(gate)
// Shapes  dy (N, F); x, dx (N, 2F).      Alias  dx may be x.
// Error   13 u |dy up| for dx[:, 0:F]; for dx[:, F:2F] as the forward, times |dy|.
struct GegluBackward {
  std::size_t tokens = 0, width = 0;
  const float* dy = nullptr;
  const float* x = nullptr;
  float* dx = nullptr;
};
void geglu_backward(const GegluBackward& args) noexcept;

// y[n] = s_n x[n],  s_n = 1 / (1 + exp(-logits[n]))
// Shapes  x, y (N, C); logits (N).     Alias  y may be x.
// Cost    N C flops; moves 2 N C floats: memory bound.
// Error   relative, at most 2 u; s is computed in double.
struct GateForward {
  std::size_t tokens = 0, channels = 0;
  const float* x = nullptr;
  const float* logits = nullptr;
  float* y = nullptr;
};
void gate_forward(const GateForward& args) noexcept;

// dx[n] = s_n dy[n],  dlogits[n] = s_n (1 - s_n) sum_c dy[n,c] x[n,c]
// Shapes  dy, x, dx (N, C); logit, dlogits (N).     Alias  dx may be dy or x.
// Error   dx relative, at most 2 u; dlogits: (C / 64 + 12) u s_n (1 - s_n) sum_c |terms|.
struct GateBackward {
  std::size_t tokens = 0, channels = 0;
  const float* dy = nullptr;
  const float* x = nullptr;
  const float* logits = nullptr;
  float* dx = nullptr;
  float* dlogits = nullptr;
};
void gate_backward(const GateBackward& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_ACTIVATION_H_
