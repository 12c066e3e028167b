// The ops of gradient clipping: norms of the main gradients, and the decision whether and how
// strongly the step changes the parameters. They work on flat buffers (step.cpp). optimizer/clipping
// says in which order they run.
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {
void infer_nothing(ShapeContext&) {}
}  // namespace

const OpKind<gradient_blocks::Operand>& gradient_blocks_op() {
  using enum gradient_blocks::Operand;
  static const OpKind<gradient_blocks::Operand> def{
      {.name = "gradient_blocks",
       .operands = operand_table<Reads<gradients>, Writes<blocks>>(),
       .infer = infer_nothing}};
  return def;
}

// sums[p] is the sum of the blocks of parameter p, as listed in the op's segments, and 0 for
// parameters without a segment. If several ranks whose sums are added hold the same segment, only
// the first of them counts it (FlatSegment::replicated_over). If the step's numbers are given,
// their votes are copied to `stop`, which lies just before the sums: one all_reduce adds both over
// the ranks.
const OpKind<parameter_norms::Operand>& parameter_norms_op() {
  using enum parameter_norms::Operand;
  static const OpKind<parameter_norms::Operand> def{
      {.name = "parameter_norms",
       .operands = operand_table<Reads<blocks>, Writes<sums>, MayRead<numbers>, MayWrite<stop>>(),
       .infer = infer_nothing}};
  return def;
}

// sums: squares of the main gradients by parameter, in global order. losses: for every rank with
// tokens of its own, (loss, valid tokens) of each of its `micro_batches`, then its votes.
// numbers: StepNumbers. state: UpdateState, with the number of updates (Adam's t) and of skipped
// steps. scalars: UpdateScalars, which the optimizer reads.
const OpKind<gradient_norm::Operand>& gradient_norm_op() {
  using enum gradient_norm::Operand;
  static const OpKind<gradient_norm::Operand> def{
      {.name = "gradient_norm",
       .operands = operand_table<Reads<sums>, Reads<losses>, Reads<numbers>, Accumulates<state>,
                                 Writes<scalars>>(),
       .infer = infer_nothing}};
  return def;
}

}  // namespace megascale::graph
