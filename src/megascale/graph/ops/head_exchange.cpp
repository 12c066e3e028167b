// The ops around the all_to_all of context parallelism (Ulysses: Jacobs et al. 2023, arXiv
// 2309.14509). Between layers a rank holds some tokens of every sequence with all heads; in
// attention it holds all tokens with some of the heads. These ops arrange rows into blocks, and
// back. Block j goes to rank j, or came from rank j. Each kind is the gradient of the other kind of
// its pair.
//
// Attributes: ranks (members of the group); heads and groups (query and key-value heads of a whole
// row; groups 0: the row holds no keys and values); head_dim; value_dim (of heads of values; absent:
// head_dim); sequence (tokens of a whole sequence).
#include <algorithm>

#include "megascale/graph/attention_row.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

// The number of columns of a whole row, and of a row of a block. If there are fewer key-value heads
// than ranks, each block has one, and several blocks share it.
struct Columns {
  std::int64_t row = 0, block = 0;
};
Columns columns(const ShapeContext& context) {
  const std::int64_t ranks = context.attributes().integer(attribute::ranks);
  const AttentionRow row = attention_row(context.attributes());
  context.require(row.heads % ranks == 0,
                  "a number of query heads that is a multiple of the number of ranks");
  context.require(
      row.groups == 0 || row.groups % ranks == 0 || ranks % row.groups == 0,
      "a number of key-value heads that is a multiple or a divisor of the number of ranks");
  AttentionRow block = row;
  block.heads = row.heads / ranks;
  block.groups = row.groups == 0 ? 0 : std::max<std::int64_t>(row.groups / ranks, 1);
  return {row.packed(), block.packed()};
}

void infer_split_heads(ShapeContext& context) {
  using enum split_heads::Operand;
  const Shape& all_heads = context.shape(rows);
  const Columns width = columns(context);
  context.require(all_heads.size() == 2 && all_heads[1].size == width.row,
                  "rows[N, (heads + groups) head_dim + groups value_dim]");
  const std::int64_t ranks = context.attributes().integer(attribute::ranks);
  context.output(blocks, {Dim(all_heads[0].size * ranks), Dim(width.block)}, context.dtype(rows));
}

void infer_join_heads(ShapeContext& context) {
  using enum join_heads::Operand;
  const Shape& parts = context.shape(blocks);
  const Columns width = columns(context);
  const std::int64_t ranks = context.attributes().integer(attribute::ranks);
  context.require(parts.size() == 2 && parts[0].size % ranks == 0 && parts[1].size == width.block,
                  "blocks[ranks x N, (heads + groups) head_dim + groups value_dim of a block]");
  context.output(rows, {Dim(parts[0].size / ranks), Dim(width.row)}, context.dtype(blocks));
}

void infer_sequences(ShapeContext& context, std::size_t from, std::size_t to) {
  const std::int64_t sequence = context.attributes().integer(attribute::sequence);
  const Shape& shape = context.shape(from);
  context.require(shape.size() == 2 && shape[0].size % sequence == 0 &&
                      sequence % context.attributes().integer(attribute::ranks) == 0,
                  "rows of whole sequences that divide among the ranks");
  context.output(to, Shape(shape), context.dtype(from));
}
void infer_split_sequences(ShapeContext& context) {
  using enum split_sequences::Operand;
  infer_sequences(context, rows, blocks);
}
void infer_join_sequences(ShapeContext& context) {
  using enum join_sequences::Operand;
  infer_sequences(context, blocks, rows);
}

// `Split` and `Join` name the operands of the two kinds of a pair.
template <class Split, class Join>
void backward_split(BackwardContext& context, const OpKind<Join>& join) {
  const TensorId dy = context.gradient(Split::blocks);
  if (dy == kNoTensor) return;
  context.contribute(Split::rows, context.emit_for(Join::rows, join, "grad", {{Join::blocks, dy}},
                                                   context.attributes()));
}
template <class Join, class Split>
void backward_join(BackwardContext& context, const OpKind<Split>& split) {
  const TensorId dy = context.gradient(Join::rows);
  if (dy == kNoTensor) return;
  context.contribute(Join::blocks, context.emit_for(Split::blocks, split, "grad",
                                                    {{Split::rows, dy}}, context.attributes()));
}
void backward_split_heads(BackwardContext& context) {
  backward_split<split_heads::Operand>(context, join_heads_op());
}
void backward_join_heads(BackwardContext& context) {
  backward_join<join_heads::Operand>(context, split_heads_op());
}
void backward_split_sequences(BackwardContext& context) {
  backward_split<split_sequences::Operand>(context, join_sequences_op());
}
void backward_join_sequences(BackwardContext& context) {
  backward_join<join_sequences::Operand>(context, split_sequences_op());
}

}  // namespace

const OpKind<split_heads::Operand>& split_heads_op() {
  using enum split_heads::Operand;
  static const OpKind<split_heads::Operand> def{
      {.name = "split_heads",
       .operands = operand_table<Reads<rows>, Writes<blocks>>(),
       .infer = infer_split_heads,
       .backward = backward_split_heads,
       .tile_flow = TileFlow{.input = rows, .output = blocks},
       .packs = true}};
  return def;
}

const OpKind<join_heads::Operand>& join_heads_op() {
  using enum join_heads::Operand;
  static const OpKind<join_heads::Operand> def{
      {.name = "join_heads",
       .operands = operand_table<Reads<blocks>, Writes<rows>>(),
       .infer = infer_join_heads,
       .backward = backward_join_heads,
       .tile_flow = TileFlow{.input = blocks, .output = rows}}};
  return def;
}

const OpKind<split_sequences::Operand>& split_sequences_op() {
  using enum split_sequences::Operand;
  static const OpKind<split_sequences::Operand> def{
      {.name = "split_sequences",
       .operands = operand_table<Reads<rows>, Writes<blocks>>(),
       .infer = infer_split_sequences,
       .backward = backward_split_sequences,
       .tile_flow = TileFlow{.input = rows, .output = blocks},
       .packs = true}};
  return def;
}

const OpKind<join_sequences::Operand>& join_sequences_op() {
  using enum join_sequences::Operand;
  static const OpKind<join_sequences::Operand> def{
      {.name = "join_sequences",
       .operands = operand_table<Reads<blocks>, Writes<rows>>(),
       .infer = infer_join_sequences,
       .backward = backward_join_sequences,
       .tile_flow = TileFlow{.input = blocks, .output = rows}}};
  return def;
}

}  // namespace megascale::graph
