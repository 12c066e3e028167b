// Attention as separate ops for scores, softmax and values. Megatron-LM computed it in this way
// before FlashAttention, and so did the baseline of the published tables. One op scales, masks and
// normalises the scores, like Megatron-LM's fused softmax. The products compute the whole square of
// queries and keys, whatever the causal mask is. With a sliding window they compute a band of it:
// the queries stand in chunks of `window` tokens, and a chunk sees its own keys and those of the
// chunk before (the sliding chunks of Longformer, arXiv 2004.05150, appendix A). If two chunks are
// no shorter than the sequence, the band is the square. Attributes: those of attention.
#include <algorithm>

#include "megascale/graph/attention_row.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/sliding_window.h"

namespace megascale::graph {
namespace {

// Returns the number of keys for which a query has a score.
std::int64_t computed_keys(const Attributes& a) {
  const std::int64_t sequence = a.integer(attribute::sequence),
                     window = a.integer(attribute::window, 0);
  return window > 0 ? std::min(sequence, 2 * window) : sequence;
}

// Returns the shape of scores or probabilities for this number of tokens.
Shape square_of(const ShapeContext& context, const Dim& tokens) {
  const Attributes& a = context.attributes();
  return {Dim(tokens.size * a.integer(attribute::heads)), Dim(computed_keys(a))};
}
Shape values_of(const ShapeContext& context, const Dim& tokens) {
  return {tokens, Dim(attention_row(context.attributes()).output())};
}

void require_packed(const ShapeContext& context, std::size_t operand) {
  const Attributes& a = context.attributes();
  const Shape& qkv = context.shape(operand);
  context.require(qkv.size() == 2 && qkv[0].size % a.integer(attribute::sequence) == 0 &&
                      qkv[1].size == attention_row(a).packed(),
                  "qkv[N, (heads + groups) head_dim + groups value_dim] of whole sequences");
}

void infer_scores(ShapeContext& context) {
  using enum attention_scores::Operand;
  require_packed(context, qkv);
  context.output(scores, square_of(context, context.shape(qkv)[0]), context.dtype(qkv));
}

void backward_scores(BackwardContext& context) {
  using enum attention_scores::Operand;
  const TensorId dy = context.gradient(scores);
  if (dy == kNoTensor) return;
  // The gradient of the values is computed first. It has written all columns of the addend.
  const TensorId addend = context.take_addend(qkv);
  const TensorId dqkv = context.emit_for(attention_scores_gradient::qkv_gradient,
                                         attention_scores_gradient_op(), "grad",
                                         {{attention_scores_gradient::gradient, dy},
                                          {attention_scores_gradient::qkv, context.operand(qkv)},
                                          {attention_scores_gradient::addend, addend}},
                                         context.attributes());
  context.contribute(qkv, dqkv);
}

void infer_scores_gradient(ShapeContext& context) {
  using enum attention_scores_gradient::Operand;
  require_packed(context, qkv);
  context.require_shape(gradient, square_of(context, context.shape(qkv)[0]));
  context.require_shape(addend, context.shape(qkv));
  context.output(qkv_gradient, context.shape(qkv), context.dtype(qkv));
}

void infer_softmax(ShapeContext& context) {
  using enum masked_softmax::Operand;
  const Attributes& a = context.attributes();
  const std::int64_t heads = a.integer(attribute::heads), sequence = a.integer(attribute::sequence);
  const Shape square = context.shape(scores);
  context.require(square.size() == 2 && square[1].size == computed_keys(a) &&
                      square[0].size % (heads * sequence) == 0,
                  "scores[sequences heads sequence, sequence or two windows]");
  if (context.has(segments)) context.require_shape(segments, {Dim(square[0].size / heads)});
  context.output(probabilities, square, context.dtype(scores));
}

void backward_softmax(BackwardContext& context) {
  using enum masked_softmax::Operand;
  const TensorId dy = context.gradient(probabilities);
  if (dy == kNoTensor) return;
  const TensorId dscores = context.emit_for(
      masked_softmax_gradient::scores_gradient, masked_softmax_gradient_op(), "grad",
      {{masked_softmax_gradient::gradient, dy},
       {masked_softmax_gradient::probabilities, context.operand(probabilities)}},
      context.attributes());
  context.contribute(scores, dscores);
}

void infer_softmax_gradient(ShapeContext& context) {
  using enum masked_softmax_gradient::Operand;
  context.require_shape(probabilities, context.shape(gradient));
  context.output(scores_gradient, context.shape(gradient), context.dtype(gradient));
}

void infer_values(ShapeContext& context) {
  using enum attention_values::Operand;
  require_packed(context, qkv);
  const Dim tokens = context.shape(qkv)[0];
  context.require_shape(probabilities, square_of(context, tokens));
  context.output(output, values_of(context, tokens), context.dtype(qkv));
}

void backward_values(BackwardContext& context) {
  using enum attention_values::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const Op& op =
      context.emit(attention_values_gradient_op(), "grad",
                   {{attention_values_gradient::gradient, dy},
                    {attention_values_gradient::probabilities, context.operand(probabilities)},
                    {attention_values_gradient::qkv, context.operand(qkv)}},
                   context.attributes());
  const TensorId dprobabilities = op.operands[attention_values_gradient::probabilities_gradient];
  const TensorId dqkv = op.operands[attention_values_gradient::qkv_gradient];
  context.contribute(probabilities, dprobabilities);
  context.contribute(qkv, dqkv);
}

void infer_values_gradient(ShapeContext& context) {
  using enum attention_values_gradient::Operand;
  require_packed(context, qkv);
  const Dim tokens = context.shape(qkv)[0];
  const Shape square = square_of(context, tokens);
  context.require_shape(gradient, values_of(context, tokens));
  context.require_shape(probabilities, square);
  context.output(probabilities_gradient, square, context.dtype(probabilities));
  context.output(qkv_gradient, context.shape(qkv), context.dtype(qkv));
}

// Returns the cost of products over the square or its band. MFU credits them like fused attention:
// over the pairs that the mask admits, half of the square or a window of it. megatron_flops credits
// the whole square. `channels`: the sum, over the products, of the channels of a head in each.
Cost square_cost(const OpView& op, std::size_t square, std::int64_t channels) {
  const auto positions = static_cast<std::size_t>(op.attributes().integer(attribute::sequence));
  const auto sequence = static_cast<double>(positions);
  const auto rows = static_cast<double>(op.size(square, 0));
  const auto keys = static_cast<double>(op.size(square, 1));
  const double pairs = visible_pairs(
      positions, static_cast<std::size_t>(op.attributes().integer(attribute::window, 0)));
  const double of_row = 2 * static_cast<double>(channels) * rows;
  return {.flops = of_row * keys,
          .model_flops = of_row / sequence * pairs,
          .megatron_flops = of_row * sequence};
}
Cost scores_cost(const OpView& op) {
  return square_cost(op, attention_scores::scores, attention_row(op.attributes()).head_dim);
}
Cost values_cost(const OpView& op) {
  return square_cost(op, attention_values::probabilities, attention_row(op.attributes()).value_dim);
}
// The gradients of queries and of keys.
Cost scores_gradient_cost(const OpView& op) {
  return square_cost(op, attention_scores_gradient::gradient,
                     2 * attention_row(op.attributes()).head_dim);
}
// The gradients of probabilities and of values.
Cost values_gradient_cost(const OpView& op) {
  return square_cost(op, attention_values_gradient::probabilities,
                     2 * attention_row(op.attributes()).value_dim);
}

}  // namespace

const OpKind<attention_scores::Operand>& attention_scores_op() {
  using enum attention_scores::Operand;
  static const OpKind<attention_scores::Operand> def{
      {.name = "attention_scores",
       .operands = operand_table<Reads<qkv>, Writes<scores>>(),
       .infer = infer_scores,
       .backward = backward_scores,
       .cost = scores_cost,
       .gemm = true}};
  return def;
}

const OpKind<attention_scores_gradient::Operand>& attention_scores_gradient_op() {
  using enum attention_scores_gradient::Operand;
  static const OpKind<attention_scores_gradient::Operand> def{
      {.name = "attention_scores_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<qkv>, Reads<addend>, Writes<qkv_gradient>>(),
       .infer = infer_scores_gradient,
       .cost = scores_gradient_cost,
       .in_place = {{qkv_gradient, addend}},
       .gemm = true}};
  return def;
}

const OpKind<masked_softmax::Operand>& masked_softmax_op() {
  using enum masked_softmax::Operand;
  static const OpKind<masked_softmax::Operand> def{
      {.name = "masked_softmax",
       .operands = operand_table<Reads<scores>, MayRead<segments>, Writes<probabilities>>(),
       .infer = infer_softmax,
       .backward = backward_softmax,
       .in_place = {{probabilities, scores}}}};
  return def;
}

const OpKind<masked_softmax_gradient::Operand>& masked_softmax_gradient_op() {
  using enum masked_softmax_gradient::Operand;
  static const OpKind<masked_softmax_gradient::Operand> def{
      {.name = "masked_softmax_gradient",
       .operands = operand_table<Reads<gradient>, Reads<probabilities>, Writes<scores_gradient>>(),
       .infer = infer_softmax_gradient,
       .in_place = {{scores_gradient, gradient}}}};
  return def;
}

const OpKind<attention_values::Operand>& attention_values_op() {
  using enum attention_values::Operand;
  static const OpKind<attention_values::Operand> def{
      {.name = "attention_values",
       .operands = operand_table<Reads<probabilities>, Reads<qkv>, Writes<output>>(),
       .infer = infer_values,
       .backward = backward_values,
       .cost = values_cost,
       .gemm = true}};
  return def;
}

const OpKind<attention_values_gradient::Operand>& attention_values_gradient_op() {
  using enum attention_values_gradient::Operand;
  static const OpKind<attention_values_gradient::Operand> def{
      {.name = "attention_values_gradient",
       .operands = operand_table<Reads<gradient>, Reads<probabilities>, Reads<qkv>,
                                 Writes<probabilities_gradient>, Writes<qkv_gradient>>(),
       .infer = infer_values_gradient,
       .cost = values_gradient_cost,
       .gemm = true}};
  return def;
}

}  // namespace megascale::graph
