#ifndef MEGASCALE_STUDY_MEASURE_DEVICE_ROOFS_H_
#define MEGASCALE_STUDY_MEASURE_DEVICE_ROOFS_H_

#include "megascale/base/dtype.h"
#include "megascale/config/config.h"
#include "megascale/kernels/cuda/roofs.h"
#include "megascale/plan/step_plan.h"

namespace megascale::study {

// The roofs of a CUDA device: the highest rates that its memory and its matrix products reach. They
// are measured on the calling thread's device. published_flops is the vendor's figure for device 0.
struct DeviceRoofs {
  kernels::cuda::Roofs measured;
  double published_flops = 0;
};
// Measures the roofs of products in `dtype`, the one in which most FLOPs of the step run
// (plan::StepFlops::dtype), with the 8-bit products and the product choices of `config`. Throws
// Error.
[[nodiscard]] DeviceRoofs measure_device_roofs(const Config& config, DType dtype,
                                               const kernels::cuda::RoofSizes& sizes);

// Returns the choices of algorithms that the products of `config` use, or null. Throws Error.
[[nodiscard]] kernels::cuda::GemmChoices* gemm_choices(const Config& config);

// Returns the bytes that a task must at least read and write: each operand once, accumulated
// operands twice. Of rows that are counted during the step, the expected number counts. Scratch is not
// counted. Embedding tables and their gradients are not counted either, since the tokens decide which
// rows are touched.
[[nodiscard]] double least_nbytes(const plan::StepPlan& plan, const plan::Task& task);
// Matrix products; those with one weight per expert; attention, forward and backward; all other ops.
enum class OpClass { gemm, grouped_gemm, attention, rest };
[[nodiscard]] OpClass class_of(const graph::OpDef& def);
// Returns the roof of an op's FLOPs, in FLOP/s. Matrix products and attention run on the matrix
// units, so the roof is the fastest matrix product. For ops with FP8 operands it is the fastest FP8
// product.
[[nodiscard]] double best_flops(const plan::PlanOp& op, const kernels::cuda::Roofs& roofs);
// Returns the least seconds that the roofs allow for a task of the compute lane: the larger of its
// FLOPs and its bytes over their roofs. For OpClass::rest only bytes count.
[[nodiscard]] double floor_seconds(const plan::StepPlan& plan, const plan::Task& task,
                                   const kernels::cuda::Roofs& roofs);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_DEVICE_ROOFS_H_
