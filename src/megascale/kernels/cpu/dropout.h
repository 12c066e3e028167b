#ifndef MEGASCALE_KERNELS_CPU_DROPOUT_H_
#define MEGASCALE_KERNELS_CPU_DROPOUT_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cpu/dropout_draws.h"

// Dropout of rows of channels, and its gradient. dropout_draws.h says which elements are kept.
namespace megascale::kernels::cpu {

// The numbers of a rank's rows, which are equal in every layout: sample number times `sequence` plus the
// position in the sample. The rank has rows [first_row, ...) of `length` positions of each sequence,
// which begin at first_position.
struct RowNumbers {
  const std::int64_t* sample = nullptr;  // of each sequence
  std::size_t sequence = 1;              // tokens of a whole sequence
  std::size_t length = 1, first_position = 0, first_row = 0;
  [[nodiscard]] std::uint64_t operator()(std::size_t row) const noexcept {
    const std::size_t at = first_row + row;
    return static_cast<std::uint64_t>(sample[at / length]) * sequence + first_position +
           at % length;
  }
};

// y[r,c] = x[r,c] / (1 - rate) where kept, else 0; mask[r,c] = 1 where kept, else 0.
// Shapes  x, y, mask (rows, channels) packed.
// Alias   y may be x.     Error  two roundings.
struct Dropout {
  std::size_t rows = 0, channels = 0;
  RowNumbers number;
  const float* x = nullptr;
  float* y = nullptr;
  std::uint8_t* mask = nullptr;
  DropoutDraws draws;
};
void dropout(const Dropout& args) noexcept;

// dx = dy / (1 - rate) where mask is not 0, else 0.
// Shapes  all have `count` elements.     Alias  dx may be dy.     Error  two roundings.
struct DropoutGradient {
  std::size_t count = 0;
  double rate = 0;
  const float* dy = nullptr;
  const std::uint8_t* mask = nullptr;
  float* dx = nullptr;
};
void dropout_gradient(const DropoutGradient& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_DROPOUT_H_
