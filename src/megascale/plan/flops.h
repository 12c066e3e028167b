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
// bfloat16  the part of `executed` that reads bfloat16, or 8-bit codes of it; the other part reads
//           float32
struct StepFlops {
  double model = 0, megatron = 0, executed = 0, bfloat16 = 0;
  // Adds `count` ranks with the FLOPs of `of_rank` each.
  void add(const StepFlops& of_rank, double count) noexcept {
    model += count * of_rank.model;
    megatron += count * of_rank.megatron;
    executed += count * of_rank.executed;
    bfloat16 += count * of_rank.bfloat16;
  }
  // Returns the dtype in which most of the executed operations run. A model's parameters may have
  // different dtypes; the peak of a device is that of this one.
  [[nodiscard]] DType dtype() const noexcept {
    return 2 * bfloat16 > executed ? DType::bfloat16 : DType::float32;
  }
};
// Returns the FLOPs of the rank whose plan this is.
[[nodiscard]] StepFlops count_flops(const plan::StepPlan& plan);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_FLOPS_H_
