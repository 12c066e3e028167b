#ifndef MEGASCALE_JOB_PLAN_OPTIONS_H_
#define MEGASCALE_JOB_PLAN_OPTIONS_H_

#include "megascale/config/config.h"
#include "megascale/graph/axis.h"
#include "megascale/parallel/stage_events.h"
#include "megascale/plan/build.h"
#include "megascale/plan/passes/fuse_products.h"
#include "megascale/plan/passes/recompute.h"

// Translates sections of a configuration into the option types of plan/. Internal to job/.
namespace megascale::job {

[[nodiscard]] plan::RecomputePolicy recompute_policy(const RecomputeConfig& config);
// Returns whether tensor parallelism cuts products into pieces.
[[nodiscard]] bool cuts_products(const Config& config);
// Returns which ops are fused into the matrix products of a device (kernels/cuda/gemm.h). None if
// tensor parallelism in pieces puts a transfer between a product and the sum after it.
[[nodiscard]] plan::FuseProducts fused_products(const Config& config);
// Throws Error (bad_usage) if recompute.ops contains a name that no op has, or the name of an op
// that is part of a fused product.
void require_op_names(const Config& config);
// Returns how the transfers between stages stand among the work of the schedule: apart, or, without
// overlap.pipeline, where transfers stop computation, joined for interleaved schedules and prompt for
// those that split off weight gradients.
[[nodiscard]] parallel::Exchanges exchanges_of(const Config& config,
                                               const parallel::Schedule& schedule);
// Returns the sizes of all axes; expert_data follows from the others.
[[nodiscard]] graph::AxisSizes axis_sizes(const Config& config);

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_PLAN_OPTIONS_H_
