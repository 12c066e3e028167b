#ifndef MEGASCALE_KERNELS_CUDA_QUANTISE_H_
#define MEGASCALE_KERNELS_CUDA_QUANTISE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Rounds matrices to 8-bit floats for the matrix units of Hopper (arXiv 2209.05433). Each matrix is
// first scaled by one factor, so that its largest value uses the whole range of the format.
// Failures: see activation.h.
namespace megascale::kernels::cuda {

// e4m3, for activations and weights: largest value 448. e5m2, for gradients: largest value 57,344.
enum class Float8 : std::uint8_t { e4m3, e5m2 };

// The factor by which a matrix was multiplied before it was rounded; in device memory.
struct QuantisedScale {
  // 1 / factor, by which a product with the matrix is multiplied. NaN if x has a NaN or an
  // infinity. cuBLASLt reads it, from an address that is aligned to 16.
  alignas(16) float inverse = 0;
  float factor = 0;
};

//   out = round(factor x), to nearest, ties to even;  transposed = its transpose
//   factor = largest value of the format / max |x|, but at most 1e30; 1 if x is zero or not finite
// Shapes  x (M, R, C) bfloat16: M matrices, each with a factor of its own, such as the weights of
//         experts; out (M, R, C) and transposed (M, C, R) bytes, each may be null. C is a multiple
//         of 16, with transposed R, too; addresses are multiples of 16 bytes.
// Parts   with `amax`, x is one part of a matrix. amax holds the largest |value| of each of its `amax_count`
//         parts, x included, and the factor is that of the whole matrix. M is 1, and x is read once.
// Counted rows (M is 1): those beyond the count are not read, and enter no maximum. Their codes in
//         out are not written; those in transposed are zero, so a sum over all R is right.
// Alias   nothing overlaps.
// Cost    reads x twice, the first time for the maximum: moves 4 M R C bytes, and M R C bytes for
//         each result; memory bound.
// Bits    a maximum does not depend on the order, so bits are the same on every device.
struct Quantise {
  std::size_t matrices = 1, rows = 0, columns = 0;
  RowCount counted;
  Float8 format = Float8::e4m3;
  const void* x = nullptr;
  std::byte* out = nullptr;
  std::byte* transposed = nullptr;
  const float* amax = nullptr;
  std::size_t amax_count = 0;
  QuantisedScale* scale = nullptr;  // written: one for each matrix
  float* scratch = nullptr;         // quantise_parts(matrices) floats; without amax only
};
// The most partial maxima of all matrices: one of each thread block. Every matrix has a block.
[[nodiscard]] constexpr std::size_t quantise_parts(std::size_t matrices) noexcept {
  constexpr std::size_t kBlocks = 1024;
  return std::max(kBlocks, matrices);
}
void quantise(const Quantise& args, CUstream_st* stream) noexcept;

// amax = max |x|, infinity if an x is NaN
// Shapes  x (R, C) bfloat16, C a multiple of 16, aligned to 16 bytes; amax one float.
// Cost    moves 2 R C bytes; memory bound.
struct MatrixAmax {
  std::size_t rows = 0, columns = 0;
  const void* x = nullptr;
  float* amax = nullptr;
  float* scratch = nullptr;  // quantise_parts(1) floats
};
void matrix_amax(const MatrixAmax& args, CUstream_st* stream) noexcept;

// transposed = the transpose of codes
// Shapes  codes (R, C) and transposed (C, R) bytes; R and C multiples of 16, aligned to 16 bytes. They do
//         not overlap.
// Cost    moves 2 R C bytes; memory bound.
void transpose_codes(std::size_t rows, std::size_t columns, const std::byte* codes,
                     std::byte* transposed, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_QUANTISE_H_
