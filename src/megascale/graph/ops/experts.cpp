// What experts compute: grouped products, in which each expert multiplies its own rows with its own
// weight, SwiGLU with the weight of the choice folded in, and the gate of a shared expert. As with linear, the gradients of input
// and weight are ops of their own.
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/grouped_products.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"

namespace megascale::graph {
namespace {

void infer_grouped(ShapeContext& context) {
  using enum grouped_linear::Operand;
  const Shape x = context.shape(input), w = context.shape(weight);
  context.require(x.size() == 2 && w.size() == 3 && x[1] == w[2],
                  "input[N,I] and weight[experts,O,I]");
  context.require(context.dtype(input) == context.dtype(weight), "input and weight of one dtype");
  require_groups(context, groups, w[0]);
  context.output(output, {x[0], w[1]}, context.dtype(input));
}

void backward_grouped(BackwardContext& context) {
  using enum grouped_linear::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  // The attributes carry fp8: all three products may round their operands.
  const Attributes attributes = context.attributes();
  if (context.needs_gradient(input)) {
    context.contribute(
        input, context.emit_for(grouped_linear_input_gradient::input_gradient,
                                grouped_linear_input_gradient_op(), "dgrad",
                                {{grouped_linear_input_gradient::gradient, dy},
                                 {grouped_linear_input_gradient::weight, context.operand(weight)},
                                 {grouped_linear_input_gradient::groups, context.operand(groups)}},
                                attributes));
  }
  // If the rows are cut, several products use one weight. They share one accumulator. If the experts
  // are cut, each product writes the part of its own experts.
  const TensorId shared = context.shared_main_gradient(weight);
  const TensorId dw = shared == kNoTensor ? context.main_gradient(weight) : shared;
  if (dw == kNoTensor) return;  // frozen
  const bool adds = shared != kNoTensor && attributes.integer(attribute::expert_pieces, 1) == 1;
  context.emit(
      adds ? grouped_linear_weight_gradient_added_op() : grouped_linear_weight_gradient_op(),
      "wgrad",
      {{grouped_linear_weight_gradient::gradient, dy},
       {grouped_linear_weight_gradient::input, context.operand(input)},
       {grouped_linear_weight_gradient::groups, context.operand(groups)},
       {grouped_linear_weight_gradient::weight_gradient, dw}},
      attributes, Phase::weight_gradient);
}

void infer_grouped_input_gradient(ShapeContext& context) {
  using enum grouped_linear_input_gradient::Operand;
  const Shape dy = context.shape(gradient), w = context.shape(weight);
  context.require(dy.size() == 2 && w.size() == 3 && dy[1] == w[1],
                  "gradient[N,O] and weight[experts,O,I]");
  require_groups(context, groups, w[0]);
  context.output(input_gradient, {dy[0], w[2]}, context.dtype(gradient));
}

void infer_grouped_weight_gradient(ShapeContext& context) {
  using enum grouped_linear_weight_gradient::Operand;
  const Shape &dy = context.shape(gradient), &x = context.shape(input);
  context.require(dy.size() == 2 && x.size() == 2 && dy[0].size == x[0].size,
                  "gradient[N,O] and input[N,I]");
  const Shape& dw = context.shape(weight_gradient);
  context.require(dw.size() == 3 && dw[1] == dy[1] && dw[2] == x[1],
                  "weight_gradient[experts,O,I]");
  const std::int64_t blocks = context.attributes().integer(attribute::pieces, 1);
  context.require(dy[0].size % blocks == 0, "rows that divide by the pieces");
  require_groups(context, groups, Dim(dw[0].size * blocks));
}

Cost grouped_forward_cost(const OpView& op) {
  using enum grouped_linear::Operand;
  return grouped_cost(op, input, op.size(weight, 1), op.size(weight, 2));
}
Cost grouped_input_gradient_cost(const OpView& op) {
  using enum grouped_linear_input_gradient::Operand;
  return grouped_cost(op, gradient, op.size(weight, 1), op.size(weight, 2));
}
Cost grouped_weight_gradient_cost(const OpView& op) {
  using enum grouped_linear_weight_gradient::Operand;
  return grouped_cost(op, gradient, op.size(gradient, 1), op.size(input, 1));
}

void require_gate_and_up(const ShapeContext& context, std::size_t input, std::size_t weights) {
  const Shape& x = context.shape(input);
  context.require(x.size() == 2 && x[1].size % 2 == 0, "input[N,2F]");
  context.require_shape(weights, {Dim(x[0].size), Dim(1)});
}

void infer_gated_swiglu(ShapeContext& context) {
  using enum gated_swiglu::Operand;
  require_gate_and_up(context, input, weights);
  const Shape x = context.shape(input);
  context.output(output, {x[0], Dim(x[1].size / 2)}, context.dtype(input));
}

void backward_gated_swiglu(BackwardContext& context) {
  using enum gated_swiglu::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const Op& gradient = context.emit(gated_swiglu_gradient_op(), "grad",
                                    {{gated_swiglu_gradient::gradient, dy},
                                     {gated_swiglu_gradient::input, context.operand(input)},
                                     {gated_swiglu_gradient::weights, context.operand(weights)}});
  const TensorId dx = gradient.operands[gated_swiglu_gradient::input_gradient],
                 dweights = gradient.operands[gated_swiglu_gradient::weights_gradient];
  if (context.needs_gradient(input)) context.contribute(input, dx);
  if (context.needs_gradient(weights)) context.contribute(weights, dweights);
}

void infer_gated_swiglu_gradient(ShapeContext& context) {
  using enum gated_swiglu_gradient::Operand;
  require_gate_and_up(context, input, weights);
  const Shape x = context.shape(input);
  context.require_shape(gradient, {x[0], Dim(x[1].size / 2)});
  context.output(input_gradient, x, context.dtype(input));
  context.output(weights_gradient, {x[0], Dim(1)}, context.dtype(weights));
}

void require_gate(const ShapeContext& context, std::size_t input, std::size_t logits) {
  const Shape& x = context.shape(input);
  context.require(x.size() == 2, "input[N,C]");
  context.require_shape(logits, {x[0], Dim(1)});
  context.require(context.dtype(input) == context.dtype(logits), "input and logits of one dtype");
}

void infer_gate_rows(ShapeContext& context) {
  using enum gate_rows::Operand;
  require_gate(context, input, logits);
  context.output(output, context.shape(input), context.dtype(input));
}

void backward_gate_rows(BackwardContext& context) {
  using enum gate_rows::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const Op& gradient = context.emit(gate_rows_gradient_op(), "grad",
                                    {{gate_rows_gradient::gradient, dy},
                                     {gate_rows_gradient::input, context.operand(input)},
                                     {gate_rows_gradient::logits, context.operand(logits)}});
  const TensorId dx = gradient.operands[gate_rows_gradient::input_gradient],
                 dlogits = gradient.operands[gate_rows_gradient::logits_gradient];
  if (context.needs_gradient(input)) context.contribute(input, dx);
  if (context.needs_gradient(logits)) context.contribute(logits, dlogits);
}

void infer_gate_rows_gradient(ShapeContext& context) {
  using enum gate_rows_gradient::Operand;
  require_gate(context, input, logits);
  context.require_shape(gradient, context.shape(input));
  context.output(input_gradient, context.shape(input), context.dtype(input));
  context.output(logits_gradient, context.shape(logits), context.dtype(logits));
}

void infer_cast(ShapeContext& context) {
  using enum cast::Operand;
  context.output(output, context.shape(input),
                 static_cast<DType>(context.attributes().integer(attribute::dtype)));
}

void backward_cast(BackwardContext& context) {
  using enum cast::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor || !context.needs_gradient(input)) return;
  context.contribute(
      input,
      context.emit_for(output, cast_op(), "grad", {{input, dy}},
                       {{attribute::dtype, static_cast<std::int64_t>(context.dtype(input))}}));
}

}  // namespace

