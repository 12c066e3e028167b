#ifndef MEGASCALE_KERNELS_CPU_PLAIN_ARRAY_H_
#define MEGASCALE_KERNELS_CPU_PLAIN_ARRAY_H_

#include <cstddef>

// One operation at a time over whole arrays, float32: what a framework without fused kernels is
// made of. Each call reads its operands from memory and writes its result there; all are
// vectorized and take the calling thread's team. Bits do not depend on the number of threads.
// Alias  a result may be an operand with the same strides.
namespace megascale::kernels::cpu::plain {

struct Shape {
  std::size_t rows = 0, columns = 0;
};

// Element (n, c) is data[n * row + c * column]; a step of 0 repeats values along that axis. column
// is 0 or 1.
struct Values {
  const float* data = nullptr;
  std::size_t row = 0, column = 1;
};
[[nodiscard]] inline Values constant(const float& value) { return {&value, 0, 0}; }
[[nodiscard]] inline Values per_row(const float* values) { return {values, 1, 0}; }
[[nodiscard]] inline Values per_column(const float* values) { return {values, 0, 1}; }

struct Result {
  float* data = nullptr;
  std::size_t row = 0;  // floats between rows
  [[nodiscard]] Values values() const noexcept { return {data, row, 1}; }
};

enum class Binary { add, subtract, multiply };
// result = left op right; left has a step of 1 along columns.
void apply(Binary op, const Shape& shape, Values left, Values right, Result result) noexcept;

// exp (0 below -88), tanh, 1 / (1 + e^-x), 1 / sqrt(x). Errors of a few 2^-24: relative, and
// absolute for tanh.
enum class Unary { exp, tanh, sigmoid, reciprocal_root };
void apply(Unary op, const Shape& shape, Values operand, Result result) noexcept;

// sums[n] = sum_c x[n, c].
void row_sums(const Shape& shape, Values x, float* sums) noexcept;

// x[n, :] becomes its softmax; logsumexp[n] = log sum_c e^x[n, c].
void softmax(const Shape& shape, Result x, float* logsumexp) noexcept;
// dp[n, :] becomes the gradient before the softmax p: p (dp - sum_c p dp).
void softmax_gradient(const Shape& shape, Values p, Result dp) noexcept;

}  // namespace megascale::kernels::cpu::plain

#endif  // MEGASCALE_KERNELS_CPU_PLAIN_ARRAY_H_
