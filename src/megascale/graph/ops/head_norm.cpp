// RMSNorm of every query head and every key head of packed rows, as Qwen3 has before its rotary
// embedding; or one norm of all query heads together and one of all key heads (OLMo 2). The values pass
// unchanged. All query heads share the weights query_gamma, all key heads key_gamma; a norm of all
// heads has a weight for each of their channels. The forward writes a reciprocal root mean square for
// each token and norm, which the backward reads.
//
// Attributes: heads, groups (key-value heads), head_dim, epsilon, gamma_offset (added to the weights;
// absent: 0), whole (1: one norm of all heads of a kind; absent: 0).
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

// Checks the packed rows `qkv`, and those of two operands with one value per channel of a norm that are
// there. Returns the shape of the statistics: a value for each token and norm.
Shape require_heads(const ShapeContext& context, std::size_t qkv, std::size_t of_queries,
                    std::size_t of_keys) {
  const Attributes& a = context.attributes();
  const std::int64_t heads = a.integer(attribute::heads), groups = a.integer(attribute::groups),
                     size = a.integer(attribute::head_dim);
  const bool whole = a.integer(attribute::whole, 0) != 0;
  const Shape& rows = context.shape(qkv);
  context.require(rows.size() == 2 && rows[1].size == (heads + 2 * groups) * size,
                  "qkv[N, (heads + 2 groups) head_dim]");
  if (context.has(of_queries))
    context.require_shape(of_queries, {Dim(whole ? heads * size : size)});
  if (context.has(of_keys)) context.require_shape(of_keys, {Dim(whole ? groups * size : size)});
  return {rows[0], Dim(whole ? 2 : heads + groups)};
}

void infer_head_norm(ShapeContext& context) {
  using enum head_norm::Operand;
  const Shape statistics = require_heads(context, input, query_gamma, key_gamma);
  context.output(output, context.shape(input), context.dtype(input));
  context.output(rstd, statistics, DType::float32);
}

void backward_head_norm(BackwardContext& context) {
  using enum head_norm::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId of_queries = context.main_gradient(query_gamma),
                 of_keys = context.main_gradient(key_gamma);
  const TensorId dx =
      context.emit_for(head_norm_gradient::input_gradient, head_norm_gradient_op(), "grad",
                       {{head_norm_gradient::gradient, dy},
                        {head_norm_gradient::input, context.operand(input)},
                        {head_norm_gradient::query_gamma, context.operand(query_gamma)},
                        {head_norm_gradient::key_gamma, context.operand(key_gamma)},
                        {head_norm_gradient::rstd, context.operand(rstd)},
                        {head_norm_gradient::query_gamma_gradient, of_queries},
                        {head_norm_gradient::key_gamma_gradient, of_keys}},
                       context.attributes());
  context.contribute(input, dx);
}

void infer_head_norm_gradient(ShapeContext& context) {
  using enum head_norm_gradient::Operand;
  const Shape statistics = require_heads(context, input, query_gamma, key_gamma);
  (void)require_heads(context, gradient, query_gamma_gradient, key_gamma_gradient);
  context.require_shape(gradient, context.shape(input));
  context.require_shape(rstd, statistics);
  context.output(input_gradient, context.shape(input), context.dtype(input));
}

}  // namespace

const OpKind<head_norm::Operand>& head_norm_op() {
  using enum head_norm::Operand;
  static const OpKind<head_norm::Operand> def{
      {.name = "head_norm",
       .operands = operand_table<Reads<input>, Reads<query_gamma>, Reads<key_gamma>, Writes<output>,
                                 Writes<rstd>>(),
       .infer = infer_head_norm,
       .backward = backward_head_norm,
       .in_place = {{output, input}},
       .row_operands = {input, output, rstd}}};
  return def;
}

const OpKind<head_norm_gradient::Operand>& head_norm_gradient_op() {
  using enum head_norm_gradient::Operand;
  static const OpKind<head_norm_gradient::Operand> def{
      {.name = "head_norm_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<input>, Reads<query_gamma>, Reads<key_gamma>,
                         Reads<rstd>, Writes<input_gradient>, MayFirstWrite<query_gamma_gradient>,
                         MayFirstWrite<key_gamma_gradient>>(),
       .infer = infer_head_norm_gradient,
       .in_place = {{input_gradient, gradient}}}};
  return def;
}

}  // namespace megascale::graph
