// The two ops of LAMB, before and after the norms of weights and directions are added over the ranks.
// They work on flat buffers (step.cpp). optimizer/lamb says which buffers they get.
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {
void infer_nothing(ShapeContext&) {}
}  // namespace

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
