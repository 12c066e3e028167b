#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_PRODUCTS_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_PRODUCTS_H_

#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/gemm.h"
#include "megascale/kernels/cuda/gemm_choices.h"

// Translates the ops of linear layers into matrix products (GemmConfig). It needs no device:
// table.cpp sizes the scratch of these products in every build.
namespace megascale::kernels::cuda {

// Returns the choices in the file of kernels.gemm_choices, or null if none is configured.
[[nodiscard]] inline GemmChoices* choices_of(const KernelSpec& spec) {
  return spec.gemm_choices.empty() ? nullptr : &GemmChoices::at(spec.gemm_choices);
}

// Returns the product of linear, linear_add or linear_gelu. `Operand` is the op kind's enumeration
// of operands.
template <class Operand>
[[nodiscard]] GemmConfig forward_product(const KernelSpec& spec) {
  return {.kind = GemmKind::forward,
          .rows = spec.size(Operand::input, 0),
          .in = spec.size(Operand::weight, 1),
          .out = spec.size(Operand::weight, 0),
          .dtype = dtype_of(spec, Operand::input),
          .bias = spec.has(Operand::bias)};
}
[[nodiscard]] inline GemmConfig forward_add_product(const KernelSpec& spec) {
  GemmConfig config = forward_product<graph::linear_add::Operand>(spec);
  config.accumulate = true;
  return config;
}
[[nodiscard]] inline GemmConfig forward_gelu_product(const KernelSpec& spec) {
  GemmConfig config = forward_product<graph::linear_gelu::Operand>(spec);
  config.gelu = true;
  return config;
}

// Returns the product dx = dy w of linear_input_gradient or linear_gelu_gradient.
template <class Operand>
[[nodiscard]] GemmConfig product_with_weight(const KernelSpec& spec) {
  return {.kind = GemmKind::input_gradient,
          .rows = spec.size(Operand::gradient, 0),
          .in = spec.size(Operand::weight, 1),
          .out = spec.size(Operand::weight, 0),
          .dtype = dtype_of(spec, Operand::gradient)};
}
[[nodiscard]] inline GemmConfig input_gradient_product(const KernelSpec& spec) {
  using enum graph::linear_input_gradient::Operand;
  GemmConfig config = product_with_weight<graph::linear_input_gradient::Operand>(spec);
  config.accumulate = spec.has(addend);
  return config;
}
[[nodiscard]] inline GemmConfig input_gradient_gelu_product(const KernelSpec& spec) {
  GemmConfig config = product_with_weight<graph::linear_gelu_gradient::Operand>(spec);
  config.gelu = true;
  return config;
}

// Returns whether the product of a weight gradient also computes the gradient of the bias.
[[nodiscard]] inline bool sums_bias(const KernelSpec& spec) {
  return spec.has(graph::linear_weight_gradient::bias_gradient) &&
         spec.attributes->integer(graph::attribute::sums_bias, 0) != 0;
}
[[nodiscard]] inline GemmConfig weight_gradient_product(const KernelSpec& spec, bool accumulate) {
  using enum graph::linear_weight_gradient::Operand;
  return {.kind = GemmKind::weight_gradient,
          .rows = spec.size(gradient, 0),
          .in = spec.size(input, 1),
          .out = spec.size(gradient, 1),
          .dtype = dtype_of(spec, gradient),
          .bias = sums_bias(spec),
          .accumulate = accumulate};
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_PRODUCTS_H_
