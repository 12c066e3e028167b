#include <algorithm>

#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

// Attributes of rope and attention: heads, groups (key-value heads), head_dim, sequence (tokens of
// one sequence); attention: window (0: unlimited). Of rope_table: positions, head_dim, base.
namespace megascale::graph {
namespace {

void require_packed(const ShapeContext& context, std::size_t operand) {
  const Attributes& a = context.attributes();
  context.require(context.shape(operand).size() == 2 &&
                      context.shape(operand)[1].size ==
                          (a.integer("heads") + 2 * a.integer("groups")) * a.integer("head_dim"),
                  "qkv[N, (heads + 2 groups) head_dim]");
  context.require(a.integer("heads") % a.integer("groups") == 0, "heads in whole groups");
}

// Row p: cosines, then sines, of p's angles.
void infer_rope_table(ShapeContext& context) {
  const Attributes& a = context.attributes();
  context.output(0, {Dim(a.integer("positions")), Dim(a.integer("head_dim"))}, DType::float32);
}

void infer_rope(ShapeContext& context) {
  require_packed(context, 0);
  const std::int64_t size = context.attributes().integer("head_dim");
  context.require(context.shape(2).size() == 2 && context.shape(2)[1].size == size && size % 2 == 0,
                  "table[positions, head_dim], head_dim even");
  context.require_shape(1, {context.shape(0)[0]});
  context.output(3, context.shape(0), context.dtype(0));
}

void backward_rope(BackwardContext& context) {
  const TensorId dy = context.gradient(3);
  if (dy == kNoTensor) return;
  const Op& op = context.emit(rope_gradient_op(), "grad",
                              {dy, context.operand(1), context.operand(2)}, context.attributes());
  context.contribute(0, op.operands[3]);
}

void infer_attention(ShapeContext& context) {
  require_packed(context, 0);
  const Attributes& a = context.attributes();
  const Dim tokens = context.shape(0)[0];
  context.require(tokens.size % a.integer("sequence") == 0, "whole sequences");
  if (context.has(1)) context.require_shape(1, {tokens});
  context.output(2, {tokens, Dim(a.integer("heads") * a.integer("head_dim"))}, context.dtype(0));
  context.output(3,
                 {Dim(tokens.size / a.integer("sequence")), Dim(a.integer("heads")),
                  Dim(a.integer("sequence"))},
                 DType::float32);
}

void backward_attention(BackwardContext& context) {
  const TensorId dy = context.gradient(2);
  if (dy == kNoTensor) return;
  const Op& op = context.emit(
      attention_gradient_op(), "grad",
      {dy, context.operand(0), context.operand(1), context.operand(2), context.operand(3)},
      context.attributes());
  context.contribute(0, op.operands[5]);
}

void infer_attention_gradient(ShapeContext& context) {
  require_packed(context, 1);
  const Attributes& a = context.attributes();
  const Shape output{context.shape(1)[0], Dim(a.integer("heads") * a.integer("head_dim"))};
  context.require_shape(0, output);
  if (context.has(2)) context.require_shape(2, {output[0]});
  context.require_shape(3, output);
  context.require_shape(4, {Dim(output[0].size / a.integer("sequence")), Dim(a.integer("heads")),
                            Dim(a.integer("sequence"))});
  context.output(5, context.shape(1), context.dtype(1));
}

// Query-key pairs that the mask admits, half of the square for causal attention, and the full
// square of Megatron's formula. `tokens` is the operand that has one row per token.
Cost attention_cost(const OpView& op, std::size_t tokens, double gemms, double credited_gemms) {
  const auto sequence = static_cast<double>(op.attributes().integer("sequence"));
  const auto window = static_cast<double>(op.attributes().integer("window", 0));
  const double width = window > 0 ? std::min(window, sequence) : sequence;
  const double pairs = width * sequence - width * width / 2;
  const double squares = static_cast<double>(op.size(tokens, 0)) / sequence *
                         static_cast<double>(op.attributes().integer("heads"));
  const double gemm = 2.0 * static_cast<double>(op.attributes().integer("head_dim")) * squares;
  return {.flops = gemms * gemm * pairs,
          .model_flops = credited_gemms * gemm * pairs,
          .megatron_flops = credited_gemms * gemm * sequence * sequence};
}

// Forward: scores and values, two GEMMs. Backward: five, of which computing the scores again is not
// credited.
Cost forward_cost(const OpView& op) { return attention_cost(op, 0, 2, 2); }
Cost backward_cost(const OpView& op) { return attention_cost(op, 1, 5, 4); }

}  // namespace

const OpDef& rope_table_op() {
  static const OpDef def{
      .name = "rope_table", .operands = {{"table", Access::write}}, .infer = infer_rope_table};
  return def;
}

const OpDef& rope_op() {
  static const OpDef def{
      .name = "rope",
      .operands = {{"input"}, {"positions"}, {"table"}, {"output", Access::write}},
      .infer = infer_rope,
      .backward = backward_rope,
      .in_place = {{3, 0}}};
  return def;
}

const OpDef& rope_gradient_op() {
  static const OpDef def{
      .name = "rope_gradient",
      .operands = {{"gradient"}, {"positions"}, {"table"}, {"input_gradient", Access::write}},
      .infer = infer_rope,
      .in_place = {{3, 0}}};
  return def;
}

const OpDef& attention_op() {
  static const OpDef def{.name = "attention",
                         .operands = {{"qkv"},
                                      {"segments", Access::read, true},
                                      {"output", Access::write},
                                      {"logsumexp", Access::write}},
                         .infer = infer_attention,
                         .backward = backward_attention,
                         .cost = forward_cost};
  return def;
}

const OpDef& attention_gradient_op() {
  static const OpDef def{.name = "attention_gradient",
                         .operands = {{"gradient"},
                                      {"qkv"},
                                      {"segments", Access::read, true},
                                      {"output"},
                                      {"logsumexp"},
                                      {"qkv_gradient", Access::write}},
                         .infer = infer_attention_gradient,
                         .cost = backward_cost};
  return def;
}

}  // namespace megascale::graph
