#include <algorithm>

#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

// Attention as separate kernels, as Megatron-LM had it before FlashAttention (its fused softmax
// scales, masks and normalises in one): the baseline of the published tables. The products are of
// the whole square of queries and keys, whatever the mask. Attributes as those of attention.
namespace megascale::graph {
namespace {

Shape square_of(const ShapeContext& context, const Dim& tokens) {
  const Attributes& a = context.attributes();
  const std::int64_t sequence = a.integer("sequence");
  return {Dim(tokens.size * a.integer("heads")), Dim(sequence)};
}

void require_packed(const ShapeContext& context, std::size_t operand) {
  const Attributes& a = context.attributes();
  const Shape& qkv = context.shape(operand);
  context.require(
      qkv.size() == 2 && qkv[0].size % a.integer("sequence") == 0 &&
          qkv[1].size == (a.integer("heads") + 2 * a.integer("groups")) * a.integer("head_dim"),
      "qkv[N, (heads + 2 groups) head_dim] of whole sequences");
}

void infer_scores(ShapeContext& context) {
  require_packed(context, 0);
  context.output(1, square_of(context, context.shape(0)[0]), context.dtype(0));
}

void backward_scores(BackwardContext& context) {
  const TensorId dy = context.gradient(1);
  if (dy == kNoTensor) return;
  // The values' gradient comes first and has written the whole.
  const TensorId addend = context.take_addend(0);
  const Op& op = context.emit(attention_scores_gradient_op(), "grad",
                              {dy, context.operand(0), addend}, context.attributes());
  context.contribute(0, op.operands[3]);
}

void infer_scores_gradient(ShapeContext& context) {
  require_packed(context, 1);
  context.require_shape(0, square_of(context, context.shape(1)[0]));
  context.require_shape(2, context.shape(1));
  context.output(3, context.shape(1), context.dtype(1));
}

void infer_softmax(ShapeContext& context) {
  const Attributes& a = context.attributes();
  const Shape scores = context.shape(0);
  context.require(scores.size() == 2 && scores[1].size == a.integer("sequence") &&
                      scores[0].size % (a.integer("heads") * a.integer("sequence")) == 0,
                  "scores[sequences heads sequence, sequence]");
  if (context.has(1)) context.require_shape(1, {Dim(scores[0].size / a.integer("heads"))});
  context.output(2, scores, context.dtype(0));
}

void backward_softmax(BackwardContext& context) {
  const TensorId dy = context.gradient(2);
  if (dy == kNoTensor) return;
  const Op& op = context.emit(masked_softmax_gradient_op(), "grad", {dy, context.operand(2)},
                              context.attributes());
  context.contribute(0, op.operands[2]);
}

void infer_softmax_gradient(ShapeContext& context) {
  context.require_shape(1, context.shape(0));
  context.output(2, context.shape(0), context.dtype(0));
}

void infer_values(ShapeContext& context) {
  require_packed(context, 1);
  const Attributes& a = context.attributes();
  const Dim tokens = context.shape(1)[0];
  context.require_shape(0, square_of(context, tokens));
  context.output(2, {tokens, Dim(a.integer("heads") * a.integer("head_dim"))}, context.dtype(1));
}

void backward_values(BackwardContext& context) {
  const TensorId dy = context.gradient(2);
  if (dy == kNoTensor) return;
  const Op& op = context.emit(attention_values_gradient_op(), "grad",
                              {dy, context.operand(0), context.operand(1)}, context.attributes());
  const TensorId probabilities = op.operands[3], qkv = op.operands[4];
  context.contribute(0, probabilities);
  context.contribute(1, qkv);
}

void infer_values_gradient(ShapeContext& context) {
  require_packed(context, 2);
  const Attributes& a = context.attributes();
  const Shape square = square_of(context, context.shape(2)[0]);
  context.require_shape(0, {context.shape(2)[0], Dim(a.integer("heads") * a.integer("head_dim"))});
  context.require_shape(1, square);
  context.output(3, square, context.dtype(1));
  context.output(4, context.shape(2), context.dtype(2));
}

// `products` of the full square. Credited as fused attention is: over the pairs that the mask
// admits, half of the square or a window of it.
Cost square_cost(const OpView& op, std::size_t square, double products) {
  const auto sequence = static_cast<double>(op.size(square, 1));
  const auto rows = static_cast<double>(op.size(square, 0));
  const auto window = static_cast<double>(op.attributes().integer("window", 0));
  const double width = window > 0 ? std::min(window, sequence) : sequence;
  const double of_row =
      2 * products * static_cast<double>(op.attributes().integer("head_dim")) * rows;
  return {.flops = of_row * sequence,
          .model_flops = of_row * (width - width * width / (2 * sequence)),
          .megatron_flops = of_row * sequence};
}
Cost scores_cost(const OpView& op) { return square_cost(op, 1, 1); }
Cost values_cost(const OpView& op) { return square_cost(op, 0, 1); }
Cost scores_gradient_cost(const OpView& op) { return square_cost(op, 0, 2); }
Cost values_gradient_cost(const OpView& op) { return square_cost(op, 1, 2); }

}  // namespace

const OpDef& attention_scores_op() {
  static const OpDef def{.name = "attention_scores",
                         .operands = {{"qkv"}, {"scores", Access::write}},
                         .infer = infer_scores,
                         .backward = backward_scores,
                         .cost = scores_cost,
                         .gemm = true};
  return def;
}

const OpDef& attention_scores_gradient_op() {
  static const OpDef def{
      .name = "attention_scores_gradient",
      .operands = {{"gradient"}, {"qkv"}, {"addend"}, {"qkv_gradient", Access::write}},
      .infer = infer_scores_gradient,
      .cost = scores_gradient_cost,
      .in_place = {{3, 2}},
      .gemm = true};
  return def;
}

const OpDef& masked_softmax_op() {
  static const OpDef def{
      .name = "masked_softmax",
      .operands = {{"scores"}, {"segments", Access::read, true}, {"probabilities", Access::write}},
      .infer = infer_softmax,
      .backward = backward_softmax,
      .in_place = {{2, 0}}};
  return def;
}

const OpDef& masked_softmax_gradient_op() {
  static const OpDef def{
      .name = "masked_softmax_gradient",
      .operands = {{"gradient"}, {"probabilities"}, {"scores_gradient", Access::write}},
      .infer = infer_softmax_gradient,
      .in_place = {{2, 0}}};
  return def;
}

const OpDef& attention_values_op() {
  static const OpDef def{.name = "attention_values",
                         .operands = {{"probabilities"}, {"qkv"}, {"output", Access::write}},
                         .infer = infer_values,
                         .backward = backward_values,
                         .cost = values_cost,
                         .gemm = true};
  return def;
}

const OpDef& attention_values_gradient_op() {
  static const OpDef def{.name = "attention_values_gradient",
                         .operands = {{"gradient"},
                                      {"probabilities"},
                                      {"qkv"},
                                      {"probabilities_gradient", Access::write},
                                      {"qkv_gradient", Access::write}},
                         .infer = infer_values_gradient,
                         .cost = values_gradient_cost,
                         .gemm = true};
  return def;
}

}  // namespace megascale::graph
