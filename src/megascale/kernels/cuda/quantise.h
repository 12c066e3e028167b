#ifndef MEGASCALE_KERNELS_CUDA_QUANTISE_H_
#define MEGASCALE_KERNELS_CUDA_QUANTISE_H_

#include <cstddef>
#include <cstdint>

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
// Shapes  x (R, C) bfloat16; out (R, C) and transposed (C, R) bytes, each may be null. R and C are
//         multiples of 16, addresses multiples of 16 bytes.
// Alias   nothing overlaps.
// Cost    reads x twice, the first time for the maximum: moves 4 R C bytes, and R C bytes for each
//         result; memory bound.
// Bits    a maximum does not depend on the order, so bits are the same on every device.
struct Quantise {
  std::size_t rows = 0, columns = 0;
  Float8 format = Float8::e4m3;
  const void* x = nullptr;
  std::byte* out = nullptr;
  std::byte* transposed = nullptr;
  QuantisedScale* scale = nullptr;  // written
  float* scratch = nullptr;         // kQuantiseParts floats
};
// The most thread blocks that compute partial maxima.
inline constexpr std::size_t kQuantiseParts = 1024;
void quantise(const Quantise& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_QUANTISE_H_
