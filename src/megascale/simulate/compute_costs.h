#ifndef MEGASCALE_SIMULATE_COMPUTE_COSTS_H_
#define MEGASCALE_SIMULATE_COMPUTE_COSTS_H_

#include "megascale/plan/step_plan.h"
#include "megascale/simulate/cluster.h"

namespace megascale::simulate {

// Seconds of an op of the compute lane, undisturbed:
//   matrix products: FLOPs at gemm_efficiency of the peak, rounded up to whole tiles and to whole
//   rounds of the multiprocessors over them (multiprocessors that would stay idle in the only round
//   share the inner dimension); or the bytes of their operands, if those take longer;
//   fused attention: FLOPs at its share of the peak, or bytes;
//   everything else: bytes at memory_efficiency;
// each after launch_us.
[[nodiscard]] double compute_seconds(const plan::PlanOp& op, const Cluster::Device& device);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_COMPUTE_COSTS_H_
