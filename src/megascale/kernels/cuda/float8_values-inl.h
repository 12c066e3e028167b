#ifndef MEGASCALE_KERNELS_CUDA_FLOAT8_VALUES_INL_H_
#define MEGASCALE_KERNELS_CUDA_FLOAT8_VALUES_INL_H_

#include "megascale/kernels/cuda/device_code.h"

// The values of 8-bit codes (arXiv 2209.05433). bfloat16 has all of them. Only .cu files include
// this file.
namespace megascale::kernels::cuda {

// Codes in memory, as element types of a kernel.
struct E4m3 {
  unsigned char code;
};
struct E5m2 {
  unsigned char code;
};

__device__ inline float to_float(E4m3 x) {
  const unsigned exponent = x.code >> 3U & 15U, mantissa = x.code & 7U;
  if ((x.code & 0x7FU) == 0x7FU) return NAN;
  const float size = exponent == 0 ? static_cast<float>(mantissa) * 0.001953125F  // 2^-9
                                   : __uint_as_float((exponent + 120U) << 23U | mantissa << 20U);
  return (x.code & 0x80U) != 0 ? -size : size;
}
// Infinities become NaN: quantise() writes none.
__device__ inline float to_float(E5m2 x) {
  const unsigned exponent = x.code >> 2U & 31U, mantissa = x.code & 3U;
  if (exponent == 31) return NAN;
  const float size = exponent == 0 ? static_cast<float>(mantissa) * 0x1p-16F
                                   : __uint_as_float((exponent + 112U) << 23U | mantissa << 21U);
  return (x.code & 0x80U) != 0 ? -size : size;
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FLOAT8_VALUES_INL_H_
