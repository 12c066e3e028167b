#ifndef MEGASCALE_PLAN_FUSED_PAIRS_H_
#define MEGASCALE_PLAN_FUSED_PAIRS_H_

#include <cstdint>
#include <vector>

#include "megascale/plan/step_plan.h"

// Fused pairs: a transfer and a matrix product of which one reads what the other writes, for one
// micro-batch. A plan that names a pair (PlanOp::pair) says that one kernel may compute it tile by tile:
// the second part may start on the tiles that the first has finished (MegaScale-MoE, arXiv 2505.11432,
// sections 6.2 and 6.3). Ops between the two that move rows belong to the pair.
//
// It is a permission, not an order. The tasks of a pair have the same waits as without it, so an
// executor without such kernels runs them one after the other, with the same bits. The simulator
// computes the time of the fused kernel (simulate/).
namespace megascale::plan {

// The tasks of a pair, in issue order. In a verified plan (check_fused_pairs()):
// - one is a transfer: the first or the last of them;
// - the others run on the compute lane, one directly after the other;
// - the one furthest from the transfer is a matrix product, and no other is;
// - each writes bytes that the next one reads. They share no other bytes of which one writes, except
//   that a task may write its result over the bytes that it reads from the one before.
struct FusedPair {
  std::vector<std::uint32_t> tasks;
};

// Returns the pairs of a plan in the order of their first tasks. The plan need not be verified.
[[nodiscard]] std::vector<FusedPair> fused_pairs(const StepPlan& plan);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_FUSED_PAIRS_H_
