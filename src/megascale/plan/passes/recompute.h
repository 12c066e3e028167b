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
  // What was gathered from the tensor ranks is dropped too, unless this is set: the weight gradient
  // gathers it again (2402.15627, section 3.2), under the input gradient before it. So is what the
  // context ranks' attention brought (2505.11432, fig. 9).
  bool keep_gathered_input = false;
  // With `full`: all ops of a scope run again, those that nothing reads of too.
  bool whole_scopes = false;
};

// Rewrites program.backward: every retained tensor that the policy drops is recomputed just before
// its first reader. `selective` drops the attention core; `full` keeps only what enters a scope
// ("layer7"). Same kernels, same operands: the bits do not change. Counted as executed FLOPs, not
// as the model's.
void recompute(graph::Program& program, const RecomputePolicy& policy);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_RECOMPUTE_H_
