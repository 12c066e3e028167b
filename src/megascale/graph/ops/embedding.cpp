// Embedding of tokens, with an optional table of learned positions. The gradient accumulates into
// the main gradients of the tables directly, so it runs in the phase of weight gradients.
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void infer(ShapeContext& context) {
  using enum embedding::Operand;
  context.require(context.shape(table).size() == 2, "table[V,C]");
  context.require(context.shape(tokens).size() == 1, "tokens[N]");
  const Dim rows = context.shape(tokens)[0], channels = context.shape(table)[1];
  context.require(context.has(position_table) == context.has(positions),
                  "a position table with positions or neither");
  if (context.has(position_table)) {
    const Shape& learned = context.shape(position_table);
    context.require(learned.size() == 2 && learned[1] == channels, "position_table[P,C]");
    context.require_shape(positions, {rows});
  }
  context.output(output, {rows, channels}, context.dtype(table));
}

void backward(BackwardContext& context) {
  using enum embedding::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId dtable = context.main_gradient(table),
                 dpositions = context.main_gradient(position_table);
  context.emit(embedding_gradient_op(), "wgrad",
               {{embedding_gradient::gradient, dy},
                {embedding_gradient::tokens, context.operand(tokens)},
                {embedding_gradient::positions, context.operand(positions)},
                {embedding_gradient::table_gradient, dtable},
                {embedding_gradient::position_table_gradient, dpositions}},
               {}, Phase::weight_gradient);
}

void infer_gradient(ShapeContext& context) {
  using enum embedding_gradient::Operand;
  const Shape &dy = context.shape(gradient), &table = context.shape(table_gradient);
  context.require(dy.size() == 2 && table.size() == 2 && table[1] == dy[1],
                  "table_gradient[V,C] for gradient[N,C]");
  context.require_shape(tokens, {dy[0]});
  context.require(context.has(position_table_gradient) == context.has(positions),
                  "a position table's gradient with positions or neither");
  if (!context.has(position_table_gradient)) return;
  const Shape& learned = context.shape(position_table_gradient);
  context.require(learned.size() == 2 && learned[1] == dy[1], "position_table_gradient[P,C]");
  context.require_shape(positions, {dy[0]});
}

}  // namespace

const OpKind<embedding::Operand>& embedding_op() {
  using enum embedding::Operand;
  static const OpKind<embedding::Operand> def{
      {.name = "embedding",
       .operands = operand_table<Reads<table>, MayRead<position_table>, Reads<tokens>,
                                 MayRead<positions>, Writes<output>>(),
       .infer = infer,
       .backward = backward}};
  return def;
}

const OpKind<embedding_gradient::Operand>& embedding_gradient_op() {
  using enum embedding_gradient::Operand;
  static const OpKind<embedding_gradient::Operand> def{
      {.name = "embedding_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<tokens>, MayRead<positions>,
                         FirstWrites<table_gradient>, MayFirstWrite<position_table_gradient>>(),
       .infer = infer_gradient}};
  return def;
}

}  // namespace megascale::graph
