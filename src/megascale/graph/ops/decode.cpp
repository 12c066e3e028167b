// Op kinds for decoding with a key-value cache. The operand counts is an int64 tensor with two
// elements: the number of new tokens, and the number of tokens in the cache including them. A kernel
// returns an error if there are more tokens than rows or places in the cache, or fewer in the cache
// than are new; last_row needs at least one new token.
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void infer_cached_attention(ShapeContext& context) {
  using enum cached_attention::Operand;
  const Attributes& a = context.attributes();
  const std::int64_t size = a.integer(attribute::head_dim), heads = a.integer(attribute::heads),
                     groups = a.integer(attribute::groups);
  const Shape &rows = context.shape(qkv), &kept = context.shape(cache);
  context.require(rows.size() == 2 && rows[1].size == (heads + 2 * groups) * size,
                  "qkv[N, (heads + 2 groups) head_dim]");
  context.require(kept.size() == 2 && kept[1].size == 2 * groups * size,
                  "cache[positions, 2 groups head_dim]");
  context.require_shape(counts, {Dim(2)});
  context.output(output, {rows[0], Dim(heads * size)}, context.dtype(qkv));
}

void infer_last_row(ShapeContext& context) {
  using enum last_row::Operand;
  context.require(context.shape(input).size() == 2, "input[N,C]");
  context.require_shape(counts, {Dim(2)});
  context.output(output, {Dim(1), context.shape(input)[1]}, context.dtype(input));
}

}  // namespace

const OpKind<cached_attention::Operand>& cached_attention_op() {
  using enum cached_attention::Operand;
  static const OpKind<cached_attention::Operand> def{
      {.name = "cached_attention",
       .operands = operand_table<Reads<qkv>, Accumulates<cache>, Reads<counts>, Writes<output>>(),
       .infer = infer_cached_attention}};
  return def;
}

const OpKind<last_row::Operand>& last_row_op() {
  using enum last_row::Operand;
  static const OpKind<last_row::Operand> def{
      {.name = "last_row",
       .operands = operand_table<Reads<input>, Reads<counts>, Writes<output>>(),
       .infer = infer_last_row}};
  return def;
}

}  // namespace megascale::graph
