// Vocabulary-parallel cross-entropy in three ops. logit_stats reduces this rank's columns to three
// floats per token: maximum, sum of exponentials, logit of the target. An all_gather brings the
// numbers of all ranks together. cross_entropy then computes the loss, and the gradient of this
// rank's columns.
//
// Attributes:
//   valid_vocabulary  later entries of the vocabulary are padding
//   ranks             the number of ranks over which the vocabulary is split; the columns of this
//                     rank begin at entry V times its coordinate on the tensor axis
//   gradient          1: the gradient is wanted
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

std::int64_t ranks(const ShapeContext& context) {
  return context.attributes().integer(attribute::ranks, 1);
}

void require_logits(const ShapeContext& context, std::size_t operand) {
  const Shape& logits = context.shape(operand);
  const std::int64_t valid = context.attributes().integer(attribute::valid_vocabulary);
  context.require(logits.size() == 2 && valid <= logits[1].size * ranks(context),
                  "logits[N,V], V x ranks at least the valid vocabulary");
}

void infer_stats(ShapeContext& context) {
  using enum logit_stats::Operand;
  require_logits(context, logits);
  const Dim tokens = context.shape(logits)[0];
  context.require_shape(targets, {tokens});
  context.output(stats, {tokens, Dim(3)}, DType::float32);
}

void infer_loss(ShapeContext& context) {
  using enum cross_entropy::Operand;
  require_logits(context, logits);
  const Shape shape = context.shape(logits);
  context.require_shape(stats, {Dim(shape[0].size * ranks(context)), Dim(3)});
  context.require_shape(targets, {shape[0]});
  if (context.attributes().integer(attribute::gradient) != 0)
    context.output(gradient, shape, context.dtype(logits));
  if (context.has(weights)) context.require_shape(weights, {shape[0]});
  context.output(loss, {Dim(2)}, DType::float64,
                 context.has(weights) ? Role::activation : Role::loss);
}

// The op itself writes the gradient of its logits: forward and backward are one pass over them.
void backward_loss(BackwardContext& context) {
  using enum cross_entropy::Operand;
  if (context.has(gradient)) context.contribute(logits, context.operand(gradient));
}

}  // namespace

const OpKind<logit_stats::Operand>& logit_stats_op() {
  using enum logit_stats::Operand;
  static const OpKind<logit_stats::Operand> def{
      {.name = "logit_stats",
       .operands = operand_table<Reads<logits>, Reads<targets>, Writes<stats>>(),
       .infer = infer_stats}};
  return def;
}

const OpKind<cross_entropy::Operand>& cross_entropy_op() {
  using enum cross_entropy::Operand;
  static const OpKind<cross_entropy::Operand> def{
      {.name = "cross_entropy",
       .operands = operand_table<Reads<logits>, Reads<stats>, Reads<targets>, MayWrite<gradient>,
                                 Writes<loss>, MayRead<weights>>(),
       .infer = infer_loss,
       .backward = backward_loss,
       .in_place = {{gradient, logits}}}};
  return def;
}

}  // namespace megascale::graph