const OpKind<grouped_linear::Operand>& grouped_linear_op() {
  using enum grouped_linear::Operand;
  static const OpKind<grouped_linear::Operand> def{
      {.name = "grouped_linear",
       .operands = operand_table<Reads<input>, Reads<weight>, Reads<groups>, Writes<output>>(),
       .infer = infer_grouped,
       .backward = backward_grouped,
       .cost = grouped_forward_cost,
       .tile_flow = TileFlow{.input = input, .output = output},
       .gemm = true}};
  return def;
}

const OpKind<grouped_linear_input_gradient::Operand>& grouped_linear_input_gradient_op() {
  using enum grouped_linear_input_gradient::Operand;
  static const OpKind<grouped_linear_input_gradient::Operand> def{
      {.name = "grouped_linear_input_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<weight>, Reads<groups>, Writes<input_gradient>>(),
       .infer = infer_grouped_input_gradient,
       .cost = grouped_input_gradient_cost,
       .tile_flow = TileFlow{.input = gradient, .output = input_gradient},
       .gemm = true}};
  return def;
}

const OpKind<grouped_linear_weight_gradient::Operand>& grouped_linear_weight_gradient_op() {
  using enum grouped_linear_weight_gradient::Operand;
  static const OpKind<grouped_linear_weight_gradient::Operand> def{
      {.name = "grouped_linear_weight_gradient",
       .operands = operand_table<Reads<gradient>, Reads<input>, Reads<groups>,
                                 FirstWrites<weight_gradient>>(),
       .infer = infer_grouped_weight_gradient,
       .cost = grouped_weight_gradient_cost,
       .gemm = true}};
  return def;
}

