// Matrix products with a weight: linear, the two products of its gradient, and the forms in which
// GELU or an addition is fused into the product. The gradients of the input and of the weight are
// ops of their own, so that a weight gradient can fill a communication gap or a pipeline bubble
// (zero-bubble, arXiv 2401.10241).
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

// These kinds give the same names to the same operands. So shape rules and costs are templates over
// the enumeration of a kind's operands.

// Returns the shape of input x weight^T. Checks input, weight and bias.
template <class Operand>
Shape product_shape(ShapeContext& context) {
  const Shape& input = context.shape(Operand::input);
  const Shape& weight = context.shape(Operand::weight);
  context.require(input.size() == 2 && weight.size() == 2 && input[1] == weight[1],
                  "input[N,I] and weight[O,I]");
  context.require(context.dtype(Operand::input) == context.dtype(Operand::weight),
                  "input and weight of one dtype");
  if (context.has(Operand::bias)) context.require_shape(Operand::bias, {weight[0]});
  return {input[0], weight[0]};
}

void infer(ShapeContext& context) {
  using enum linear::Operand;
  context.output(output, product_shape<linear::Operand>(context), context.dtype(input));
}

void infer_linear_gelu(ShapeContext& context) {
  using enum linear_gelu::Operand;
  const Shape shape = product_shape<linear_gelu::Operand>(context);
  context.output(sum, shape, context.dtype(input));
  context.output(output, shape, context.dtype(input));
}

void infer_linear_add(ShapeContext& context) {
  using enum linear_add::Operand;
  const Shape shape = product_shape<linear_add::Operand>(context);
  context.require_shape(addend, shape);
  context.output(output, shape, context.dtype(input));
}

void backward(BackwardContext& context) {
  using enum linear::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  // The attributes carry fp8: all three products round their operands.
  const Attributes attributes = context.attributes();
  if (context.needs_gradient(input)) {
    const TensorId addend = context.take_addend(input);
    const TensorId dx =
        context.emit_for(linear_input_gradient::input_gradient, linear_input_gradient_op(), "dgrad",
                         {{linear_input_gradient::gradient, dy},
                          {linear_input_gradient::weight, context.operand(weight)},
                          {linear_input_gradient::addend, addend}},
                         attributes);
    context.contribute(input, dx);
  }
  const TensorId dw = context.main_gradient(weight), db = context.main_gradient(bias);
  if (dw == kNoTensor) return;  // frozen, and so is the bias
  context.emit(linear_weight_gradient_op(), "wgrad",
               {{linear_weight_gradient::gradient, dy},
                {linear_weight_gradient::input, context.operand(input)},
                {linear_weight_gradient::weight_gradient, dw},
                {linear_weight_gradient::bias_gradient, db}},
               attributes, Phase::weight_gradient);
}

template <class Operand>
Shape input_gradient_shape(const ShapeContext& context) {
  const Shape &gradient = context.shape(Operand::gradient),
              &weight = context.shape(Operand::weight);
  context.require(gradient.size() == 2 && weight.size() == 2 && gradient[1] == weight[0],
                  "gradient[N,O] and weight[O,I]");
  return {gradient[0], weight[1]};
}

void infer_input_gradient(ShapeContext& context) {
  using enum linear_input_gradient::Operand;
  const Shape shape = input_gradient_shape<linear_input_gradient::Operand>(context);
  if (context.has(addend)) context.require_shape(addend, shape);
  context.output(input_gradient, shape, context.dtype(gradient));
}

void infer_linear_gelu_gradient(ShapeContext& context) {
  using enum linear_gelu_gradient::Operand;
  const Shape shape = input_gradient_shape<linear_gelu_gradient::Operand>(context);
  context.require_shape(sum, shape);
  context.output(sum_gradient, shape, context.dtype(gradient));
}

void infer_weight_gradient(ShapeContext& context) {
  using enum linear_weight_gradient::Operand;
  const Shape &dy = context.shape(gradient), &x = context.shape(input);
  context.require(dy.size() == 2 && x.size() == 2 && dy[0].size == x[0].size,
                  "gradient[N,O] and input[N,I]");
  context.require_shape(weight_gradient, {dy[1], x[1]});
  if (context.has(bias_gradient)) context.require_shape(bias_gradient, {dy[1]});
}

