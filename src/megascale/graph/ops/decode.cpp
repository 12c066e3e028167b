// Op kinds for decoding with a key-value cache. The rows are new tokens of S sequences, those of
// sequence 0 first. The operand counts is an int64 tensor of 2 + 3 S elements that the host writes:
//   new tokens of all sequences; last rows of all sequences;
//   then for each sequence its new tokens, its tokens in the cache with the new ones, its last rows
// The cache has S equal parts, one for each sequence. A row of it holds a token's key heads, then its
// value heads, which may have a size of their own (attribute value_dim). A kernel returns an error if
// the numbers of the sequences do not add up, or if a sequence has more tokens than places in the
// cache, fewer tokens in the cache than are new, or more last rows than new tokens.
//
// With latent attention a row of the cache holds the latent vector of a token and the rotated channels of
// its keys, which all heads share. The weight by which keys and values are products of latent vectors is
// an operand (DeepSeek-V2, arXiv 2405.04434, section 2.1.2; kernels/cpu/latent_decode.h has the formulas).
#include "megascale/graph/attention_row.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

// Returns the number of sequences.
std::int64_t require_counts(const ShapeContext& context, std::size_t counts) {
  const Shape& shape = context.shape(counts);
  context.require(shape.size() == 1 && shape[0].size > 2 && (shape[0].size - 2) % 3 == 0,
                  "counts[2 + 3 sequences]");
  return (shape[0].size - 2) / 3;
}

void infer_cached_attention(ShapeContext& context) {
  using enum cached_attention::Operand;
  const AttentionRow row = attention_row(context.attributes());
  const Shape &rows = context.shape(qkv), &kept = context.shape(cache);
  context.require(rows.size() == 2 && rows[1].size == row.packed(),
                  "qkv[N, (heads + groups) head_dim + groups value_dim]");
  const std::int64_t sequences = require_counts(context, counts);
  context.require(kept.size() == 2 && kept[0].size % sequences == 0 && kept[1].size == row.cached(),
                  "cache[sequences positions, groups (head_dim + value_dim)]");
  context.output(output, {rows[0], Dim(row.output())}, context.dtype(qkv));
}

void infer_cached_latent_attention(ShapeContext& context) {
  using enum cached_latent_attention::Operand;
  const Attributes& a = context.attributes();
  const std::int64_t heads = a.integer(attribute::heads), size = a.integer(attribute::head_dim),
                     values = a.integer(attribute::value_dim);
  const Shape &vectors = context.shape(latent), &angles = context.shape(table),
              &kept = context.shape(cache);
  context.require(vectors.size() == 2, "latent[N, rank]");
  const Dim tokens = vectors[0];
  const std::int64_t rank = vectors[1].size;
  context.require(
      angles.size() == 2 && angles[0] == tokens && angles[1].size % 2 == 0 && angles[1].size < size,
      "table[N, rotated], rotated even and below head_dim");
  const std::int64_t rotated = angles[1].size;
  context.require_shape(query, {tokens, Dim(heads * size)});
  context.require_shape(key_rope, {tokens, Dim(rotated)});
  context.require_shape(weight, {Dim(heads * (size - rotated + values)), Dim(rank)});
  const std::int64_t sequences = require_counts(context, counts);
  context.require(
      kept.size() == 2 && kept[0].size % sequences == 0 && kept[1].size == rank + rotated,
      "cache[sequences positions, rank + rotated]");
  context.output(output, {tokens, Dim(heads * values)}, context.dtype(query));
}

void infer_last_rows(ShapeContext& context) {
  using enum last_rows::Operand;
  context.require(context.shape(input).size() == 2, "input[N,C]");
  (void)require_counts(context, counts);
  const Dim rows(context.attributes().integer(attribute::rows), context.tensor(counts), 1);
  context.output(output, {rows, context.shape(input)[1]}, context.dtype(input));
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

const OpKind<cached_latent_attention::Operand>& cached_latent_attention_op() {
  using enum cached_latent_attention::Operand;
  static const OpKind<cached_latent_attention::Operand> def{
      {.name = "cached_latent_attention",
       .operands =
           operand_table<Reads<query>, Reads<latent>, Reads<key_rope>, Reads<table>, Reads<weight>,
                         Accumulates<cache>, Reads<counts>, Writes<output>>(),
       .infer = infer_cached_latent_attention}};
  return def;
}

const OpKind<last_rows::Operand>& last_rows_op() {
  using enum last_rows::Operand;
  static const OpKind<last_rows::Operand> def{
      {.name = "last_rows",
       .operands = operand_table<Reads<input>, Reads<counts>, Writes<output>>(),
       .infer = infer_last_rows}};
  return def;
}

}  // namespace megascale::graph
