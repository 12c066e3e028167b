#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void infer_gelu(ShapeContext& context) { context.output(1, context.shape(0), context.dtype(0)); }

// Operands of both gradients: dy, x -> dx.
void emit_gradient(BackwardContext& context, const OpDef& def) {
  const TensorId dy = context.gradient(1);
  if (dy == kNoTensor) return;
  const Op& op = context.emit(def, "grad", {dy, context.operand(0)});
  context.contribute(0, op.operands[2]);
}
void backward_gelu(BackwardContext& context) { emit_gradient(context, gelu_gradient_op()); }
void backward_swiglu(BackwardContext& context) { emit_gradient(context, swiglu_gradient_op()); }

void infer_gelu_gradient(ShapeContext& context) {
  context.require_shape(0, context.shape(1));
  context.output(2, context.shape(1), context.dtype(1));
}

void infer_swiglu(ShapeContext& context) {
  const Shape& input = context.shape(0);
  context.require(input.size() == 2 && input[1].size % 2 == 0, "input[N,2F]");
  context.output(1, {input[0], Dim(input[1].size / 2)}, context.dtype(0));
}

void infer_swiglu_gradient(ShapeContext& context) {
  const Shape input = context.shape(1);
  context.require(input.size() == 2 && input[1].size % 2 == 0, "input[N,2F]");
  context.require_shape(0, {input[0], Dim(input[1].size / 2)});
  context.output(2, input, context.dtype(1));
}

void infer_add(ShapeContext& context) {
  context.require_shape(1, context.shape(0));
  context.require(context.dtype(0) == context.dtype(1), "a and b of one dtype");
  context.output(2, context.shape(0), context.dtype(0));
}

void infer_add_bias(ShapeContext& context) {
  const Shape& input = context.shape(0);
  context.require(input.size() == 2, "input[N,C]");
  context.require_shape(1, {input[1]});
  context.output(2, input, context.dtype(0));
}

void backward_add_bias(BackwardContext& context) {
  const TensorId dy = context.gradient(2);
  if (dy == kNoTensor) return;
  context.emit(bias_gradient_op(), "wgrad", {dy, context.main_gradient(1)}, {},
               Phase::weight_gradient);
  if (context.needs_gradient(0)) context.contribute(0, dy);
}

void infer_bias_gradient(ShapeContext& context) {
  const Shape& gradient = context.shape(0);
  context.require(gradient.size() == 2, "gradient[N,C]");
  context.require_shape(1, {gradient[1]});
}

void backward_add(BackwardContext& context) {
  const TensorId dy = context.gradient(2);
  if (dy == kNoTensor) return;
  for (const std::size_t input : {std::size_t{0}, std::size_t{1}}) {
    if (context.needs_gradient(input)) context.contribute(input, dy);
  }
}

}  // namespace

const OpDef& gelu_op() {
  static const OpDef def{.name = "gelu",
                         .operands = {{"input"}, {"output", Access::write}},
                         .infer = infer_gelu,
                         .backward = backward_gelu};
  return def;
}

const OpDef& gelu_gradient_op() {
  static const OpDef def{.name = "gelu_gradient",
                         .operands = {{"gradient"}, {"input"}, {"input_gradient", Access::write}},
                         .infer = infer_gelu_gradient,
                         .in_place = {{2, 0}, {2, 1}}};
  return def;
}

const OpDef& swiglu_op() {
  static const OpDef def{.name = "swiglu",
                         .operands = {{"input"}, {"output", Access::write}},
                         .infer = infer_swiglu,
                         .backward = backward_swiglu};
  return def;
}

const OpDef& swiglu_gradient_op() {
  static const OpDef def{.name = "swiglu_gradient",
                         .operands = {{"gradient"}, {"input"}, {"input_gradient", Access::write}},
                         .infer = infer_swiglu_gradient};
  return def;
}

const OpDef& add_op() {
  static const OpDef def{.name = "add",
                         .operands = {{"a"}, {"b"}, {"output", Access::write}},
                         .infer = infer_add,
                         .backward = backward_add,
                         .in_place = {{2, 0}, {2, 1}}};
  return def;
}

const OpDef& add_bias_op() {
  static const OpDef def{.name = "add_bias",
                         .operands = {{"input"}, {"bias"}, {"output", Access::write}},
                         .infer = infer_add_bias,
                         .backward = backward_add_bias,
                         .in_place = {{2, 0}}};
  return def;
}

const OpDef& bias_gradient_op() {
  static const OpDef def{.name = "bias_gradient",
                         .operands = {{"gradient"}, {"bias_gradient", Access::first_writes}},
                         .infer = infer_bias_gradient};
  return def;
}

}  // namespace megascale::graph
