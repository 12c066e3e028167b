#ifndef MEGASCALE_JOB_PLAN_OPTIONS_H_
#define MEGASCALE_JOB_PLAN_OPTIONS_H_

#include "megascale/config/config.h"
#include "megascale/graph/axis.h"
#include "megascale/plan/build.h"
#include "megascale/plan/passes/fuse_products.h"
#include "megascale/plan/passes/recompute.h"

// The sections of a configuration in the words of plan/. Internal to job/.
namespace megascale::job {

[[nodiscard]] plan::RecomputePolicy recompute_policy(const RecomputeConfig& config);
[[nodiscard]] plan::OptimizerPlan optimizer_plan(const OptimizerConfig& config);
// What a device's matrix products do besides the product (kernels/cuda/gemm.h). None where tensor
// parallelism puts a transfer between a product and its sum.
[[nodiscard]] plan::FuseProducts fused_products(const Config& config);
// Throws Error (bad_usage): a name in recompute.ops that no op has, or that is part of a fused
// product.
void require_op_names(const Config& config);
// Whether the sends and receives of a pair of interleaved chunks go together: without overlap,
// pipeline transfers stop computation.
[[nodiscard]] bool joins_exchanges(const Config& config);
[[nodiscard]] graph::AxisSizes axis_sizes(const Config& config);

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_PLAN_OPTIONS_H_
