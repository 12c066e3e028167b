#include "megascale/graph/ops/ops.h"

// Kinds of decoding with a key-value cache. Counts are int64 elements of one tensor: kQueries new
// tokens, kKeys tokens in the cache once they are in it.
namespace megascale::graph {
namespace {

void infer_cached_attention(ShapeContext& context) {
  const Attributes& a = context.attributes();
  const std::int64_t size = a.integer("head_dim"), heads = a.integer("heads"),
                     groups = a.integer("groups");
  context.require(
      context.shape(0).size() == 2 && context.shape(0)[1].size == (heads + 2 * groups) * size,
      "qkv[N, (heads + 2 groups) head_dim]");
  context.require(context.shape(1).size() == 2 && context.shape(1)[1].size == 2 * groups * size,
                  "cache[positions, 2 groups head_dim]");
  context.require_shape(2, {Dim(2)});
  context.output(3, {context.shape(0)[0], Dim(heads * size)}, context.dtype(0));
}

void infer_last_row(ShapeContext& context) {
  context.require(context.shape(0).size() == 2, "input[N,C]");
  context.require_shape(1, {Dim(2)});
  context.output(2, {Dim(1), context.shape(0)[1]}, context.dtype(0));
}

}  // namespace

const OpDef& cached_attention_op() {
  static const OpDef def{
      .name = "cached_attention",
      .operands = {{"qkv"}, {"cache", Access::accumulate}, {"counts"}, {"output", Access::write}},
      .infer = infer_cached_attention};
  return def;
}

const OpDef& last_row_op() {
  static const OpDef def{.name = "last_row",
                         .operands = {{"input"}, {"counts"}, {"output", Access::write}},
                         .infer = infer_last_row};
  return def;
}

}  // namespace megascale::graph
