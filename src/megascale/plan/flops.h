#ifndef MEGASCALE_PLAN_FLOPS_H_
#define MEGASCALE_PLAN_FLOPS_H_

#include "megascale/plan/step_plan.h"

// Counts the floating-point operations of a step.
namespace megascale::plan {

// FLOPs of one step, summed over the ops of its plan.
// model     credits causal attention with half of the square of queries and keys (or the window),
//           and no recomputation; gives MFU
// megatron  credits attention with the full square, as Megatron-LM's formula does
// executed  all operations that run, recomputation included; gives HFU
struct StepFlops {
  double model = 0, megatron = 0, executed = 0;
  // Adds `count` ranks with the FLOPs of `of_rank` each.
  void add(const StepFlops& of_rank, double count) noexcept {
    model += count * of_rank.model;
    megatron += count * of_rank.megatron;
    executed += count * of_rank.executed;
  }
};
[[nodiscard]] StepFlops count_flops(const plan::StepPlan& plan);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_FLOPS_H_
