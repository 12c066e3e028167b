// Dropout, and its gradient. The backward needs only the mask, one byte per element. Attributes:
//   rate          the share of the elements that is set to 0
//   sequence      tokens of one sequence
//   seed, stream  together with the number of the sample, the token's position in it and the channel they
//                 decide whether an element is set to 0. So every layout sets the same elements to 0.
// The rows are this rank's share of the sequences: its context rank's part of each sequence, of which
// each tensor rank has a block of rows.
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void infer_dropout(ShapeContext& context) {
  using enum dropout::Operand;
  if (context.has(samples)) {
    context.require(context.dtype(samples) == DType::int64 && context.shape(samples).size() == 1,
                    "samples[sequences] of int64");
  }
  context.output(output, context.shape(input), context.dtype(input));
  context.output(mask, context.shape(input), DType::uint8);
}

void backward_dropout(BackwardContext& context) {
  using enum dropout::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId dx = context.emit_for(
      dropout_gradient::input_gradient, dropout_gradient_op(), "grad",
      {{dropout_gradient::gradient, dy}, {dropout_gradient::mask, context.operand(mask)}},
      {{attribute::rate, context.attributes().real(attribute::rate)}});
  context.contribute(input, dx);
}

void infer_dropout_gradient(ShapeContext& context) {
  using enum dropout_gradient::Operand;
  context.require_shape(mask, context.shape(gradient));
  context.output(input_gradient, context.shape(gradient), context.dtype(gradient));
}

}  // namespace

const OpKind<dropout::Operand>& dropout_op() {
  using enum dropout::Operand;
  static const OpKind<dropout::Operand> def{
      {.name = "dropout",
       .operands = operand_table<Reads<input>, MayRead<samples>, Writes<output>, Writes<mask>>(),
       .infer = infer_dropout,
       .backward = backward_dropout,
       .in_place = {{output, input}}}};
  return def;
}

const OpKind<dropout_gradient::Operand>& dropout_gradient_op() {
  using enum dropout_gradient::Operand;
  static const OpKind<dropout_gradient::Operand> def{
      {.name = "dropout_gradient",
       .operands = operand_table<Reads<gradient>, Reads<mask>, Writes<input_gradient>>(),
       .infer = infer_dropout_gradient,
       .in_place = {{input_gradient, gradient}}}};
  return def;
}

}  // namespace megascale::graph
