#ifndef MEGASCALE_STUDY_MEASURE_DEVICE_ROOFS_H_
#define MEGASCALE_STUDY_MEASURE_DEVICE_ROOFS_H_

#include "megascale/config/config.h"
#include "megascale/kernels/cuda/roofs.h"
#include "megascale/plan/step_plan.h"

namespace megascale::study {

// The roofs of the calling thread's device, and what is published about the first one.
struct DeviceRoofs {
  kernels::cuda::Roofs measured;
  double published_flops = 0;
};
// For what a step of `config` computes with. Throws Error.
[[nodiscard]] DeviceRoofs measure_device_roofs(const Config& config,
                                               const kernels::cuda::RoofSizes& sizes);

// Bytes that a task cannot do without reading or writing: its operands once each, those that it
// adds to twice. Scratch is not counted, nor tables that are looked up in or added to by token: how
// many of their rows are meant is up to the tokens.
[[nodiscard]] double least_nbytes(const plan::StepPlan& plan, const plan::Task& task);
enum class OpClass { gemm, attention, rest };
[[nodiscard]] OpClass class_of(const graph::OpDef& def);
// FLOP/s. Matrix products and attention run on the matrix units: their roof is the best product, of
// 8-bit operands where the op's are rounded to such.
[[nodiscard]] double best_flops(const plan::PlanOp& op, const kernels::cuda::Roofs& roofs);
// Seconds under which the roofs let no task of the compute lane come: by its FLOPs, unless it is of
// the rest, or by its bytes.
[[nodiscard]] double floor_seconds(const plan::StepPlan& plan, const plan::Task& task,
                                   const kernels::cuda::Roofs& roofs);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_DEVICE_ROOFS_H_
