#ifndef MEGASCALE_PLAN_BUCKET_SCHEDULE_H_
#define MEGASCALE_PLAN_BUCKET_SCHEDULE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "megascale/plan/model_state.h"
#include "megascale/plan/template.h"

// Finds the order in which the buckets of data parallelism are gathered, and the time at which each
// may be reduced. Transfers are launched in the order of their consumers (MegaScale, arXiv
// 2402.15627, section 3.2).
namespace megascale::plan {

// Returns all buckets in the order in which the forward programs of the stage's chunks first read
// them.
[[nodiscard]] std::vector<std::uint32_t> buckets_by_first_use(
    std::span<const graph::Program* const> chunks, const ModelState& state);

// Returns, by bucket, the number of the last segment of the template that writes the bucket's main
// gradients; ~0 for a bucket that no segment writes. After that segment of the last micro-batch the
// gradients are complete.
[[nodiscard]] std::vector<std::uint32_t> last_writers(const PlanTemplate& plan_template,
                                                      const ModelState& state);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_BUCKET_SCHEDULE_H_
