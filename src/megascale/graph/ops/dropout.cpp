#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

// Attribute rate: the share that is dropped. The mask is what the backward needs, a byte for each
// element.
namespace megascale::graph {
namespace {

void infer_dropout(ShapeContext& context) {
  context.output(1, context.shape(0), context.dtype(0));
  context.output(2, context.shape(0), DType::uint8);
}

void backward_dropout(BackwardContext& context) {
  const TensorId dy = context.gradient(1);
  if (dy == kNoTensor) return;
  const Op& op =
      context.emit(dropout_gradient_op(), "grad", {dy, context.operand(2)}, context.attributes());
  context.contribute(0, op.operands[2]);
}

void infer_dropout_gradient(ShapeContext& context) {
  context.require_shape(1, context.shape(0));
  context.output(2, context.shape(0), context.dtype(0));
}

}  // namespace

const OpDef& dropout_op() {
  static const OpDef def{
      .name = "dropout",
      .operands = {{"input"}, {"output", Access::write}, {"mask", Access::write}},
      .infer = infer_dropout,
      .backward = backward_dropout,
      .in_place = {{1, 0}}};
  return def;
}

const OpDef& dropout_gradient_op() {
  static const OpDef def{.name = "dropout_gradient",
                         .operands = {{"gradient"}, {"mask"}, {"input_gradient", Access::write}},
                         .infer = infer_dropout_gradient,
                         .in_place = {{2, 0}}};
  return def;
}

}  // namespace megascale::graph
