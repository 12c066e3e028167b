#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_GROUPED_PRODUCTS_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_GROUPED_PRODUCTS_H_

#include <utility>

#include "megascale/graph/ops/quantised_ops.h"
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

// Returns the product of quantised_grouped_linear or of quantised_grouped_input_gradient, whose
// weight is transposed.
[[nodiscard]] inline GroupedProduct quantised_rows_product(const KernelSpec& spec, GemmKind kind) {
  using enum graph::quantised_grouped_linear::Operand;
  GroupedProduct product = rows_product(spec, kind, input, weight);
  if (kind == GemmKind::input_gradient) std::swap(product.in, product.out);
  product.dtype = dtype_of(spec, output);
  product.fp8 = true;
  return product;
}
// Returns the number of matrices that quantise or quantise_weight rounds: one for each expert if
// its input is the weights of experts.
[[nodiscard]] inline std::size_t quantised_matrices(const KernelSpec& spec) {
  using enum graph::quantise::Operand;
  return spec.tensors[input]->shape.size() == 3 ? spec.size(input, 0) : 1;
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
