// Rotary embedding and fused attention (causal, grouped-query, with an optional window). Queries,
// keys and values of a token are packed in one row. The forward keeps one logsumexp per token and
// head instead of the square of scores; the backward computes the scores again.
//
// Attributes of rope and attention: heads, groups (key-value heads), head_dim, value_dim (of heads of
// values; absent: head_dim), sequence (tokens of one sequence); attention also has window (0:
// unlimited), scale (factor of the scores; absent: 1 / sqrt(head_dim)), soft_cap (of the scores;
// absent: none), and with dropout rate, seed and stream (dropout.cpp). Attributes of rope_table:
// positions, head_dim (the channels of a head that are rotated), base, and with scaled frequencies
// those of graph/rope_scaling.h. The columns of the table tell rope how many channels it rotates; the
// others pass unchanged.
#include "megascale/graph/attention_row.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/sliding_window.h"

namespace megascale::graph {
namespace {

void require_packed(const ShapeContext& context, std::size_t qkv) {
  const AttentionRow row = attention_row(context.attributes());
  const Shape& rows = context.shape(qkv);
  context.require(rows.size() == 2 && rows[1].size == row.packed(),
                  "qkv[N, (heads + groups) head_dim + groups value_dim]");
  context.require(row.heads % row.groups == 0, "heads in whole groups");
}

// Row p of the table: the cosines of the angles of position p, then their sines.
void infer_rope_table(ShapeContext& context) {
  const Attributes& a = context.attributes();
  const Dim rows = context.has(rope_table::positions) ? context.shape(rope_table::positions)[0]
                                                      : Dim(a.integer(attribute::positions));
  context.output(rope_table::table, {rows, Dim(a.integer(attribute::head_dim))}, DType::float32);
}

void require_rope(const ShapeContext& context, std::size_t qkv, std::size_t positions,
                  std::size_t table) {
  require_packed(context, qkv);
  const std::int64_t size = context.attributes().integer(attribute::head_dim);
  const Shape& angles = context.shape(table);
  context.require(angles.size() == 2 && angles[1].size <= size && angles[1].size % 2 == 0,
                  "table[positions, rotated], rotated even and at most head_dim");
  if (context.has(positions)) return context.require_shape(positions, {context.shape(qkv)[0]});
  context.require(angles[0] == context.shape(qkv)[0], "table[N, rotated] without positions");
}

void infer_rope(ShapeContext& context) {
  using enum rope::Operand;
  require_rope(context, input, positions, table);
  context.output(output, context.shape(input), context.dtype(input));
}

void infer_rope_gradient(ShapeContext& context) {
  using enum rope_gradient::Operand;
  require_rope(context, gradient, positions, table);
  context.output(input_gradient, context.shape(gradient), context.dtype(gradient));
}

void backward_rope(BackwardContext& context) {
  using enum rope::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId dx = context.emit_for(rope_gradient::input_gradient, rope_gradient_op(), "grad",
                                       {{rope_gradient::gradient, dy},
                                        {rope_gradient::positions, context.operand(positions)},
                                        {rope_gradient::table, context.operand(table)}},
                                       context.attributes());
  context.contribute(input, dx);
}

// The shapes of attention's outputs for this number of tokens.
Shape output_shape(const ShapeContext& context, const Dim& tokens) {
  return {tokens, Dim(attention_row(context.attributes()).output())};
}
Shape logsumexp_shape(const ShapeContext& context, const Dim& tokens) {
  const Attributes& a = context.attributes();
  const std::int64_t sequence = a.integer(attribute::sequence);
  return {Dim(tokens.size / sequence), Dim(a.integer(attribute::heads)), Dim(sequence)};
}

// The numbers of the samples come with the attributes of dropout.
void require_samples(const ShapeContext& context, std::size_t samples, const Dim& tokens) {
  const Attributes& a = context.attributes();
  context.require(context.has(samples) == (a.real(attribute::rate, 0) > 0),
                  "samples if and only if rate is above 0");
  if (context.has(samples))
    context.require_shape(samples, {Dim(tokens.size / a.integer(attribute::sequence))});
}

void infer_attention(ShapeContext& context) {
  using enum attention::Operand;
  require_packed(context, qkv);
  const Dim tokens = context.shape(qkv)[0];
  context.require(tokens.size % context.attributes().integer(attribute::sequence) == 0,
                  "whole sequences");
  if (context.has(segments)) context.require_shape(segments, {tokens});
  require_samples(context, samples, tokens);
  context.output(output, output_shape(context, tokens), context.dtype(qkv));
  context.output(logsumexp, logsumexp_shape(context, tokens), DType::float32);
}

void backward_attention(BackwardContext& context) {
  using enum attention::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId dqkv =
      context.emit_for(attention_gradient::qkv_gradient, attention_gradient_op(), "grad",
                       {{attention_gradient::gradient, dy},
                        {attention_gradient::qkv, context.operand(qkv)},
                        {attention_gradient::segments, context.operand(segments)},
                        {attention_gradient::samples, context.operand(samples)},
                        {attention_gradient::output, context.operand(output)},
                        {attention_gradient::logsumexp, context.operand(logsumexp)}},
                       context.attributes());
  context.contribute(qkv, dqkv);
}

void infer_attention_gradient(ShapeContext& context) {
  using enum attention_gradient::Operand;
  require_packed(context, qkv);
  const Dim tokens = context.shape(qkv)[0];
  context.require_shape(gradient, output_shape(context, tokens));
  if (context.has(segments)) context.require_shape(segments, {tokens});
  require_samples(context, samples, tokens);
  context.require_shape(output, output_shape(context, tokens));
  context.require_shape(logsumexp, logsumexp_shape(context, tokens));
  context.output(qkv_gradient, context.shape(qkv), context.dtype(qkv));
}

// Returns the cost of products over the query-key pairs that the mask admits: half of the square for
// causal attention, or the window. Megatron's formula takes the full square. `rows`: an operand with
// one row per token. `channels`: the sum, over the products, of the channels of a head in each;
// `credited`: the same without products that are computed again.
Cost attention_cost(const OpView& op, std::size_t rows, std::int64_t channels,
                    std::int64_t credited) {
  const std::int64_t positions = op.attributes().integer(attribute::sequence);
  const auto sequence = static_cast<double>(positions);
  const double pairs =
      visible_pairs(static_cast<std::size_t>(positions),
                    static_cast<std::size_t>(op.attributes().integer(attribute::window, 0)));
  const double squares = static_cast<double>(op.size(rows, 0)) / sequence *
                         static_cast<double>(op.attributes().integer(attribute::heads));
  const double of_pair = 2.0 * static_cast<double>(channels) * squares,
               credited_of_pair = 2.0 * static_cast<double>(credited) * squares;
  return {.flops = of_pair * pairs,
          .model_flops = credited_of_pair * pairs,
          .megatron_flops = credited_of_pair * sequence * sequence};
}

// The forward has two GEMMs: scores and values.
Cost forward_cost(const OpView& op) {
  const AttentionRow row = attention_row(op.attributes());
  const std::int64_t channels = row.head_dim + row.value_dim;
  return attention_cost(op, attention::qkv, channels, channels);
}
// The backward has five: the scores again, which MFU does not credit, and the gradients of
// probabilities, values, queries and keys.
Cost backward_cost(const OpView& op) {
  const AttentionRow row = attention_row(op.attributes());
  const std::int64_t gradients = 2 * row.value_dim + 2 * row.head_dim;
  return attention_cost(op, attention_gradient::qkv, row.head_dim + gradients, gradients);
}

}  // namespace

const OpKind<rope_table::Operand>& rope_table_op() {
  using enum rope_table::Operand;
  static const OpKind<rope_table::Operand> def{
      {.name = "rope_table",
       .operands = operand_table<MayRead<positions>, Writes<table>>(),
       .infer = infer_rope_table}};
  return def;
}

const OpKind<rope::Operand>& rope_op() {
  using enum rope::Operand;
  static const OpKind<rope::Operand> def{
      {.name = "rope",
       .operands = operand_table<Reads<input>, MayRead<positions>, Reads<table>, Writes<output>>(),
       .infer = infer_rope,
       .backward = backward_rope,
       .in_place = {{output, input}},
       .row_operands = {input, positions, output},
       .tile_flow = TileFlow{.input = input, .output = output}}};
  return def;
}

const OpKind<rope_gradient::Operand>& rope_gradient_op() {
  using enum rope_gradient::Operand;
  static const OpKind<rope_gradient::Operand> def{
      {.name = "rope_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<positions>, Reads<table>, Writes<input_gradient>>(),
       .infer = infer_rope_gradient,
       .in_place = {{input_gradient, gradient}},
       .row_operands = {gradient, positions, input_gradient},
       .tile_flow = TileFlow{.input = gradient, .output = input_gradient}}};
  return def;
}

const OpKind<attention::Operand>& attention_op() {
  using enum attention::Operand;
  static const OpKind<attention::Operand> def{
      {.name = "attention",
       .operands = operand_table<Reads<qkv>, MayRead<segments>, MayRead<samples>, Writes<output>,
                                 Writes<logsumexp>>(),
       .infer = infer_attention,
       .backward = backward_attention,
       .cost = forward_cost}};
  return def;
}

const OpKind<attention_gradient::Operand>& attention_gradient_op() {
  using enum attention_gradient::Operand;
  static const OpKind<attention_gradient::Operand> def{
      {.name = "attention_gradient",
       .operands = operand_table<Reads<gradient>, Reads<qkv>, MayRead<segments>, MayRead<samples>,
                                 Reads<output>, Reads<logsumexp>, Writes<qkv_gradient>>(),
       .infer = infer_attention_gradient,
       .cost = backward_cost}};
  return def;
}

}  // namespace megascale::graph
