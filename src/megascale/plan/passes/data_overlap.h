#ifndef MEGASCALE_PLAN_PASSES_DATA_OVERLAP_H_
#define MEGASCALE_PLAN_PASSES_DATA_OVERLAP_H_

#include <cstdint>
#include <vector>

#include "megascale/plan/template.h"

// The pass behind the switch `overlap.data`.
namespace megascale::plan {

// The tasks that reduce the gradients of one bucket. The gradients are complete after `segment`.
struct BucketReduction {
  std::uint32_t segment = 0;
  std::vector<OpIndex> tasks;  // step tasks of the template, in order
};

// Lets the transfers of data parallelism run beside computation (MegaScale, arXiv 2402.15627,
// section 3.2). In the last micro-batch (`last_micro_batch`), moves the reductions of each bucket
// from the end of the schedule directly behind the last segment that writes its gradients. They
// then run during the rest of the backward. Gathers already stand before the first forward that
// reads them, and the transfers of divided buckets (divided_parameters.cpp) where they belong. `reductions`: in the order in which they stand in the template, without gaps.
// `in_pipeline`: there are other stages. They wait for this backward one after the other, so a task
// of a reduction that computes stays at the end, with those behind it. Bits do not change.
void overlap_data(PlanTemplate& plan_template, const std::vector<BucketReduction>& reductions,
                  std::uint16_t last_micro_batch, bool in_pipeline);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_DATA_OVERLAP_H_
