// Builds the product of cuBLASLt that has the shapes of a grouped product without its experts.
#include "megascale/study/measure/dense_product.h"

#include "megascale/graph/ops/expert_ops.h"
#include "megascale/kernels/cuda/gemm.h"

namespace megascale::study {
namespace {

using kernels::cuda::GemmConfig;
using kernels::cuda::GemmKind;

// A grouped product's kind and the numbers of its operands.
struct Product {
  GemmKind kind;
  std::size_t left, right, result;
  std::size_t weight;  // of [experts, out, in]
};

Product product_of(const graph::OpDef& def) {
  if (&def == &graph::grouped_linear_op()) {
    using enum graph::grouped_linear::Operand;
    return {GemmKind::forward, input, weight, output, weight};
  }
  if (&def == &graph::grouped_linear_input_gradient_op()) {
    using enum graph::grouped_linear_input_gradient::Operand;
    return {GemmKind::input_gradient, gradient, weight, input_gradient, weight};
  }
  using enum graph::grouped_linear_weight_gradient::Operand;
  return {GemmKind::weight_gradient, gradient, input, weight_gradient, weight_gradient};
}

}  // namespace

DenseProduct::DenseProduct(kernels::cuda::GemmChoices* choices)
    : choices_(choices), workspace_(kernels::cuda::kGemmWorkspaceNbytes) {}

Spread DenseProduct::seconds_of(const plan::PlanOp& op, std::span<std::byte* const> operands,
                                bool first, const cuda::Stopwatch& stopwatch, int runs) const {
  const Product product = product_of(*op.def);
  const graph::Shape& weight = op.tensors[product.weight]->shape;
  const bool adds = product.kind == GemmKind::weight_gradient &&
                    (!first || op.def == &graph::grouped_linear_weight_gradient_added_op());
  const kernels::cuda::Gemm gemm(
      GemmConfig{.kind = product.kind,
                 .rows = static_cast<std::size_t>(op.tensors[product.left]->shape[0].expected()),
                 .in = static_cast<std::size_t>(weight[2].size),
                 .out = static_cast<std::size_t>(weight[1].size),
                 .dtype = op.tensors[product.left]->dtype,
                 .accumulate = adds},
      choices_);
  const kernels::cuda::GemmOperands addresses{.left = operands[product.left],
                                              .right = operands[product.right],
                                              .result = operands[product.result],
                                              .workspace = workspace_.bytes().data()};
  return spread_of(
      stopwatch.seconds_of([&](CUstream_st* stream) { return gemm.run(addresses, stream); }, runs));
}

}  // namespace megascale::study
