#ifndef MEGASCALE_PLAN_FLOPS_H_
#define MEGASCALE_PLAN_FLOPS_H_

#include "megascale/plan/step_plan.h"

namespace megascale::plan {

// FLOPs of one step, counted from the plan's own ops. `model` credits causal attention at half the
// square (or the window) and no recomputation: MFU. `megatron` credits the full square. `executed`
// is what runs: HFU.
struct StepFlops {
  double model = 0, megatron = 0, executed = 0;
  // Those of `count` ranks.
  void add(const StepFlops& of_rank, double count) noexcept {
    model += count * of_rank.model;
    megatron += count * of_rank.megatron;
    executed += count * of_rank.executed;
  }
};
[[nodiscard]] StepFlops count_flops(const plan::StepPlan& plan);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_FLOPS_H_
