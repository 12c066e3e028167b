#include "megascale/graph/ops/ops.h"

// The ops of a step outside its micro-batches. They stand in plans over flat buffers, not in chunk
// programs, so they have no shape rule of their own: the plan builder gives every operand.
namespace megascale::graph {
namespace {
void infer_nothing(ShapeContext&) {}
}  // namespace

const OpDef& host_copy_op() {
  static const OpDef def{.name = "host_copy",
                         .operands = {{"staging"}, {"batch", Access::write}},
                         .infer = infer_nothing,
                         .lane = Lane::host_in};
  return def;
}

const OpDef& load_batch_op() {
  static const OpDef def{.name = "load_batch",
                         .operands = {{"staging", Access::write}},
                         .infer = infer_nothing,
                         .lane = Lane::host_in};
  return def;
}

const OpDef& gradient_blocks_op() {
  static const OpDef def{.name = "gradient_blocks",
                         .operands = {{"gradients"}, {"blocks", Access::write}},
                         .infer = infer_nothing};
  return def;
}

// sums[p] = sum of the blocks of parameter p (by the op's segments), 0 for parameters it has none
// of. A segment that several of the ranks hold whose sums are added counts on the first of them
// only (FlatSegment::replicated_over).
const OpDef& parameter_norms_op() {
  static const OpDef def{.name = "parameter_norms",
                         .operands = {{"blocks"}, {"sums", Access::write}},
                         .infer = infer_nothing};
  return def;
}

// sums: squares of the main gradients by parameter, in global order; numbers: the step's numbers;
// state: Adam's t and the counts of skipped steps; scalars: what the optimizer reads.
const OpDef& gradient_norm_op() {
  static const OpDef def{.name = "gradient_norm",
                         .operands = {{"sums"},
                                      {"losses"},
                                      {"numbers"},
                                      {"state", Access::accumulate},
                                      {"scalars", Access::write}},
                         .infer = infer_nothing};
  return def;
}

const OpDef& add_main_gradient_op() {
  static const OpDef def{.name = "add_main_gradient",
                         .operands = {{"sum", Access::accumulate}, {"addend"}},
                         .infer = infer_nothing};
  return def;
}

// `parameters` are the float32 masters; where kernels compute in another dtype, `model_parameters`
// are rounded from them. Segments are those of the whole flat buffer; attributes shard_axes,
// shards: the ranges are this rank's shard of it.
const OpDef& adamw_op() {
  static const OpDef def{.name = "adamw",
                         .operands = {{"parameters", Access::accumulate},
                                      {"gradients"},
                                      {"first_moment", Access::accumulate},
                                      {"second_moment", Access::accumulate},
                                      {"scalars"},
                                      {"model_parameters", Access::write, true}},
                         .infer = infer_nothing};
  return def;
}

const OpDef& lamb_direction_op() {
  static const OpDef def{.name = "lamb_direction",
                         .operands = {{"parameters"},
                                      {"gradients", Access::accumulate},
                                      {"first_moment", Access::accumulate},
                                      {"second_moment", Access::accumulate},
                                      {"scalars"},
                                      {"weight_blocks", Access::write},
                                      {"direction_blocks", Access::write}},
                         .infer = infer_nothing};
  return def;
}

const OpDef& lamb_apply_op() {
  static const OpDef def{.name = "lamb_apply",
                         .operands = {{"parameters", Access::accumulate},
                                      {"direction"},
                                      {"scalars"},
                                      {"weight_sums"},
                                      {"direction_sums"},
                                      {"model_parameters", Access::write, true}},
                         .infer = infer_nothing};
  return def;
}

}  // namespace megascale::graph
