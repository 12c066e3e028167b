#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

// Vocabulary-parallel cross-entropy: every rank reduces its columns to three floats per token
// (maximum, sum of exponentials, logit of the target), the groups gather those, and every rank
// finishes with its own columns. Attributes: valid_vocabulary (entries from there on are padding),
// ranks (over which the vocabulary is split: this one's columns begin at its tensor coordinate x
// V), gradient (1: the gradient is wanted).
namespace megascale::graph {
namespace {

std::int64_t ranks(const ShapeContext& context) { return context.attributes().integer("ranks", 1); }

void require_logits(const ShapeContext& context) {
  context.require(
      context.shape(0).size() == 2 && context.attributes().integer("valid_vocabulary") <=
                                          context.shape(0)[1].size * ranks(context),
      "logits[N,V], V x ranks at least the valid vocabulary");
}

void infer_stats(ShapeContext& context) {
  require_logits(context);
  const Dim tokens = context.shape(0)[0];
  context.require_shape(1, {tokens});
  context.output(2, {tokens, Dim(3)}, DType::float32);
}

void infer_loss(ShapeContext& context) {
  require_logits(context);
  const Shape logits = context.shape(0);
  context.require_shape(1, {Dim(logits[0].size * ranks(context)), Dim(3)});
  context.require_shape(2, {logits[0]});
  if (context.attributes().integer("gradient") != 0) context.output(3, logits, context.dtype(0));
  context.output(4, {Dim(2)}, DType::float64, Role::loss);
}

void backward_loss(BackwardContext& context) {
  // The op writes the gradient of its logits itself: it is forward and backward in one pass over
  // them.
  if (context.has(3)) context.contribute(0, context.operand(3));
}

}  // namespace

const OpDef& logit_stats_op() {
  static const OpDef def{.name = "logit_stats",
                         .operands = {{"logits"}, {"targets"}, {"stats", Access::write}},
                         .infer = infer_stats};
  return def;
}

const OpDef& cross_entropy_op() {
  static const OpDef def{.name = "cross_entropy",
                         .operands = {{"logits"},
                                      {"stats"},
                                      {"targets"},
                                      {"gradient", Access::write, true},
                                      {"loss", Access::write}},
                         .infer = infer_loss,
                         .backward = backward_loss,
                         .in_place = {{3, 0}}};
  return def;
}

}  // namespace megascale::graph
