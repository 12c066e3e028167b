// The three products as triple loops in double.
#include "megascale/kernels/ref/gemm.h"

namespace megascale::kernels::ref {

std::vector<double> linear(std::span<const double> x, std::span<const double> w,
                           std::span<const double> bias, std::size_t rows, std::size_t in,
                           std::size_t out) {
  std::vector<double> y(rows * out);
  for (std::size_t n = 0; n < rows; ++n) {
    for (std::size_t o = 0; o < out; ++o) {
      double sum = bias.empty() ? 0.0 : bias[o];
      for (std::size_t i = 0; i < in; ++i) sum += x[n * in + i] * w[o * in + i];
      y[n * out + o] = sum;
    }
  }
  return y;
}

std::vector<double> linear_input_gradient(std::span<const double> dy, std::span<const double> w,
                                          std::size_t rows, std::size_t in, std::size_t out) {
  std::vector<double> dx(rows * in);
  for (std::size_t n = 0; n < rows; ++n) {
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) dx[n * in + i] += dy[n * out + o] * w[o * in + i];
    }
  }
  return dx;
}

std::vector<double> linear_weight_gradient(std::span<const double> dy, std::span<const double> x,
                                           std::size_t rows, std::size_t in, std::size_t out) {
  std::vector<double> dw(out * in);
  for (std::size_t n = 0; n < rows; ++n) {
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) dw[o * in + i] += dy[n * out + o] * x[n * in + i];
    }
  }
  return dw;
}

}  // namespace megascale::kernels::ref
