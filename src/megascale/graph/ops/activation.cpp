// Activations and additions: gelu, swiglu, geglu, soft_cap, add, scale, add_bias and the kinds of their
// gradients. The gradient of an activation reads its input again instead of its output; that of
// soft_cap reads the output. The gradient of an
// addition is the gradient of the sum itself, so add needs no kind for its backward.
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void infer_gelu(ShapeContext& context) {
  using enum gelu::Operand;
  context.output(output, context.shape(input), context.dtype(input));
}

// Emits the gradient of gelu, swiglu or geglu. `Gradient` names the operands of the gradient's kind.
template <class Activation, class Gradient>
void emit_gradient(BackwardContext& context, const OpKind<Gradient>& kind) {
  const TensorId dy = context.gradient(Activation::output);
  if (dy == kNoTensor) return;
  const TensorId dx = context.emit_for(
      Gradient::input_gradient, kind, "grad",
      {{Gradient::gradient, dy}, {Gradient::input, context.operand(Activation::input)}},
      context.attributes());
  context.contribute(Activation::input, dx);
}
void backward_gelu(BackwardContext& context) {
  emit_gradient<gelu::Operand>(context, gelu_gradient_op());
}
void backward_swiglu(BackwardContext& context) {
  emit_gradient<swiglu::Operand>(context, swiglu_gradient_op());
}
void backward_geglu(BackwardContext& context) {
  emit_gradient<geglu::Operand>(context, geglu_gradient_op());
}

void infer_gelu_gradient(ShapeContext& context) {
  using enum gelu_gradient::Operand;
  context.require_shape(gradient, context.shape(input));
  context.output(input_gradient, context.shape(input), context.dtype(input));
}

// The shapes of swiglu and geglu.
template <class Operand>
void infer_gated(ShapeContext& context) {
  const Shape& x = context.shape(Operand::input);
  context.require(x.size() == 2 && x[1].size % 2 == 0, "input[N,2F]");
  context.output(Operand::output, {x[0], Dim(x[1].size / 2)}, context.dtype(Operand::input));
}

template <class Operand>
void infer_gated_gradient(ShapeContext& context) {
  const Shape x = context.shape(Operand::input);
  context.require(x.size() == 2 && x[1].size % 2 == 0, "input[N,2F]");
  context.require_shape(Operand::gradient, {x[0], Dim(x[1].size / 2)});
  context.output(Operand::input_gradient, x, context.dtype(Operand::input));
}

void infer_soft_cap(ShapeContext& context) {
  using enum soft_cap::Operand;
  context.require(context.shape(input).size() == 2, "input[N,C]");
  context.output(output, context.shape(input), context.dtype(input));
}

void backward_soft_cap(BackwardContext& context) {
  using enum soft_cap::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId dx = context.emit_for(
      soft_cap_gradient::input_gradient, soft_cap_gradient_op(), "grad",
      {{soft_cap_gradient::gradient, dy}, {soft_cap_gradient::output, context.operand(output)}},
      context.attributes());
  context.contribute(input, dx);
}

void infer_soft_cap_gradient(ShapeContext& context) {
  using enum soft_cap_gradient::Operand;
  context.require(context.shape(output).size() == 2, "output[N,C]");
  context.require_shape(gradient, context.shape(output));
  context.output(input_gradient, context.shape(output), context.dtype(output));
}

void infer_add(ShapeContext& context) {
  using enum add::Operand;
  context.require_shape(b, context.shape(a));
  context.require(context.dtype(a) == context.dtype(b), "a and b of one dtype");
  context.output(output, context.shape(a), context.dtype(a));
}

void backward_add(BackwardContext& context) {
  using enum add::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  for (const add::Operand input : {a, b}) {
    if (context.needs_gradient(input)) context.contribute(input, dy);
  }
}

void infer_scale(ShapeContext& context) {
  using enum scale::Operand;
  context.require(context.shape(input).size() == 2, "input[N,C]");
  context.output(output, context.shape(input), context.dtype(input));
}

void backward_scale(BackwardContext& context) {
  using enum scale::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor || !context.needs_gradient(input)) return;
  context.contribute(
      input, context.emit_for(output, scale_op(), "grad", {{input, dy}}, context.attributes()));
}

void infer_add_bias(ShapeContext& context) {
  using enum add_bias::Operand;
  const Shape& x = context.shape(input);
  context.require(x.size() == 2, "input[N,C]");
  context.require_shape(bias, {x[1]});
  context.output(output, x, context.dtype(input));
}

void backward_add_bias(BackwardContext& context) {
  using enum add_bias::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId dbias = context.main_gradient(bias);
  if (dbias != kNoTensor) {
    context.emit(bias_gradient_op(), "wgrad",
                 {{bias_gradient::gradient, dy}, {bias_gradient::bias_gradient, dbias}}, {},
                 Phase::weight_gradient);
  }
  if (context.needs_gradient(input)) context.contribute(input, dy);
}

