#ifndef MEGASCALE_KERNELS_CPU_GEMM_CONFIG_H_
#define MEGASCALE_KERNELS_CPU_GEMM_CONFIG_H_

#include <cstddef>

#include "megascale/kernels/cpu/gemm.h"
#include "megascale/kernels/cpu/product_shape.h"

// Steps from a GemmConfig to a product, shared by the matrix unit and oneDNN.
namespace megascale::kernels::cpu {

// Returns the configuration with its default strides and number of threads filled in. Throws
// Error(bad_usage) if sizes or strides contradict each other.
[[nodiscard]] GemmConfig with_defaults(GemmConfig config);

// Returns the shape and strides of the product, for config.rows rows. The strides must be filled in
// (with_defaults()).
[[nodiscard]] ProductShape shape_of(const GemmConfig& config);

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_GEMM_CONFIG_H_
