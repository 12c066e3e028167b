#ifndef MEGASCALE_SIMULATE_COMPUTE_COSTS_H_
#define MEGASCALE_SIMULATE_COMPUTE_COSTS_H_

#include "megascale/plan/step_plan.h"
#include "megascale/simulate/cluster.h"

// Costs of computation: how long an op of the compute lane takes on a device of a described
// cluster. All functions are pure and may be called from any thread.
namespace megascale::simulate {

// Returns the bytes that an op reads and writes. An operand that is accumulated into counts twice, and
// so does a matrix that is rounded to 8 bits, unless its largest value is given.
[[nodiscard]] double bytes_touched(const plan::PlanOp& op);

// Returns the work by which rates of measured op kinds with FLOPs are looked up: the FLOPs, plus
// flops_per_byte (Cluster::Kernels) for each byte of the operands. Returns 0 for an op without
// FLOPs.
[[nodiscard]] double measured_work(const plan::PlanOp& op, const Cluster::Kernels& kernels);

// Returns the seconds of an op of the compute lane while nothing else uses the processor. If the
// kind was measured (Cluster::Kernels), these are its work over its rate. Otherwise:
//   matrix products    FLOPs at gemm_efficiency of the peak, times tile_factor() (product_tiles.h);
//                      of 8-bit operands at float8_gemm_efficiency of float8_tflops
//   fused attention    FLOPs at attention_efficiency of the peak
//   everything else    bytes at elementwise_efficiency of the memory's rate, or memory_efficiency;
//                      what rounds to 8 bits always at memory_efficiency
// Products and attention take the time of their bytes if that is longer. launch_us is added to each
// op. Throws Error (unsupported) for products of 8-bit operands if the cluster has no float8_tflops.
[[nodiscard]] double compute_seconds(const plan::PlanOp& op, const Cluster& cluster);

// Returns the number of rounds of tiles of a matrix product (tile_rounds()); 1 for other ops.
[[nodiscard]] double product_rounds(const plan::PlanOp& op, const Cluster& cluster);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_COMPUTE_COSTS_H_
