#include <algorithm>

#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

// What context parallelism does around its all_to_all (Ulysses: Jacobs et al. 2023, arXiv
// 2309.14509): a rank has some tokens of every sequence with all heads, and attends over all tokens
// with some of the heads. Blocks are what an all_to_all takes and brings: block j goes to, or came
// from, rank j. Every kind's gradient is the other kind of its pair.
// Attributes: ranks (of the group); heads and groups (query and key-value heads of a row, all of
// them), head_dim; sequence (tokens of a whole sequence).
namespace megascale::graph {
namespace {

// Columns of a row, and of a block's row. With fewer key-value heads than ranks a block has one,
// which several blocks share.
struct Columns {
  std::int64_t row = 0, block = 0;
};
Columns columns(const ShapeContext& context) {
  const Attributes& a = context.attributes();
  const std::int64_t heads = a.integer("heads"), groups = a.integer("groups"),
                     ranks = a.integer("ranks"), size = a.integer("head_dim");
  context.require(heads % ranks == 0, "query heads that divide among the ranks");
  context.require(groups == 0 || groups % ranks == 0 || ranks % groups == 0,
                  "key-value heads of which every rank gets as many, or one");
  const std::int64_t of_block = groups == 0 ? 0 : std::max<std::int64_t>(groups / ranks, 1);
  return {(heads + 2 * groups) * size, (heads / ranks + 2 * of_block) * size};
}

void infer_split_heads(ShapeContext& context) {
  const Shape& rows = context.shape(0);
  const Columns width = columns(context);
  context.require(rows.size() == 2 && rows[1].size == width.row,
                  "rows[N, (heads + 2 groups) head_dim]");
  context.output(1, {Dim(rows[0].size * context.attributes().integer("ranks")), Dim(width.block)},
                 context.dtype(0));
}

void infer_join_heads(ShapeContext& context) {
  const Shape& blocks = context.shape(0);
  const Columns width = columns(context);
  const std::int64_t ranks = context.attributes().integer("ranks");
  context.require(
      blocks.size() == 2 && blocks[0].size % ranks == 0 && blocks[1].size == width.block,
      "blocks[ranks x N, (heads + 2 groups of a block) head_dim]");
  context.output(1, {Dim(blocks[0].size / ranks), Dim(width.row)}, context.dtype(0));
}

void infer_sequences(ShapeContext& context) {
  const std::int64_t sequence = context.attributes().integer("sequence");
  context.require(context.shape(0).size() == 2 && context.shape(0)[0].size % sequence == 0 &&
                      sequence % context.attributes().integer("ranks") == 0,
                  "rows of whole sequences that divide among the ranks");
  context.output(1, context.shape(0), context.dtype(0));
}

void emit_other(BackwardContext& context, const OpDef& other) {
  const TensorId dy = context.gradient(1);
  if (dy == kNoTensor) return;
  const Op& op = context.emit(other, "grad", {dy}, context.attributes());
  context.contribute(0, op.operands[1]);
}
void backward_split_heads(BackwardContext& context) { emit_other(context, join_heads_op()); }
void backward_join_heads(BackwardContext& context) { emit_other(context, split_heads_op()); }
void backward_split_sequences(BackwardContext& context) {
  emit_other(context, join_sequences_op());
}
void backward_join_sequences(BackwardContext& context) {
  emit_other(context, split_sequences_op());
}

OpDef exchange(std::string_view name, std::string_view from, std::string_view to) {
  return {.name = name, .operands = {{from}, {to, Access::write}}};
}

}  // namespace

const OpDef& split_heads_op() {
  static const OpDef def = [] {
    OpDef d = exchange("split_heads", "rows", "blocks");
    d.infer = infer_split_heads;
    d.backward = backward_split_heads;
    d.packs = true;
    return d;
  }();
  return def;
}

const OpDef& join_heads_op() {
  static const OpDef def = [] {
    OpDef d = exchange("join_heads", "blocks", "rows");
    d.infer = infer_join_heads;
    d.backward = backward_join_heads;
    return d;
  }();
  return def;
}

const OpDef& split_sequences_op() {
  static const OpDef def = [] {
    OpDef d = exchange("split_sequences", "rows", "blocks");
    d.infer = infer_sequences;
    d.backward = backward_split_sequences;
    d.packs = true;
    return d;
  }();
  return def;
}

const OpDef& join_sequences_op() {
  static const OpDef def = [] {
    OpDef d = exchange("join_sequences", "blocks", "rows");
    d.infer = infer_sequences;
    d.backward = backward_join_sequences;
    return d;
  }();
  return def;
}

}  // namespace megascale::graph
