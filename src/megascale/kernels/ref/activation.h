#ifndef MEGASCALE_KERNELS_REF_ACTIVATION_H_
#define MEGASCALE_KERNELS_REF_ACTIVATION_H_

#include <cmath>
#include <numbers>

// References in double for the activations of kernels/cpu/activation.h, for one element each.
namespace megascale::kernels::ref {

// GELU in GPT-2's tanh form and its derivative, written as published, without rearranging terms.
[[nodiscard]] inline double gelu(double t) {
  return 0.5 * t * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (t + 0.044715 * t * t * t)));
}
[[nodiscard]] inline double gelu_slope(double t) {
  const double root = std::sqrt(2 / std::numbers::pi);
  const double tanh = std::tanh(root * (t + 0.044715 * t * t * t));
  return 0.5 * (1 + tanh) + 0.5 * t * (1 - tanh * tanh) * root * (1 + 3 * 0.044715 * t * t);
}

// GELU by the error function, and its derivative. erfc() keeps the digits of small results.
[[nodiscard]] inline double exact_gelu(double t) {
  return 0.5 * t * std::erfc(-t / std::numbers::sqrt2);
}
[[nodiscard]] inline double exact_gelu_slope(double t) {
  return 0.5 * std::erfc(-t / std::numbers::sqrt2) +
         t * std::exp(-0.5 * t * t) / std::sqrt(2 * std::numbers::pi);
}

// SwiGLU of one gate and one value, and its derivative with respect to the gate. The derivative
// with respect to `up` is gate * sigmoid(gate).
[[nodiscard]] inline double sigmoid(double t) { return 1 / (1 + std::exp(-t)); }
[[nodiscard]] inline double swiglu(double gate, double up) { return gate * sigmoid(gate) * up; }
[[nodiscard]] inline double swiglu_gate_slope(double gate, double up) {
  const double s = sigmoid(gate);
  return up * s * (1 + gate * (1 - s));
}

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_ACTIVATION_H_
