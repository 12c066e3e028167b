// The op of AdamW. It works on flat buffers (step.cpp). optimizer/adamw says which buffers it gets.
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {
void infer_nothing(ShapeContext&) {}
}  // namespace

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

}  // namespace megascale::graph
