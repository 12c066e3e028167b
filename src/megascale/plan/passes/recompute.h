#ifndef MEGASCALE_PLAN_PASSES_RECOMPUTE_H_
#define MEGASCALE_PLAN_PASSES_RECOMPUTE_H_

#include <functional>
#include <string>
#include <vector>

#include "megascale/graph/program.h"

// Activation recomputation: drops activations after the forward and computes them again in the
// backward.
namespace megascale::plan {

// Selects the activations that are dropped. The same ops compute them again when the backward first
// reads them.
// none       drops nothing
// selective  drops the attention core
// selective_moe
//            keeps of a layer what is expensive to compute again, and drops what memory or links
//            bound (MegaScale-MoE, arXiv 2505.11432, fig. 9). Kept are the input of the layer, what
//            the attention core reads and writes, the sum after attention, and the gate and up
//            products of experts; besides what the router decides, the weight of each row, and the
//            gate and up products of dense and shared MLPs.
// full       keeps only the tensors that enter a scope ("layer7")
// list       drops the outputs of the op kinds in `ops`
struct RecomputePolicy {
  enum class Kind { none, selective, selective_moe, full, list } kind = Kind::none;
  std::vector<std::string> ops;  // for `list`: names of op kinds
  // If false, the input of a product that was gathered from the tensor ranks is dropped too. The
  // weight gradient gathers it again while the input gradient is computed (MegaScale, arXiv
  // 2402.15627, section 3.2). The same holds for tensors that context parallelism received for
  // attention (MegaScale-MoE, arXiv 2505.11432, fig. 9).
  bool keep_gathered_input = false;
  // With `full`: all ops of a scope run again, also those whose results the backward does not read.
  bool whole_scopes = false;
};

// Rewrites program.backward: every retained tensor that the policy drops is recomputed just before
// its first reader. Kernels and operands are the same, so the bits do not change. The operations
// count as executed FLOPs, not as FLOPs of the model.
void recompute(graph::Program& program, const RecomputePolicy& policy);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_RECOMPUTE_H_
