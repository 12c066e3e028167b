// The ops of a step outside its micro-batches: loading the batch, norms, the optimizer. They work
// on flat buffers and are not part of chunk programs. So their shape rules do nothing; the plan
// builder sets every operand.
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {
void infer_nothing(ShapeContext&) {}
}  // namespace

const OpKind<host_copy::Operand>& host_copy_op() {
  using enum host_copy::Operand;
  static const OpKind<host_copy::Operand> def{
      {.name = "host_copy",
       .operands = operand_table<Reads<staging>, Writes<batch>>(),
       .infer = infer_nothing,
       .lane = Lane::host_in}};
  return def;
}

const OpKind<load_batch::Operand>& load_batch_op() {
  using enum load_batch::Operand;
  static const OpKind<load_batch::Operand> def{{.name = "load_batch",
                                                .operands = operand_table<Writes<staging>>(),
                                                .infer = infer_nothing,
                                                .lane = Lane::host_in}};
  return def;
}

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
// their stop_requested is copied to `stop`, which lies just before the sums: one all_reduce adds
// both over the ranks.
const OpKind<parameter_norms::Operand>& parameter_norms_op() {
  using enum parameter_norms::Operand;
  static const OpKind<parameter_norms::Operand> def{
      {.name = "parameter_norms",
       .operands = operand_table<Reads<blocks>, Writes<sums>, MayRead<numbers>, MayWrite<stop>>(),
       .infer = infer_nothing}};
  return def;
}

// sums: squares of the main gradients by parameter, in global order. losses: for every rank with
// tokens of its own, (loss, valid tokens) of each of its `micro_batches`, then the number of its
// stop requests. numbers: StepNumbers. state: UpdateState, with the number of updates (Adam's t)
// and of skipped steps. scalars: UpdateScalars, which the optimizer reads.
const OpKind<gradient_norm::Operand>& gradient_norm_op() {
  using enum gradient_norm::Operand;
  static const OpKind<gradient_norm::Operand> def{
      {.name = "gradient_norm",
       .operands = operand_table<Reads<sums>, Reads<losses>, Reads<numbers>, Accumulates<state>,
                                 Writes<scalars>>(),
       .infer = infer_nothing}};
  return def;
}

const OpKind<add_main_gradient::Operand>& add_main_gradient_op() {
  using enum add_main_gradient::Operand;
  static const OpKind<add_main_gradient::Operand> def{
      {.name = "add_main_gradient",
       .operands = operand_table<Accumulates<sum>, Reads<addend>>(),
       .infer = infer_nothing}};
  return def;
}

// `parameters` are the float32 masters. If kernels compute in another dtype, `model_parameters` are
// rounded from them. The op's segments are those of the whole flat buffer; the attributes
// shard_axes and shards say which part of it the operands are.
const OpKind<adamw::Operand>& adamw_op() {
  using enum adamw::Operand;
  static const OpKind<adamw::Operand> def{
      {.name = "adamw",
       .operands =
           operand_table<Accumulates<parameters>, Reads<gradients>, Accumulates<first_moment>,
                         Accumulates<second_moment>, Reads<scalars>, MayWrite<model_parameters>>(),
       .infer = infer_nothing}};
  return def;
}

const OpKind<lamb_direction::Operand>& lamb_direction_op() {
  using enum lamb_direction::Operand;
  static const OpKind<lamb_direction::Operand> def{
      {.name = "lamb_direction",
       .operands = operand_table<Reads<parameters>, Accumulates<gradients>,
                                 Accumulates<first_moment>, Accumulates<second_moment>,
                                 Reads<scalars>, Writes<weight_blocks>, Writes<direction_blocks>>(),
       .infer = infer_nothing}};
  return def;
}

const OpKind<lamb_apply::Operand>& lamb_apply_op() {
  using enum lamb_apply::Operand;
  static const OpKind<lamb_apply::Operand> def{
      {.name = "lamb_apply",
       .operands =
           operand_table<Accumulates<parameters>, Reads<direction>, Reads<scalars>,
                         Reads<weight_sums>, Reads<direction_sums>, MayWrite<model_parameters>>(),
       .infer = infer_nothing}};
  return def;
}

}  // namespace megascale::graph
