#ifndef MEGASCALE_KERNELS_CPU_PLAIN_ARRAY_H_
#define MEGASCALE_KERNELS_CPU_PLAIN_ARRAY_H_

#include <cstddef>

// Single operations over whole arrays, float32: the building blocks of a framework without fused
// kernels. Each call reads its operands from memory and writes its result there. All are vectorized
// and run on the calling thread's team. Bits do not depend on the number of threads.
// Alias   a result may be an operand with the same strides.
namespace megascale::kernels::cpu::plain {

struct Shape {
  std::size_t rows = 0, columns = 0;
};

// An operand. Element (n, c) is data[n * row + c * column]. A stride of 0 repeats the value along
// that axis. column is 0 or 1.
struct Values {
  const float* data = nullptr;
  std::size_t row = 0, column = 1;
};
// One value for all elements; one value per row; one value per column. They borrow the memory.
[[nodiscard]] inline Values constant(const float& value) { return {&value, 0, 0}; }
[[nodiscard]] inline Values per_row(const float* values) { return {values, 1, 0}; }
[[nodiscard]] inline Values per_column(const float* values) { return {values, 0, 1}; }

struct Result {
  float* data = nullptr;
  std::size_t row = 0;  // floats between rows
  [[nodiscard]] Values values() const noexcept { return {data, row, 1}; }
};

enum class Binary { add, subtract, multiply };
// result = left op right. left.column must be 1.
void apply(Binary op, const Shape& shape, Values left, Values right, Result result) noexcept;

// exp (0 below -88), tanh, 1 / (1 + e^-x), 1 / sqrt(x). Errors are a few 2^-24: relative, except
// absolute for tanh.
enum class Unary { exp, tanh, sigmoid, reciprocal_root };
void apply(Unary op, const Shape& shape, Values operand, Result result) noexcept;

// sums[n] = sum_c x[n, c].
void row_sums(const Shape& shape, Values x, float* sums) noexcept;

// Replaces x[n, :] by its softmax; logsumexp[n] = log sum_c e^x[n, c].
void softmax(const Shape& shape, Result x, float* logsumexp) noexcept;
// Replaces dp[n, :], the gradient of the softmax's output p, by the gradient of its input: p (dp -
// sum_c p dp).
void softmax_gradient(const Shape& shape, Values p, Result dp) noexcept;

}  // namespace megascale::kernels::cpu::plain

#endif  // MEGASCALE_KERNELS_CPU_PLAIN_ARRAY_H_