Cost gemm_cost(std::int64_t rows, std::int64_t outputs, std::int64_t inputs) {
  const double flops =
      2.0 * static_cast<double>(rows) * static_cast<double>(outputs) * static_cast<double>(inputs);
  return {.flops = flops, .model_flops = flops, .megatron_flops = flops};
}
template <class Operand>
Cost forward_cost(const OpView& op) {
  return gemm_cost(op.size(Operand::input, 0), op.size(Operand::weight, 0),
                   op.size(Operand::weight, 1));
}
template <class Operand>
Cost input_gradient_cost(const OpView& op) {
  return gemm_cost(op.size(Operand::gradient, 0), op.size(Operand::weight, 0),
                   op.size(Operand::weight, 1));
}
Cost weight_gradient_cost(const OpView& op) {
  using enum linear_weight_gradient::Operand;
  return gemm_cost(op.size(gradient, 0), op.size(gradient, 1), op.size(input, 1));
}

}  // namespace

const OpKind<linear::Operand>& linear_op() {
  using enum linear::Operand;
  static const OpKind<linear::Operand> def{
      {.name = "linear",
       .operands = operand_table<Reads<input>, Reads<weight>, MayRead<bias>, Writes<output>>(),
       .infer = infer,
       .backward = backward,
       .cost = forward_cost<linear::Operand>,
       .row_product = RowProduct{.input = input, .output = output},
       .tile_flow = TileFlow{.input = input, .output = output},
       .gemm = true}};
  return def;
}

const OpKind<linear_input_gradient::Operand>& linear_input_gradient_op() {
  using enum linear_input_gradient::Operand;
  static const OpKind<linear_input_gradient::Operand> def{
      {.name = "linear_input_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<weight>, MayRead<addend>, Writes<input_gradient>>(),
       .infer = infer_input_gradient,
       .cost = input_gradient_cost<linear_input_gradient::Operand>,
       .in_place = {{input_gradient, addend}},
       .row_product = RowProduct{.input = gradient, .output = input_gradient, .addend = addend},
       .tile_flow = TileFlow{.input = gradient, .output = input_gradient},
       .gemm = true}};
  return def;
}

const OpKind<linear_gelu::Operand>& linear_gelu_op() {
  using enum linear_gelu::Operand;
  static const OpKind<linear_gelu::Operand> def{
      {.name = "linear_gelu",
       .operands =
           operand_table<Reads<input>, Reads<weight>, MayRead<bias>, Writes<sum>, Writes<output>>(),
       .infer = infer_linear_gelu,
       .cost = forward_cost<linear_gelu::Operand>,
       .gemm = true}};
  return def;
}

const OpKind<linear_add::Operand>& linear_add_op() {
  using enum linear_add::Operand;
  static const OpKind<linear_add::Operand> def{
      {.name = "linear_add",
       .operands = operand_table<Reads<input>, Reads<weight>, MayRead<bias>, Reads<addend>,
                                 Writes<output>>(),
       .infer = infer_linear_add,
       .cost = forward_cost<linear_add::Operand>,
       .gemm = true}};
  return def;
}

const OpKind<linear_gelu_gradient::Operand>& linear_gelu_gradient_op() {
  using enum linear_gelu_gradient::Operand;
  static const OpKind<linear_gelu_gradient::Operand> def{
      {.name = "linear_gelu_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<weight>, Reads<sum>, Writes<sum_gradient>>(),
       .infer = infer_linear_gelu_gradient,
       .cost = input_gradient_cost<linear_gelu_gradient::Operand>,
       .gemm = true}};
  return def;
}

const OpKind<linear_weight_gradient::Operand>& linear_weight_gradient_op() {
  using enum linear_weight_gradient::Operand;
  static const OpKind<linear_weight_gradient::Operand> def{
      {.name = "linear_weight_gradient",
       .operands = operand_table<Reads<gradient>, Reads<input>, FirstWrites<weight_gradient>,
                                 MayFirstWrite<bias_gradient>>(),
       .infer = infer_weight_gradient,
       .cost = weight_gradient_cost,
       .gemm = true}};
  return def;
}

}  // namespace megascale::graph
