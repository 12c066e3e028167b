// Norms as chains of ops, one for each step of the definition, with their results in memory. The
// baseline of the published tables had no fused norms. LayerNorm is the whole chain: mean, centre,
// rstd, normalise, scale. RMSNorm begins at rstd. For one token, with z = normalised and g = dy
// gamma:
//   z = (x - mean) rstd,  y = z gamma + beta,  dx = rstd (g - mean_c g - z mean_c (g z))
// RMSNorm lacks the term "- mean_c g". The last two gradient ops compute the whole gradient of a
// norm, including the parts that go through mean and rstd. The backward rules of the steps before
// them only pass the gradient on.
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

// The shape rule of an op that writes one value for each row of `input`.
void infer_of_row(ShapeContext& context, std::size_t input, std::size_t value) {
  const Shape x = context.shape(input);
  context.require(x.size() == 2, "input[N,C]");
  context.output(value, {x[0]}, DType::float32);
}
void infer_mean(ShapeContext& context) { infer_of_row(context, norm_mean::input, norm_mean::mean); }
void infer_rstd(ShapeContext& context) {
  infer_of_row(context, norm_rstd::centred, norm_rstd::rstd);
}

// The shape rule of an op that combines each row of `input` with the value of the row.
void infer_by_row(ShapeContext& context, std::size_t input, std::size_t value, std::size_t output) {
  const Shape x = context.shape(input);
  context.require(x.size() == 2, "input[N,C]");
  context.require_shape(value, {x[0]});
  context.output(output, x, context.dtype(input));
}
void infer_centre(ShapeContext& context) {
  using enum norm_centre::Operand;
  infer_by_row(context, input, mean, centred);
}
void infer_normalise(ShapeContext& context) {
  using enum norm_normalise::Operand;
  infer_by_row(context, centred, rstd, normalised);
}

void backward_centre(BackwardContext& context) {
  const TensorId dy = context.gradient(norm_centre::centred);
  if (dy != kNoTensor) context.contribute(norm_centre::input, dy);
}

void backward_normalise(BackwardContext& context) {
  using enum norm_normalise::Operand;
  const TensorId dy = context.gradient(normalised);
  if (dy == kNoTensor) return;
  const TensorId means =
      context.emit_for(norm_gradient_means::means, norm_gradient_means_op(), "means",
                       {{norm_gradient_means::gradient, dy},
                        {norm_gradient_means::normalised, context.operand(normalised)}},
                       context.attributes());
  const TensorId dx = context.emit_for(norm_gradient::input_gradient, norm_gradient_op(), "grad",
                                       {{norm_gradient::gradient, dy},
                                        {norm_gradient::normalised, context.operand(normalised)},
                                        {norm_gradient::means, means},
                                        {norm_gradient::rstd, context.operand(rstd)}});
  context.contribute(centred, dx);
}

void infer_scale(ShapeContext& context) {
  using enum norm_scale::Operand;
  const Shape x = context.shape(normalised);
  context.require(x.size() == 2, "normalised[N,C]");
  context.require_shape(gamma, {x[1]});
  if (context.has(beta)) context.require_shape(beta, {x[1]});
  context.output(output, x, context.dtype(normalised));
}

void backward_scale(BackwardContext& context) {
  using enum norm_scale::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId dgamma = context.main_gradient(gamma), dbeta = context.main_gradient(beta);
  const TensorId dx = context.emit_for(
      norm_scale_gradient::normalised_gradient, norm_scale_gradient_op(), "scale_grad",
      {{norm_scale_gradient::gradient, dy},
       {norm_scale_gradient::normalised, context.operand(normalised)},
       {norm_scale_gradient::gamma, context.operand(gamma)},
       {norm_scale_gradient::gamma_gradient, dgamma},
       {norm_scale_gradient::beta_gradient, dbeta}});
  context.contribute(normalised, dx);
}

void infer_scale_gradient(ShapeContext& context) {
  using enum norm_scale_gradient::Operand;
  const Shape dy = context.shape(gradient);
  context.require(dy.size() == 2, "gradient[N,C]");
  context.require_shape(normalised, dy);
  for (const auto per_channel : {gamma, gamma_gradient, beta_gradient}) {
    if (context.has(per_channel)) context.require_shape(per_channel, {dy[1]});
  }
  context.output(normalised_gradient, dy, context.dtype(gradient));
}

