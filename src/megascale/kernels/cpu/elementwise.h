#ifndef MEGASCALE_KERNELS_CPU_ELEMENTWISE_H_
#define MEGASCALE_KERNELS_CPU_ELEMENTWISE_H_

#include <cstddef>
#include <cstdint>
#include <span>

// Sums, copies and conversions. All are memory bound and share their range over the calling
// thread's team. Bits do not depend on the number of threads or the vector target. The spans of one
// call have equal sizes.
namespace megascale::kernels::cpu {

// y = a + b: the sum with a block's residual stream.
// Shapes  a, b, y (N, C) packed.
// Alias   y may be a or b.     Error  one rounding.
struct Add {
  std::size_t tokens = 0, channels = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  float* y = nullptr;
};
void add(const Add& args) noexcept;

// y = factor x
// Shapes  x, y (N, C) packed.
// Alias   y may be x.     Error  one rounding.
struct Scale {
  std::size_t tokens = 0, channels = 0;
  float factor = 1;
  const float* x = nullptr;
  float* y = nullptr;
};
void scale(const Scale& args) noexcept;

// y[n,c] = x[n,c] + bias[c]
// It adds the bias of a row-parallel linear layer. That bias may be added only once, after the
// partial products are summed over the ranks.
// Shapes  x, y (N, C) packed; bias (C).
// Alias   y may be x.     Error  one rounding.
struct AddBias {
  std::size_t tokens = 0, channels = 0;
  const float* x = nullptr;
  const float* bias = nullptr;
  float* y = nullptr;
};
void add_bias(const AddBias& args) noexcept;

// Copies bytes; the ranges must not overlap.
void copy(std::span<std::byte> to, std::span<const std::byte> from) noexcept;

// Converts to bfloat16, which is the upper half of a float32: round to nearest, ties to even;
// overflow gives infinity; a NaN stays a (quiet) NaN; denormals are kept.
void to_bfloat16(std::span<std::uint16_t> y, std::span<const float> x) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_ELEMENTWISE_H_
