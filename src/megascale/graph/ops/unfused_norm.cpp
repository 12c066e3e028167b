#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

// Norms as chains of kernels, one for each step of the definition, with their results in memory:
// the baseline of the published tables had no fused ones. LayerNorm is all of the chain, RMSNorm
// begins at the reciprocal root. Per token n with z = normalised, g = dy gamma:
//   z = (x - mean) rstd,  y = z gamma + beta,  dx = rstd (g - mean_c g - z mean_c (g z))
// without "- mean_c g" for RMSNorm. The last two are the whole gradient of a norm, by mean and rstd
// included; what stands in front of them passes it on.
namespace megascale::graph {
namespace {

void infer_of_row(ShapeContext& context) {
  const Shape input = context.shape(0);
  context.require(input.size() == 2, "input[N,C]");
  context.output(1, {input[0]}, DType::float32);
}

void infer_by_row(ShapeContext& context) {
  const Shape input = context.shape(0);
  context.require(input.size() == 2, "input[N,C]");
  context.require_shape(1, {input[0]});
  context.output(2, input, context.dtype(0));
}
void backward_centre(BackwardContext& context) {
  const TensorId dy = context.gradient(2);
  if (dy != kNoTensor) context.contribute(0, dy);
}

void backward_normalise(BackwardContext& context) {
  const TensorId dy = context.gradient(2);
  if (dy == kNoTensor) return;
  const TensorId normalised = context.operand(2);
  const Op& sums =
      context.emit(norm_gradient_means_op(), "means", {dy, normalised}, context.attributes());
  const Op& op = context.emit(norm_gradient_op(), "grad",
                              {dy, normalised, sums.operands[2], context.operand(1)});
  context.contribute(0, op.operands[4]);
}

void infer_scale(ShapeContext& context) {
  const Shape input = context.shape(0);
  context.require(input.size() == 2, "normalised[N,C]");
  context.require_shape(1, {input[1]});
  if (context.has(2)) context.require_shape(2, {input[1]});
  context.output(3, input, context.dtype(0));
}
void backward_scale(BackwardContext& context) {
  const TensorId dy = context.gradient(3);
  if (dy == kNoTensor) return;
  const TensorId gamma = context.main_gradient(1),
                 beta = context.has(2) ? context.main_gradient(2) : kNoTensor;
  const Op& op = context.emit(norm_scale_gradient_op(), "scale_grad",
                              {dy, context.operand(0), context.operand(1), kNoTensor, gamma, beta});
  context.contribute(0, op.operands[3]);
}

void infer_scale_gradient(ShapeContext& context) {
  const Shape gradient = context.shape(0);
  context.require(gradient.size() == 2, "gradient[N,C]");
  context.require_shape(1, gradient);
  for (const std::size_t per_channel : {2, 4, 5}) {
    if (context.has(per_channel)) context.require_shape(per_channel, {gradient[1]});
  }
  context.output(3, gradient, context.dtype(0));
}

void infer_gradient_means(ShapeContext& context) {
  context.require(context.shape(0).size() == 2, "gradient[N,C]");
  context.require_shape(1, context.shape(0));
  context.output(2, {context.shape(0)[0], Dim(2)}, DType::float32);
}

void infer_gradient(ShapeContext& context) {
  const Shape gradient = context.shape(0);
  context.require(gradient.size() == 2, "gradient[N,C]");
  context.require_shape(1, gradient);
  context.require_shape(2, {gradient[0], Dim(2)});
  context.require_shape(3, {gradient[0]});
  context.output(4, gradient, context.dtype(0));
}

}  // namespace

const OpDef& norm_mean_op() {
  static const OpDef def{
      .name = "norm_mean", .operands = {{"input"}, {"mean", Access::write}}, .infer = infer_of_row};
  return def;
}

const OpDef& norm_centre_op() {
  static const OpDef def{.name = "norm_centre",
                         .operands = {{"input"}, {"mean"}, {"centred", Access::write}},
                         .infer = infer_by_row,
                         .backward = backward_centre};
  return def;
}

// attribute epsilon
const OpDef& norm_rstd_op() {
  static const OpDef def{.name = "norm_rstd",
                         .operands = {{"centred"}, {"rstd", Access::write}},
                         .infer = infer_of_row};
  return def;
}

// attribute centred: whether the input is, by its own mean
const OpDef& norm_normalise_op() {
  static const OpDef def{.name = "norm_normalise",
                         .operands = {{"centred"}, {"rstd"}, {"normalised", Access::write}},
                         .infer = infer_by_row,
                         .backward = backward_normalise,
                         .in_place = {{2, 0}}};
  return def;
}

const OpDef& norm_scale_op() {
  static const OpDef def{.name = "norm_scale",
                         .operands = {{"normalised"},
                                      {"gamma"},
                                      {"beta", Access::read, true},
                                      {"output", Access::write}},
                         .infer = infer_scale,
                         .backward = backward_scale};
  return def;
}

const OpDef& norm_scale_gradient_op() {
  static const OpDef def{.name = "norm_scale_gradient",
                         .operands = {{"gradient"},
                                      {"normalised"},
                                      {"gamma"},
                                      {"normalised_gradient", Access::write},
                                      {"gamma_gradient", Access::first_writes},
                                      {"beta_gradient", Access::first_writes, true}},
                         .infer = infer_scale_gradient,
                         .in_place = {{3, 0}}};
  return def;
}

const OpDef& norm_gradient_means_op() {
  static const OpDef def{.name = "norm_gradient_means",
                         .operands = {{"gradient"}, {"normalised"}, {"means", Access::write}},
                         .infer = infer_gradient_means};
  return def;
}

const OpDef& norm_gradient_op() {
  static const OpDef def{.name = "norm_gradient",
                         .operands = {{"gradient"},
                                      {"normalised"},
                                      {"means"},
                                      {"rstd"},
                                      {"input_gradient", Access::write}},
                         .infer = infer_gradient,
                         .in_place = {{4, 0}}};
  return def;
}

}  // namespace megascale::graph
