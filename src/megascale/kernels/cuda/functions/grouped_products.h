#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_GROUPED_PRODUCTS_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_GROUPED_PRODUCTS_H_

#include "megascale/kernels/cuda/cutlass_grouped.h"
#include "megascale/kernels/cuda/functions/functions.h"

// Translates the ops of experts into grouped products (GroupedProduct). It needs no device: table.cpp
// sizes the scratch of these products in every build.
namespace megascale::kernels::cuda {

// `weight`: the operand that has a matrix [outputs, inputs] for each expert.
[[nodiscard]] GroupedProduct grouped_product_of(const KernelSpec& spec, GemmKind kind,
                                                std::size_t rows, OperandName auto left,
                                                OperandName auto weight) {
  return {.kind = kind,
          .experts = spec.size(weight, 0),
          .rows = rows,
          .in = spec.size(weight, 2),
          .out = spec.size(weight, 1),
          .dtype = dtype_of(spec, left)};
}
// Returns the product of grouped_linear or grouped_linear_input_gradient.
[[nodiscard]] GroupedProduct rows_product(const KernelSpec& spec, GemmKind kind,
                                          OperandName auto left, OperandName auto weight) {
  return grouped_product_of(spec, kind, spec.size(left, 0), left, weight);
}
// Returns the number of blocks of rows of a weight gradient, and the product of one of them.
[[nodiscard]] inline std::size_t grouped_pieces(const KernelSpec& spec) {
  return static_cast<std::size_t>(spec.attributes->integer(graph::attribute::pieces, 1));
}
[[nodiscard]] inline GroupedProduct weights_product(const KernelSpec& spec) {
  using enum graph::grouped_linear_weight_gradient::Operand;
  return grouped_product_of(spec, GemmKind::weight_gradient,
                            spec.size(gradient, 0) / grouped_pieces(spec), gradient,
                            weight_gradient);
}

// Returns whether CUTLASS runs the op; otherwise our own kernel does. The answer is the same in
// every build.
[[nodiscard]] inline bool by_cutlass(const KernelSpec& spec, const GroupedProduct& product) {
  return spec.cutlass && cutlass_serves(product);
}
[[nodiscard]] inline std::size_t grouped_scratch_bytes(const KernelSpec& spec,
                                                       const GroupedProduct& product) {
  return by_cutlass(spec, product) ? cutlass_workspace_bytes(product.experts) : 0;
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_GROUPED_PRODUCTS_H_
