#ifndef MEGASCALE_SIMULATE_COMPUTE_COSTS_H_
#define MEGASCALE_SIMULATE_COMPUTE_COSTS_H_

#include "megascale/plan/step_plan.h"
#include "megascale/simulate/cluster.h"

namespace megascale::simulate {

// Bytes that an op reads and writes: what it accumulates into counts both ways.
[[nodiscard]] double bytes_touched(const plan::PlanOp& op);

// What rates of measured kinds with FLOPs are by: those, and what the operands' bytes count as; 0
// for an op without.
[[nodiscard]] double measured_work(const plan::PlanOp& op, const Cluster::Kernels& kernels);

// Seconds of an op of the compute lane, undisturbed. Of a measured kind (Cluster::Kernels) its work
// over its rate; of others:
//   matrix products: FLOPs at gemm_efficiency of the peak, rounded up to whole tiles and to whole
//   rounds of the multiprocessors over them (multiprocessors that would stay idle in the only round
//   share the inner dimension); or the bytes of their operands, if those take longer;
//   fused attention: FLOPs at its share of the peak, or bytes;
//   everything else: bytes at memory_efficiency;
// each after launch_us.
[[nodiscard]] double compute_seconds(const plan::PlanOp& op, const Cluster& cluster);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_COMPUTE_COSTS_H_
