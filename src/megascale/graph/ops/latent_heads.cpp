// The op that puts together the heads of latent attention (DeepSeek-V2, arXiv 2405.04434) from products
// of latent vectors: it rotates the channels that have positions, and gives every head the rotated
// channels of the key, which all heads share.
//
// Attributes: heads; head_dim (channels of a query head and of a key head); value_dim (of a value head).
// The last channels of a head are rotated, as many as the table has columns.
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

// The columns of the operands.
struct Columns {
  std::int64_t query = 0, key_value = 0, key_rope = 0, qkv = 0;
};

Columns columns(const ShapeContext& context, std::size_t table) {
  const Attributes& a = context.attributes();
  const std::int64_t heads = a.integer(attribute::heads), size = a.integer(attribute::head_dim),
                     values = a.integer(attribute::value_dim);
  const Shape& angles = context.shape(table);
  context.require(angles.size() == 2 && angles[1].size % 2 == 0 && angles[1].size < size,
                  "table[positions, rotated], rotated even and below head_dim");
  const std::int64_t rotated = angles[1].size;
  return {heads * size, heads * (size - rotated + values), rotated, heads * (2 * size + values)};
}

void infer_latent_heads(ShapeContext& context) {
  using enum latent_heads::Operand;
  const Columns width = columns(context, table);
  context.require(context.shape(query).size() == 2, "query[N, heads head_dim]");
  const Dim tokens = context.shape(query)[0];
  context.require_shape(query, {tokens, Dim(width.query)});
  context.require_shape(key_value, {tokens, Dim(width.key_value)});
  context.require_shape(key_rope, {tokens, Dim(width.key_rope)});
  context.require_shape(positions, {tokens});
  context.output(qkv, {tokens, Dim(width.qkv)}, context.dtype(query));
}

void backward_latent_heads(BackwardContext& context) {
  using enum latent_heads::Operand;
  const TensorId dy = context.gradient(qkv);
  if (dy == kNoTensor) return;
  // The list of ops may grow and move while gradients are contributed, so the ids are copied.
  const std::vector<TensorId> results =
      context
          .emit(latent_heads_gradient_op(), "grad",
                {{latent_heads_gradient::gradient, dy},
                 {latent_heads_gradient::positions, context.operand(positions)},
                 {latent_heads_gradient::table, context.operand(table)}},
                context.attributes())
          .operands;
  context.contribute(query, results[latent_heads_gradient::query_gradient]);
  context.contribute(key_value, results[latent_heads_gradient::key_value_gradient]);
  context.contribute(key_rope, results[latent_heads_gradient::key_rope_gradient]);
}

void infer_latent_heads_gradient(ShapeContext& context) {
  using enum latent_heads_gradient::Operand;
  const Columns width = columns(context, table);
  context.require(context.shape(gradient).size() == 2, "gradient of qkv[N,C]");
  const Dim tokens = context.shape(gradient)[0];
  const DType dtype = context.dtype(gradient);
  context.require_shape(gradient, {tokens, Dim(width.qkv)});
  context.require_shape(positions, {tokens});
  context.output(query_gradient, {tokens, Dim(width.query)}, dtype);
  context.output(key_value_gradient, {tokens, Dim(width.key_value)}, dtype);
  context.output(key_rope_gradient, {tokens, Dim(width.key_rope)}, dtype);
}

}  // namespace

const OpKind<latent_heads::Operand>& latent_heads_op() {
  using enum latent_heads::Operand;
  static const OpKind<latent_heads::Operand> def{
      {.name = "latent_heads",
       .operands = operand_table<Reads<query>, Reads<key_value>, Reads<key_rope>, Reads<positions>,
                                 Reads<table>, Writes<qkv>>(),
       .infer = infer_latent_heads,
       .backward = backward_latent_heads,
       .row_operands = {query, key_value, key_rope, positions, qkv}}};
  return def;
}

const OpKind<latent_heads_gradient::Operand>& latent_heads_gradient_op() {
  using enum latent_heads_gradient::Operand;
  static const OpKind<latent_heads_gradient::Operand> def{
      {.name = "latent_heads_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<positions>, Reads<table>, Writes<query_gradient>,
                         Writes<key_value_gradient>, Writes<key_rope_gradient>>(),
       .infer = infer_latent_heads_gradient,
       .row_operands = {gradient, positions, query_gradient, key_value_gradient,
                        key_rope_gradient}}};
  return def;
}

}  // namespace megascale::graph
