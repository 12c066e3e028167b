#ifndef MEGASCALE_KERNELS_CUDA_RANDOM_OPERANDS_H_
#define MEGASCALE_KERNELS_CUDA_RANDOM_OPERANDS_H_

#include <cstddef>
#include <span>

#include "megascale/base/dtype.h"

// Random values for measurements of products: products of zeros take less power, so they are faster
// than those of a training step. The values depend on nothing but their place. Both functions fill
// memory of the calling thread's device. Throw Error.
namespace megascale::kernels::cuda {

// Normal values of `dtype`, float32 or bfloat16.
void fill_with_numbers(std::span<std::byte> device_memory, DType dtype);
// Numbers of 8 bits, of both signs and below 2, in e4m3 as in e5m2: none is NaN or infinite.
void fill_with_float8(std::span<std::byte> device_memory);

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_RANDOM_OPERANDS_H_