const OpKind<grouped_linear_weight_gradient::Operand>& grouped_linear_weight_gradient_added_op() {
  using enum grouped_linear_weight_gradient::Operand;
  static const OpKind<grouped_linear_weight_gradient::Operand> def{
      {.name = "grouped_linear_weight_gradient_added",
       .operands = operand_table<Reads<gradient>, Reads<input>, Reads<groups>,
                                 Accumulates<weight_gradient>>(),
       .infer = infer_grouped_weight_gradient,
       .cost = grouped_weight_gradient_cost,
       .gemm = true}};
  return def;
}

const OpKind<gated_swiglu::Operand>& gated_swiglu_op() {
  using enum gated_swiglu::Operand;
  static const OpKind<gated_swiglu::Operand> def{
      {.name = "gated_swiglu",
       .operands = operand_table<Reads<input>, Reads<weights>, Writes<output>>(),
       .infer = infer_gated_swiglu,
       .backward = backward_gated_swiglu}};
  return def;
}

const OpKind<gated_swiglu_gradient::Operand>& gated_swiglu_gradient_op() {
  using enum gated_swiglu_gradient::Operand;
  static const OpKind<gated_swiglu_gradient::Operand> def{
      {.name = "gated_swiglu_gradient",
       .operands = operand_table<Reads<gradient>, Reads<input>, Reads<weights>,
                                 Writes<input_gradient>, Writes<weights_gradient>>(),
       .infer = infer_gated_swiglu_gradient}};
  return def;
}

const OpKind<gate_rows::Operand>& gate_rows_op() {
  using enum gate_rows::Operand;
  static const OpKind<gate_rows::Operand> def{
      {.name = "gate_rows",
       .operands = operand_table<Reads<input>, Reads<logits>, Writes<output>>(),
       .infer = infer_gate_rows,
       .backward = backward_gate_rows}};
  return def;
}

const OpKind<gate_rows_gradient::Operand>& gate_rows_gradient_op() {
  using enum gate_rows_gradient::Operand;
  static const OpKind<gate_rows_gradient::Operand> def{
      {.name = "gate_rows_gradient",
       .operands = operand_table<Reads<gradient>, Reads<input>, Reads<logits>,
                                 Writes<input_gradient>, Writes<logits_gradient>>(),
       .infer = infer_gate_rows_gradient}};
  return def;
}

const OpKind<cast::Operand>& cast_op() {
  using enum cast::Operand;
  static const OpKind<cast::Operand> def{{.name = "cast",
                                          .operands = operand_table<Reads<input>, Writes<output>>(),
                                          .infer = infer_cast,
                                          .backward = backward_cast}};
  return def;
}

bool is_grouped_product(const OpDef& def) noexcept {
  return &def == &grouped_linear_op() || &def == &grouped_linear_input_gradient_op() ||
         &def == &grouped_linear_weight_gradient_op() ||
         &def == &grouped_linear_weight_gradient_added_op() ||
         &def == &quantised_grouped_linear_op() || &def == &quantised_grouped_input_gradient_op();
}

void require_groups(const ShapeContext& context, std::size_t groups, const Dim& experts) {
  const std::int64_t pieces = context.attributes().integer(attribute::expert_pieces, 1);
  context.require(pieces >= 1 && experts.size % pieces == 0,
                  "experts that divide among the pieces");
  context.require_shape(groups, {Dim(experts.size / pieces)});
  context.require(context.dtype(groups) == DType::int64, "groups of int64");
}

Cost grouped_cost(const OpView& op, std::size_t rows_of, std::int64_t outputs,
                  std::int64_t inputs) {
  const std::int64_t rows = op.expected_size(rows_of, 0);
  const double flops =
      2.0 * static_cast<double>(rows) * static_cast<double>(outputs) * static_cast<double>(inputs);
  return {.flops = flops, .model_flops = flops, .megatron_flops = flops};
}

}  // namespace megascale::graph