void infer_gradient_means(ShapeContext& context) {
  using enum norm_gradient_means::Operand;
  context.require(context.shape(gradient).size() == 2, "gradient[N,C]");
  context.require_shape(normalised, context.shape(gradient));
  context.output(means, {context.shape(gradient)[0], Dim(2)}, DType::float32);
}

void infer_gradient(ShapeContext& context) {
  using enum norm_gradient::Operand;
  const Shape dy = context.shape(gradient);
  context.require(dy.size() == 2, "gradient[N,C]");
  context.require_shape(normalised, dy);
  context.require_shape(means, {dy[0], Dim(2)});
  context.require_shape(rstd, {dy[0]});
  context.output(input_gradient, dy, context.dtype(gradient));
}

}  // namespace

const OpKind<norm_mean::Operand>& norm_mean_op() {
  using enum norm_mean::Operand;
  static const OpKind<norm_mean::Operand> def{
      {.name = "norm_mean",
       .operands = operand_table<Reads<input>, Writes<mean>>(),
       .infer = infer_mean}};
  return def;
}

const OpKind<norm_centre::Operand>& norm_centre_op() {
  using enum norm_centre::Operand;
  static const OpKind<norm_centre::Operand> def{
      {.name = "norm_centre",
       .operands = operand_table<Reads<input>, Reads<mean>, Writes<centred>>(),
       .infer = infer_centre,
       .backward = backward_centre}};
  return def;
}

// Attribute: epsilon.
const OpKind<norm_rstd::Operand>& norm_rstd_op() {
  using enum norm_rstd::Operand;
  static const OpKind<norm_rstd::Operand> def{
      {.name = "norm_rstd",
       .operands = operand_table<Reads<centred>, Writes<rstd>>(),
       .infer = infer_rstd}};
  return def;
}

// Attribute: centred (1 if the mean of each row is 0).
const OpKind<norm_normalise::Operand>& norm_normalise_op() {
  using enum norm_normalise::Operand;
  static const OpKind<norm_normalise::Operand> def{
      {.name = "norm_normalise",
       .operands = operand_table<Reads<centred>, Reads<rstd>, Writes<normalised>>(),
       .infer = infer_normalise,
       .backward = backward_normalise,
       .in_place = {{normalised, centred}}}};
  return def;
}

const OpKind<norm_scale::Operand>& norm_scale_op() {
  using enum norm_scale::Operand;
  static const OpKind<norm_scale::Operand> def{
      {.name = "norm_scale",
       .operands = operand_table<Reads<normalised>, Reads<gamma>, MayRead<beta>, Writes<output>>(),
       .infer = infer_scale,
       .backward = backward_scale}};
  return def;
}

const OpKind<norm_scale_gradient::Operand>& norm_scale_gradient_op() {
  using enum norm_scale_gradient::Operand;
  static const OpKind<norm_scale_gradient::Operand> def{
      {.name = "norm_scale_gradient",
       .operands = operand_table<Reads<gradient>, Reads<normalised>, Reads<gamma>,
                                 Writes<normalised_gradient>, MayFirstWrite<gamma_gradient>,
                                 MayFirstWrite<beta_gradient>>(),
       .infer = infer_scale_gradient,
       .in_place = {{normalised_gradient, gradient}}}};
  return def;
}

const OpKind<norm_gradient_means::Operand>& norm_gradient_means_op() {
  using enum norm_gradient_means::Operand;
  static const OpKind<norm_gradient_means::Operand> def{
      {.name = "norm_gradient_means",
       .operands = operand_table<Reads<gradient>, Reads<normalised>, Writes<means>>(),
       .infer = infer_gradient_means}};
  return def;
}

const OpKind<norm_gradient::Operand>& norm_gradient_op() {
  using enum norm_gradient::Operand;
  static const OpKind<norm_gradient::Operand> def{
      {.name = "norm_gradient",
       .operands = operand_table<Reads<gradient>, Reads<normalised>, Reads<means>, Reads<rstd>,
                                 Writes<input_gradient>>(),
       .infer = infer_gradient,
       .in_place = {{input_gradient, gradient}}}};
  return def;
}

}  // namespace megascale::graph
