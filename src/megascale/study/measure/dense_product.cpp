// Builds the product of cuBLASLt that has the shapes of a grouped product without its experts.
#include "megascale/study/measure/dense_product.h"

#include "megascale/graph/ops/expert_ops.h"
#include "megascale/graph/ops/quantised_ops.h"
#include "megascale/kernels/cuda/gemm.h"
#include "megascale/kernels/cuda/quantise.h"

namespace megascale::study {
namespace {

using kernels::cuda::GemmConfig;
using kernels::cuda::GemmKind;

// A grouped product's kind and the numbers of its operands.
struct Product {
  GemmKind kind;
  std::size_t left, right, result;
  std::size_t weight;  // of [experts, out, in]; with fp8 as it is multiplied
  std::size_t left_scale = 0, right_scales = 0;  // fp8
  bool fp8 = false;
};

Product quantised_product_of(GemmKind kind) {
  using enum graph::quantised_grouped_linear::Operand;  // both kinds have this order
  return {.kind = kind,
          .left = input,
          .right = weight,
          .result = output,
          .weight = weight,
          .left_scale = input_scale,
          .right_scales = weight_scales,
          .fp8 = true};
}
Product product_of(const graph::OpDef& def) {
  if (&def == &graph::grouped_linear_op()) {
    using enum graph::grouped_linear::Operand;
    return {.kind = GemmKind::forward,
            .left = input,
            .right = weight,
            .result = output,
            .weight = weight};
  }
  if (&def == &graph::grouped_linear_input_gradient_op()) {
    using enum graph::grouped_linear_input_gradient::Operand;
    return {.kind = GemmKind::input_gradient,
            .left = gradient,
            .right = weight,
            .result = input_gradient,
            .weight = weight};
  }
  if (&def == &graph::quantised_grouped_linear_op()) return quantised_product_of(GemmKind::forward);
  if (&def == &graph::quantised_grouped_input_gradient_op())
    return quantised_product_of(GemmKind::input_gradient);
  using enum graph::grouped_linear_weight_gradient::Operand;
  return {.kind = GemmKind::weight_gradient,
          .left = gradient,
          .right = input,
          .result = weight_gradient,
          .weight = weight_gradient};
}

}  // namespace

DenseProduct::DenseProduct(kernels::cuda::GemmChoices* choices)
    : choices_(choices), workspace_(kernels::cuda::kGemmWorkspaceNbytes) {}

std::optional<Spread> DenseProduct::seconds_of(const plan::PlanOp& op,
                                               std::span<std::byte* const> operands, bool first,
                                               const cuda::Stopwatch& stopwatch, int runs) const {
  const Product product = product_of(*op.def);
  const graph::Shape& weight = op.tensors[product.weight]->shape;
  const bool adds = product.kind == GemmKind::weight_gradient &&
                    (!first || op.def == &graph::grouped_linear_weight_gradient_added_op());
  const bool is_transposed = product.fp8 && product.kind == GemmKind::input_gradient;
  const auto rows = static_cast<std::size_t>(op.tensors[product.left]->shape[0].expected());
  if (product.fp8 && rows % 16 != 0) return std::nullopt;
  const kernels::cuda::Gemm gemm(
      GemmConfig{.kind = product.kind,
                 .rows = rows,
                 .in = static_cast<std::size_t>(weight[is_transposed ? 1 : 2].size),
                 .out = static_cast<std::size_t>(weight[is_transposed ? 2 : 1].size),
                 .dtype = product.fp8 ? op.tensors[product.result]->dtype
                                      : op.tensors[product.left]->dtype,
                 .accumulate = adds,
                 .fp8 = product.fp8},
      choices_);
  const auto inverse = [&](std::size_t operand) -> const float* {
    if (!product.fp8) return nullptr;
    return &reinterpret_cast<const kernels::cuda::QuantisedScale*>(operands[operand])->inverse;
  };
  const kernels::cuda::GemmOperands addresses{.left = operands[product.left],
                                              .right = operands[product.right],
                                              .result = operands[product.result],
                                              .left_inverse = inverse(product.left_scale),
                                              .right_inverse = inverse(product.right_scales),
                                              .workspace = workspace_.bytes().data()};
  return spread_of(
      stopwatch.seconds_of([&](CUstream_st* stream) { return gemm.run(addresses, stream); }, runs));
}

}  // namespace megascale::study
