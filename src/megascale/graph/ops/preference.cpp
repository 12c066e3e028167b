// The loss of direct preference optimisation (arXiv 2305.18290), between logit_stats and cross_entropy:
// sequence_scores adds the log-probabilities of each sequence, an all_gather brings those of the context ranks
// together, and preference_loss turns them into the loss and into the weight of each token in the gradient of
// cross_entropy.
//
// Attributes:
//   sequence         tokens of one sequence on this rank
//   beta, label_smoothing   of the loss (config.h: PreferenceConfig)
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void infer_scores(ShapeContext& context) {
  using enum sequence_scores::Operand;
  const std::int64_t length = context.attributes().integer(attribute::sequence);
  const Shape tokens = context.shape(targets);
  context.require(tokens.size() == 1 && length >= 1 && tokens[0].size % length == 0,
                  "targets[N] of whole sequences");
  const std::int64_t ranks = context.attributes().integer(attribute::ranks, 1);
  context.require_shape(stats, {Dim(tokens[0].size * ranks), Dim(3)});
  context.output(scores, {Dim(tokens[0].size / length)}, DType::float64);
}

void infer_loss(ShapeContext& context) {
  using enum preference_loss::Operand;
  const Shape sequences = context.shape(reference), all = context.shape(scores);
  context.require(sequences.size() == 1 && sequences[0].size % 2 == 0 &&
                      context.dtype(reference) == DType::float64,
                  "reference[B] of float64 for whole pairs");
  context.require(all.size() == 1 && all[0].size > 0 && all[0].size % sequences[0].size == 0 &&
                      context.dtype(scores) == DType::float64,
                  "scores[context ranks x B] of float64");
  context.require_shape(record, {Dim(3)});
  const std::int64_t length = context.attributes().integer(attribute::sequence);
  context.output(weights, {Dim(sequences[0].size * length)}, DType::float32);
  context.output(loss, {Dim(2)}, DType::float64, Role::loss);
}

}  // namespace

const OpKind<sequence_scores::Operand>& sequence_scores_op() {
  using enum sequence_scores::Operand;
  static const OpKind<sequence_scores::Operand> def{
      {.name = "sequence_scores",
       .operands = operand_table<Reads<stats>, Reads<targets>, Writes<scores>>(),
       .infer = infer_scores}};
  return def;
}

const OpKind<preference_loss::Operand>& preference_loss_op() {
  using enum preference_loss::Operand;
  static const OpKind<preference_loss::Operand> def{
      {.name = "preference_loss",
       .operands = operand_table<Reads<scores>, Reads<reference>, Writes<weights>, Writes<loss>,
                                 FirstWrites<record>>(),
       .infer = infer_loss}};
  return def;
}

}  // namespace megascale::graph