void infer_bias_gradient(ShapeContext& context) {
  const Shape& gradient = context.shape(bias_gradient::gradient);
  context.require(gradient.size() == 2, "gradient[N,C]");
  context.require_shape(bias_gradient::bias_gradient, {gradient[1]});
}

}  // namespace

const OpKind<gelu::Operand>& gelu_op() {
  using enum gelu::Operand;
  static const OpKind<gelu::Operand> def{{.name = "gelu",
                                          .operands = operand_table<Reads<input>, Writes<output>>(),
                                          .infer = infer_gelu,
                                          .backward = backward_gelu}};
  return def;
}

const OpKind<gelu_gradient::Operand>& gelu_gradient_op() {
  using enum gelu_gradient::Operand;
  static const OpKind<gelu_gradient::Operand> def{
      {.name = "gelu_gradient",
       .operands = operand_table<Reads<gradient>, Reads<input>, Writes<input_gradient>>(),
       .infer = infer_gelu_gradient,
       .in_place = {{input_gradient, gradient}, {input_gradient, input}}}};
  return def;
}

const OpKind<swiglu::Operand>& swiglu_op() {
  using enum swiglu::Operand;
  static const OpKind<swiglu::Operand> def{
      {.name = "swiglu",
       .operands = operand_table<Reads<input>, Writes<output>>(),
       .infer = infer_gated<swiglu::Operand>,
       .backward = backward_swiglu}};
  return def;
}

const OpKind<swiglu_gradient::Operand>& swiglu_gradient_op() {
  using enum swiglu_gradient::Operand;
  static const OpKind<swiglu_gradient::Operand> def{
      {.name = "swiglu_gradient",
       .operands = operand_table<Reads<gradient>, Reads<input>, Writes<input_gradient>>(),
       .infer = infer_gated_gradient<swiglu_gradient::Operand>}};
  return def;
}

const OpKind<geglu::Operand>& geglu_op() {
  using enum geglu::Operand;
  static const OpKind<geglu::Operand> def{
      {.name = "geglu",
       .operands = operand_table<Reads<input>, Writes<output>>(),
       .infer = infer_gated<geglu::Operand>,
       .backward = backward_geglu}};
  return def;
}

const OpKind<geglu_gradient::Operand>& geglu_gradient_op() {
  using enum geglu_gradient::Operand;
  static const OpKind<geglu_gradient::Operand> def{
      {.name = "geglu_gradient",
       .operands = operand_table<Reads<gradient>, Reads<input>, Writes<input_gradient>>(),
       .infer = infer_gated_gradient<geglu_gradient::Operand>}};
  return def;
}

const OpKind<soft_cap::Operand>& soft_cap_op() {
  using enum soft_cap::Operand;
  static const OpKind<soft_cap::Operand> def{
      {.name = "soft_cap",
       .operands = operand_table<Reads<input>, Writes<output>>(),
       .infer = infer_soft_cap,
       .backward = backward_soft_cap,
       .in_place = {{output, input}},
       .row_operands = {input, output}}};
  return def;
}

const OpKind<soft_cap_gradient::Operand>& soft_cap_gradient_op() {
  using enum soft_cap_gradient::Operand;
  static const OpKind<soft_cap_gradient::Operand> def{
      {.name = "soft_cap_gradient",
       .operands = operand_table<Reads<gradient>, Reads<output>, Writes<input_gradient>>(),
       .infer = infer_soft_cap_gradient,
       .in_place = {{input_gradient, gradient}, {input_gradient, output}}}};
  return def;
}

const OpKind<add::Operand>& add_op() {
  using enum add::Operand;
  static const OpKind<add::Operand> def{
      {.name = "add",
       .operands = operand_table<Reads<a>, Reads<b>, Writes<output>>(),
       .infer = infer_add,
       .backward = backward_add,
       .in_place = {{output, a}, {output, b}},
       .tile_flow = TileFlow{.input = a, .output = output, .second_input = b}}};
  return def;
}

const OpKind<scale::Operand>& scale_op() {
  using enum scale::Operand;
  static const OpKind<scale::Operand> def{
      {.name = "scale",
       .operands = operand_table<Reads<input>, Writes<output>>(),
       .infer = infer_scale,
       .backward = backward_scale,
       .in_place = {{output, input}},
       .row_operands = {input, output}}};
  return def;
}

const OpKind<add_bias::Operand>& add_bias_op() {
  using enum add_bias::Operand;
  static const OpKind<add_bias::Operand> def{
      {.name = "add_bias",
       .operands = operand_table<Reads<input>, Reads<bias>, Writes<output>>(),
       .infer = infer_add_bias,
       .backward = backward_add_bias,
       .in_place = {{output, input}}}};
  return def;
}

const OpKind<bias_gradient::Operand>& bias_gradient_op() {
  using enum bias_gradient::Operand;
  static const OpKind<bias_gradient::Operand> def{
      {.name = "bias_gradient",
       .operands = operand_table<Reads<gradient>, FirstWrites<bias_gradient>>(),
       .infer = infer_bias_gradient}};
  return def;
}

}  // namespace megascale::graph
