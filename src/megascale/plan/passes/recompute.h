#ifndef MEGASCALE_PLAN_PASSES_RECOMPUTE_H_
#define MEGASCALE_PLAN_PASSES_RECOMPUTE_H_

#include <functional>
#include <string>
#include <vector>

#include "megascale/graph/program.h"

namespace megascale::plan {

// Which activations are dropped after the forward and produced again, by the same ops, when the
// backward first reads them.
struct RecomputePolicy {
  enum class Kind { none, selective, full, list } kind = Kind::none;
  std::vector<std::string> ops;  // of `list`: op kinds whose outputs are dropped
};

// Rewrites program.backward: every retained tensor that the policy drops is recomputed just before
// its first reader. `selective` drops the attention core; `full` keeps only what enters a scope
// ("layer7"). Same kernels, same operands: the bits do not change. Counted as executed FLOPs, not
// as the model's.
void recompute(graph::Program& program, const RecomputePolicy& policy);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_RECOMPUTE_H_
