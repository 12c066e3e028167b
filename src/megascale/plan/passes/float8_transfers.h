#ifndef MEGASCALE_PLAN_PASSES_FLOAT8_TRANSFERS_H_
#define MEGASCALE_PLAN_PASSES_FLOAT8_TRANSFERS_H_

#include "megascale/graph/program.h"

// The pass that lets transfers carry 8-bit values (MegaScale-MoE, arXiv 2505.11432, section 7.2).
namespace megascale::plan {

struct Float8TransferOptions {
  // True: all values that a rank sends in one transfer have the same scale, for studies of what
  // finer scales are worth. Packed rows keep their form, so as many bytes travel.
  bool one_scale = false;
};

// Replaces every all_gather, shift, reduce_scatter and all_to_all_v that the model has marked by
// the attribute fp8 (moe.fp8_communication, parallel.fp8_reduce_scatter):
//   all_gather       pack, all_gather of bytes, unpack
//   shift            the same; shifts of one tensor to several ranks pack it once
//   all_to_all_v     pack, all_to_all_v of bytes, unpack
//   reduce_scatter   pack, all_to_all of bytes, sum in float32 in the order of the ranks
// Activations have a scale per row. Gradients have one per channel and group of rows, since gradients
// of different channels differ more than those of different tokens.
//
// Must run behind recompute() and hoist_transfers(): a transfer is packed where it stands, and
// unpacked before the first op that reads its result. A repeated transfer carries the same bits as
// the first one. Must run before order_layers().
void float8_transfers(graph::Program& program, const Float8TransferOptions& options = {});

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_FLOAT8_TRANSFERS_H_
