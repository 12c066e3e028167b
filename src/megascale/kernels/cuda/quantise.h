#ifndef MEGASCALE_KERNELS_CUDA_QUANTISE_H_
#define MEGASCALE_KERNELS_CUDA_QUANTISE_H_

#include <cstddef>
#include <cstdint>

struct CUstream_st;

// 8-bit floats for the matrix units of Hopper (arXiv 2209.05433). Failures: cuda::take_error().
namespace megascale::kernels::cuda {

// e4m3: most 448, for values and weights; e5m2: most 57,344, for gradients.
enum class Float8 : std::uint8_t { e4m3, e5m2 };

// What a matrix was multiplied by before it was rounded, on the device.
struct QuantisedScale {
  float factor = 0;
  float inverse =
      0;  // of the factor: what products are multiplied by; NaN where x has a NaN or inf
};

// out = x times the factor by which the largest |x| becomes the largest number of the format,
// rounded to the nearest, ties to even; and/or the same transposed.
// Shapes  x (R, C) bfloat16; out (R, C), transposed (C, R), bytes, each or null. R and C multiples
// of 16, all addresses of 16 bytes.       Alias  nothing overlaps. Cost    reads x twice (once for
// the maximum): 4 R C + R C bytes per result; memory bound. Bits    maxima have no order: the same
// on every device.
struct Quantise {
  std::size_t rows = 0, columns = 0;
  Float8 format = Float8::e4m3;
  const void* x = nullptr;
  std::byte* out = nullptr;
  std::byte* transposed = nullptr;
  QuantisedScale* scale = nullptr;  // written
  float* scratch = nullptr;         // kQuantiseParts floats
};
inline constexpr std::size_t kQuantiseParts = 1024;
void quantise(const Quantise& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_QUANTISE_H_
