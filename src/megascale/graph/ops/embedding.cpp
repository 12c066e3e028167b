#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

enum : std::size_t { kTable, kPositionTable, kTokens, kPositions, kOutput };
enum : std::size_t {
  kGradient,
  kGradientTokens,
  kGradientPositions,
  kTableGradient,
  kPositionTableGradient
};

void infer(ShapeContext& context) {
  context.require(context.shape(kTable).size() == 2, "table[V,C]");
  context.require(context.shape(kTokens).size() == 1, "tokens[N]");
  const Dim tokens = context.shape(kTokens)[0], channels = context.shape(kTable)[1];
  context.require(context.has(kPositionTable) == context.has(kPositions),
                  "a position table with positions or neither");
  if (context.has(kPositionTable)) {
    const Shape& positions = context.shape(kPositionTable);
    context.require(positions.size() == 2 && positions[1] == channels, "position_table[P,C]");
    context.require_shape(kPositions, {tokens});
  }
  context.output(kOutput, {tokens, channels}, context.dtype(kTable));
}

void backward(BackwardContext& context) {
  const TensorId dy = context.gradient(kOutput);
  if (dy == kNoTensor) return;
  const TensorId table = context.main_gradient(kTable);
  const TensorId positions =
      context.has(kPositionTable) ? context.main_gradient(kPositionTable) : kNoTensor;
  context.emit(embedding_gradient_op(), "wgrad",
               {dy, context.operand(kTokens), context.operand(kPositions), table, positions}, {},
               Phase::weight_gradient);
}

void infer_gradient(ShapeContext& context) {
  const Shape &gradient = context.shape(kGradient), &table = context.shape(kTableGradient);
  context.require(gradient.size() == 2 && table.size() == 2 && table[1] == gradient[1],
                  "table_gradient[V,C] for gradient[N,C]");
  context.require_shape(kGradientTokens, {gradient[0]});
  context.require(context.has(kPositionTableGradient) == context.has(kGradientPositions),
                  "a position table's gradient with positions or neither");
  if (!context.has(kPositionTableGradient)) return;
  const Shape& positions = context.shape(kPositionTableGradient);
  context.require(positions.size() == 2 && positions[1] == gradient[1],
                  "position_table_gradient[P,C]");
  context.require_shape(kGradientPositions, {gradient[0]});
}

}  // namespace

const OpDef& embedding_op() {
  static const OpDef def{.name = "embedding",
                         .operands = {{"table"},
                                      {"position_table", Access::read, true},
                                      {"tokens"},
                                      {"positions", Access::read, true},
                                      {"output", Access::write}},
                         .infer = infer,
                         .backward = backward};
  return def;
}

const OpDef& embedding_gradient_op() {
  static const OpDef def{.name = "embedding_gradient",
                         .operands = {{"gradient"},
                                      {"tokens"},
                                      {"positions", Access::read, true},
                                      {"table_gradient", Access::first_writes},
                                      {"position_table_gradient", Access::first_writes, true}},
                         .infer = infer_gradient};
  return def;
}

}  // namespace megascale::graph
