#ifndef MEGASCALE_KERNELS_CPU_GEMM_CONFIG_H_
#define MEGASCALE_KERNELS_CPU_GEMM_CONFIG_H_

#include <cstddef>

#include "megascale/kernels/cpu/gemm.h"
#include "megascale/kernels/cpu/product_shape.h"

namespace megascale::kernels::cpu {

// With its strides and its number of threads filled in. Throws Error(bad_usage) where sizes or
// strides contradict each other.
[[nodiscard]] GemmConfig with_defaults(GemmConfig config);

// What is multiplied where the strides are filled in, of config.rows rows.
[[nodiscard]] ProductShape shape_of(const GemmConfig& config);

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_GEMM_CONFIG_H_
