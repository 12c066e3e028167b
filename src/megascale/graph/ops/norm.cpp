// Fused LayerNorm and RMSNorm. The forward also writes the statistics of each token (mean,
// reciprocal standard deviation), which the backward reads. The backward accumulates the gradients
// of gamma and beta, and adds an optional addend to the gradient of its input.
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void infer_layer_norm(ShapeContext& context) {
  using enum layer_norm::Operand;
  const Shape x = context.shape(input);
  context.require(x.size() == 2, "input[N,C]");
  context.require_shape(gamma, {x[1]});
  context.require_shape(beta, {x[1]});
  context.output(output, x, context.dtype(input));
  context.output(mean, {x[0]}, DType::float32);
  context.output(rstd, {x[0]}, DType::float32);
}

void backward_layer_norm(BackwardContext& context) {
  using enum layer_norm::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId dgamma = context.main_gradient(gamma), dbeta = context.main_gradient(beta);
  const TensorId addend = context.take_addend(input);
  const TensorId dx =
      context.emit_for(layer_norm_gradient::input_gradient, layer_norm_gradient_op(), "grad",
                       {{layer_norm_gradient::gradient, dy},
                        {layer_norm_gradient::input, context.operand(input)},
                        {layer_norm_gradient::gamma, context.operand(gamma)},
                        {layer_norm_gradient::mean, context.operand(mean)},
                        {layer_norm_gradient::rstd, context.operand(rstd)},
                        {layer_norm_gradient::addend, addend},
                        {layer_norm_gradient::gamma_gradient, dgamma},
                        {layer_norm_gradient::beta_gradient, dbeta}},
                       context.attributes());
  context.contribute(input, dx);
}

void infer_layer_norm_gradient(ShapeContext& context) {
  using enum layer_norm_gradient::Operand;
  const Shape x = context.shape(input);
  context.require(x.size() == 2, "input[N,C]");
  context.require_shape(gradient, x);
  context.require_shape(gamma, {x[1]});
  for (const auto of_parameter : {gamma_gradient, beta_gradient}) {
    if (context.has(of_parameter)) context.require_shape(of_parameter, {x[1]});
  }
  for (const auto per_token : {mean, rstd}) context.require_shape(per_token, {x[0]});
  if (context.has(addend)) context.require_shape(addend, x);
  context.output(input_gradient, x, context.dtype(input));
}

void infer_rms_norm(ShapeContext& context) {
  using enum rms_norm::Operand;
  const Shape x = context.shape(input);
  context.require(x.size() == 2, "input[N,C]");
  context.require_shape(gamma, {x[1]});
  context.output(output, x, context.dtype(input));
  context.output(rstd, {x[0]}, DType::float32);
}

void backward_rms_norm(BackwardContext& context) {
  using enum rms_norm::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId dgamma = context.main_gradient(gamma);
  const TensorId addend = context.take_addend(input);
  const TensorId dx =
      context.emit_for(rms_norm_gradient::input_gradient, rms_norm_gradient_op(), "grad",
                       {{rms_norm_gradient::gradient, dy},
                        {rms_norm_gradient::input, context.operand(input)},
                        {rms_norm_gradient::gamma, context.operand(gamma)},
                        {rms_norm_gradient::rstd, context.operand(rstd)},
                        {rms_norm_gradient::addend, addend},
                        {rms_norm_gradient::gamma_gradient, dgamma}},
                       context.attributes());
  context.contribute(input, dx);
}

void infer_rms_norm_gradient(ShapeContext& context) {
  using enum rms_norm_gradient::Operand;
  const Shape x = context.shape(input);
  context.require(x.size() == 2, "input[N,C]");
  context.require_shape(gradient, x);
  context.require_shape(gamma, {x[1]});
  if (context.has(gamma_gradient)) context.require_shape(gamma_gradient, {x[1]});
  context.require_shape(rstd, {x[0]});
  if (context.has(addend)) context.require_shape(addend, x);
  context.output(input_gradient, x, context.dtype(input));
}

}  // namespace

// Attribute: epsilon.
const OpKind<layer_norm::Operand>& layer_norm_op() {
  using enum layer_norm::Operand;
  static const OpKind<layer_norm::Operand> def{
      {.name = "layer_norm",
       .operands = operand_table<Reads<input>, Reads<gamma>, Reads<beta>, Writes<output>,
                                 Writes<mean>, Writes<rstd>>(),
       .infer = infer_layer_norm,
       .backward = backward_layer_norm}};
  return def;
}

const OpKind<layer_norm_gradient::Operand>& layer_norm_gradient_op() {
  using enum layer_norm_gradient::Operand;
  static const OpKind<layer_norm_gradient::Operand> def{
      {.name = "layer_norm_gradient",
       .operands = operand_table<Reads<gradient>, Reads<input>, Reads<gamma>, Reads<mean>,
                                 Reads<rstd>, MayRead<addend>, Writes<input_gradient>,
                                 MayFirstWrite<gamma_gradient>, MayFirstWrite<beta_gradient>>(),
       .infer = infer_layer_norm_gradient,
       .in_place = {{input_gradient, addend}, {input_gradient, gradient}}}};
  return def;
}

// Attributes: epsilon, gamma_offset (added to the weights; absent: 0).
const OpKind<rms_norm::Operand>& rms_norm_op() {
  using enum rms_norm::Operand;
  static const OpKind<rms_norm::Operand> def{
      {.name = "rms_norm",
       .operands = operand_table<Reads<input>, Reads<gamma>, Writes<output>, Writes<rstd>>(),
       .infer = infer_rms_norm,
       .backward = backward_rms_norm}};
  return def;
}

const OpKind<rms_norm_gradient::Operand>& rms_norm_gradient_op() {
  using enum rms_norm_gradient::Operand;
  static const OpKind<rms_norm_gradient::Operand> def{
      {.name = "rms_norm_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<input>, Reads<gamma>, Reads<rstd>, MayRead<addend>,
                         Writes<input_gradient>, MayFirstWrite<gamma_gradient>>(),
       .infer = infer_rms_norm_gradient,
       .in_place = {{input_gradient, addend}, {input_gradient, gradient}}}};
  return def;
}

}  // namespace megascale::graph
