#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_PRODUCTS_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_PRODUCTS_H_

#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/gemm.h"

// The matrix products of the ops of linear layers: which one an op is.
namespace megascale::kernels::cuda {

[[nodiscard]] inline GemmConfig forward_product(const KernelSpec& spec) {
  return {.kind = GemmKind::forward,
          .rows = spec.size(0, 0),
          .in = spec.size(1, 1),
          .out = spec.size(1, 0),
          .dtype = dtype_of(spec, 0),
          .bias = spec.has(2)};
}
[[nodiscard]] inline GemmConfig forward_add_product(const KernelSpec& spec) {
  GemmConfig config = forward_product(spec);
  config.accumulate = true;
  return config;
}
[[nodiscard]] inline GemmConfig forward_gelu_product(const KernelSpec& spec) {
  GemmConfig config = forward_product(spec);
  config.gelu = true;
  return config;
}
[[nodiscard]] inline GemmConfig input_gradient_product(const KernelSpec& spec) {
  return {.kind = GemmKind::input_gradient,
          .rows = spec.size(0, 0),
          .in = spec.size(1, 1),
          .out = spec.size(1, 0),
          .dtype = dtype_of(spec, 0),
          .accumulate = spec.has(2)};
}
[[nodiscard]] inline GemmConfig input_gradient_gelu_product(const KernelSpec& spec) {
  GemmConfig config = input_gradient_product(spec);
  config.accumulate = false;
  config.gelu = true;
  return config;
}

[[nodiscard]] inline GemmConfig weight_gradient_product(const KernelSpec& spec, bool accumulate) {
  return {.kind = GemmKind::weight_gradient,
          .rows = spec.size(0, 0),
          .in = spec.size(1, 1),
          .out = spec.size(0, 1),
          .dtype = dtype_of(spec, 0),
          .accumulate = accumulate};
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_PRODUCTS_H_
