#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void infer_layer_norm(ShapeContext& context) {
  const Shape input = context.shape(0);
  context.require(input.size() == 2, "input[N,C]");
  context.require_shape(1, {input[1]});
  context.require_shape(2, {input[1]});
  context.output(3, input, context.dtype(0));
  context.output(4, {input[0]}, DType::float32);
  context.output(5, {input[0]}, DType::float32);
}

void backward_layer_norm(BackwardContext& context) {
  const TensorId dy = context.gradient(3);
  if (dy == kNoTensor) return;
  const TensorId gamma = context.main_gradient(1), beta = context.main_gradient(2);
  const TensorId addend = context.take_addend(0);
  const Op& op = context.emit(layer_norm_gradient_op(), "grad",
                              {dy, context.operand(0), context.operand(1), context.operand(4),
                               context.operand(5), addend, kNoTensor, gamma, beta},
                              context.attributes());
  context.contribute(0, op.operands[6]);
}

void infer_layer_norm_gradient(ShapeContext& context) {
  const Shape input = context.shape(1);
  context.require(input.size() == 2, "input[N,C]");
  context.require_shape(0, input);
  for (const std::size_t per_channel : {2, 7, 8}) context.require_shape(per_channel, {input[1]});
  for (const std::size_t per_token : {3, 4}) context.require_shape(per_token, {input[0]});
  if (context.has(5)) context.require_shape(5, input);
  context.output(6, input, context.dtype(1));
}

void infer_rms_norm(ShapeContext& context) {
  const Shape input = context.shape(0);
  context.require(input.size() == 2, "input[N,C]");
  context.require_shape(1, {input[1]});
  context.output(2, input, context.dtype(0));
  context.output(3, {input[0]}, DType::float32);
}

void backward_rms_norm(BackwardContext& context) {
  const TensorId dy = context.gradient(2);
  if (dy == kNoTensor) return;
  const TensorId gamma = context.main_gradient(1);
  const TensorId addend = context.take_addend(0);
  const Op& op = context.emit(
      rms_norm_gradient_op(), "grad",
      {dy, context.operand(0), context.operand(1), context.operand(3), addend, kNoTensor, gamma},
      context.attributes());
  context.contribute(0, op.operands[5]);
}

void infer_rms_norm_gradient(ShapeContext& context) {
  const Shape input = context.shape(1);
  context.require(input.size() == 2, "input[N,C]");
  context.require_shape(0, input);
  for (const std::size_t per_channel : {2, 6}) context.require_shape(per_channel, {input[1]});
  context.require_shape(3, {input[0]});
  if (context.has(4)) context.require_shape(4, input);
  context.output(5, input, context.dtype(1));
}

}  // namespace

// attribute epsilon
const OpDef& layer_norm_op() {
  static const OpDef def{.name = "layer_norm",
                         .operands = {{"input"},
                                      {"gamma"},
                                      {"beta"},
                                      {"output", Access::write},
                                      {"mean", Access::write},
                                      {"rstd", Access::write}},
                         .infer = infer_layer_norm,
                         .backward = backward_layer_norm};
  return def;
}

const OpDef& layer_norm_gradient_op() {
  static const OpDef def{.name = "layer_norm_gradient",
                         .operands = {{"gradient"},
                                      {"input"},
                                      {"gamma"},
                                      {"mean"},
                                      {"rstd"},
                                      {"addend", Access::read, true},
                                      {"input_gradient", Access::write},
                                      {"gamma_gradient", Access::first_writes},
                                      {"beta_gradient", Access::first_writes}},
                         .infer = infer_layer_norm_gradient,
                         .in_place = {{6, 5}, {6, 0}}};
  return def;
}

// attribute epsilon
const OpDef& rms_norm_op() {
  static const OpDef def{
      .name = "rms_norm",
      .operands = {{"input"}, {"gamma"}, {"output", Access::write}, {"rstd", Access::write}},
      .infer = infer_rms_norm,
      .backward = backward_rms_norm};
  return def;
}

const OpDef& rms_norm_gradient_op() {
  static const OpDef def{.name = "rms_norm_gradient",
                         .operands = {{"gradient"},
                                      {"input"},
                                      {"gamma"},
                                      {"rstd"},
                                      {"addend", Access::read, true},
                                      {"input_gradient", Access::write},
                                      {"gamma_gradient", Access::first_writes}},
                         .infer = infer_rms_norm_gradient,
                         .in_place = {{5, 4}, {5, 0}}};
  return def;
}

}  // namespace megascale::graph
