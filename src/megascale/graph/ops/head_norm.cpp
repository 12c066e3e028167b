// RMSNorm of every query head and every key head of packed rows, as Qwen3 has before its rotary
// embedding; or one norm of all query heads together and one of all key heads (OLMo 2). The values pass
// unchanged. All query heads share the weights query_gamma, all key heads key_gamma; a norm of all
// heads has a weight for each of their channels. The forward writes a reciprocal root mean square for
// each token and norm, which the backward reads.
//
// Tensor ranks may divide the heads of one norm of all heads. Then head_norm_squares adds the squares of
// this rank's channels, an all_gather brings the sums of all ranks together, and head_norm adds them in
// rank order. Its gradient needs another sum over all channels, which head_norm_products begins.
//
// Attributes: heads, groups (key-value heads), head_dim, epsilon, gamma_offset (added to the weights;
// absent: 0), whole (1: one norm of all heads of a kind; absent: 0), axes and ranks (bits of an AxisSet,
// and the number of ranks that divide the heads of such a norm; absent: one rank).
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

// Checks the packed rows `qkv`. Returns the shape of the statistics: a value for each token and norm.
Shape require_rows(const ShapeContext& context, std::size_t qkv) {
  const Attributes& a = context.attributes();
  const std::int64_t heads = a.integer(attribute::heads), groups = a.integer(attribute::groups),
                     size = a.integer(attribute::head_dim);
  const bool whole = a.integer(attribute::whole, 0) != 0;
  const Shape& rows = context.shape(qkv);
  context.require(rows.size() == 2 && rows[1].size == (heads + 2 * groups) * size,
                  "qkv[N, (heads + 2 groups) head_dim]");
  return {rows[0], Dim(whole ? 2 : heads + groups)};
}

// Checks also those of two operands with one value per channel of a norm that are there.
Shape require_heads(const ShapeContext& context, std::size_t qkv, std::size_t of_queries,
                    std::size_t of_keys) {
  const Attributes& a = context.attributes();
  const std::int64_t size = a.integer(attribute::head_dim);
  const bool whole = a.integer(attribute::whole, 0) != 0;
  Shape statistics = require_rows(context, qkv);
  if (context.has(of_queries))
    context.require_shape(of_queries, {Dim(whole ? a.integer(attribute::heads) * size : size)});
  if (context.has(of_keys))
    context.require_shape(of_keys, {Dim(whole ? a.integer(attribute::groups) * size : size)});
  return statistics;
}

std::int64_t ranks(const Attributes& attributes) { return attributes.integer(attribute::ranks, 1); }

// Checks `sums`, two numbers of each token from every rank, which are there if several ranks divide the norm.
void require_sums(const ShapeContext& context, std::size_t sums, const Dim& tokens) {
  const std::int64_t n = ranks(context.attributes());
  context.require(context.has(sums) == (n > 1), "sums of all ranks if several divide the norm");
  if (n == 1) return;
  context.require(context.attributes().integer(attribute::whole, 0) != 0,
                  "one norm of all heads if several ranks divide it");
  context.require(!tokens.bounded(), "a constant number of tokens");
  context.require_shape(sums, {Dim(tokens.size * n), Dim(2)});
}

void infer_head_norm(ShapeContext& context) {
  using enum head_norm::Operand;
  const Shape statistics = require_heads(context, input, query_gamma, key_gamma);
  context.output(output, context.shape(input), context.dtype(input));
  context.output(rstd, statistics, DType::float32);
  require_sums(context, squares, statistics[0]);
}

void infer_head_norm_squares(ShapeContext& context) {
  using enum head_norm_squares::Operand;
  // The attribute `whole` is set, so there are two sums for each token.
  context.output(squares, require_rows(context, input), DType::float32);
}

// Emits the sums over channels that the gradient needs, if several ranks have some of them. Else it returns
// kNoTensor: the gradient adds its channels itself.
TensorId products_of_all_ranks(BackwardContext& context, TensorId dy) {
  using enum head_norm::Operand;
  if (ranks(context.attributes()) == 1) return kNoTensor;
  const TensorId own =
      context.emit_for(head_norm_products::products, head_norm_products_op(), "products",
                       {{head_norm_products::gradient, dy},
                        {head_norm_products::input, context.operand(input)},
                        {head_norm_products::query_gamma, context.operand(query_gamma)},
                        {head_norm_products::key_gamma, context.operand(key_gamma)},
                        {head_norm_products::rstd, context.operand(rstd)}},
                       context.attributes());
  const Attributes group{{attribute::axes, context.attributes().integer(attribute::axes)},
                         {attribute::ranks, ranks(context.attributes())},
                         {attribute::dtype, static_cast<std::int64_t>(DType::float32)}};
  return context.emit_for(collective::receive, all_gather_op(), "products/all_gather",
                          {{collective::send, own}}, group);
}

void backward_head_norm(BackwardContext& context) {
  using enum head_norm::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const TensorId of_queries = context.main_gradient(query_gamma),
                 of_keys = context.main_gradient(key_gamma);
  const TensorId sums = products_of_all_ranks(context, dy);
  const TensorId dx =
      context.emit_for(head_norm_gradient::input_gradient, head_norm_gradient_op(), "grad",
                       {{head_norm_gradient::gradient, dy},
                        {head_norm_gradient::input, context.operand(input)},
                        {head_norm_gradient::query_gamma, context.operand(query_gamma)},
                        {head_norm_gradient::key_gamma, context.operand(key_gamma)},
                        {head_norm_gradient::rstd, context.operand(rstd)},
                        {head_norm_gradient::query_gamma_gradient, of_queries},
                        {head_norm_gradient::key_gamma_gradient, of_keys},
                        {head_norm_gradient::products, sums}},
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
  require_sums(context, products, statistics[0]);
}

void infer_head_norm_products(ShapeContext& context) {
  using enum head_norm_products::Operand;
  const Shape statistics = require_heads(context, input, query_gamma, key_gamma);
  context.require_shape(gradient, context.shape(input));
  context.require_shape(rstd, statistics);
  context.output(products, statistics, DType::float32);
}

}  // namespace

const OpKind<head_norm::Operand>& head_norm_op() {
  using enum head_norm::Operand;
  static const OpKind<head_norm::Operand> def{
      {.name = "head_norm",
       .operands = operand_table<Reads<input>, Reads<query_gamma>, Reads<key_gamma>, Writes<output>,
                                 Writes<rstd>, MayRead<squares>>(),
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
                         MayFirstWrite<key_gamma_gradient>, MayRead<products>>(),
       .infer = infer_head_norm_gradient,
       .in_place = {{input_gradient, gradient}}}};
  return def;
}

const OpKind<head_norm_squares::Operand>& head_norm_squares_op() {
  using enum head_norm_squares::Operand;
  static const OpKind<head_norm_squares::Operand> def{
      {.name = "head_norm_squares",
       .operands = operand_table<Reads<input>, Writes<squares>>(),
       .infer = infer_head_norm_squares}};
  return def;
}

const OpKind<head_norm_products::Operand>& head_norm_products_op() {
  using enum head_norm_products::Operand;
  static const OpKind<head_norm_products::Operand> def{
      {.name = "head_norm_products",
       .operands = operand_table<Reads<gradient>, Reads<input>, Reads<query_gamma>,
                                 Reads<key_gamma>, Reads<rstd>, Writes<products>>(),
       .infer = infer_head_norm_products}};
  return def;
}

}  // namespace megascale::graph
