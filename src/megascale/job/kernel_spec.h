#ifndef MEGASCALE_JOB_KERNEL_SPEC_H_
#define MEGASCALE_JOB_KERNEL_SPEC_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "megascale/job/kernel_choice.h"
#include "megascale/plan/chunk_ops.h"
#include "megascale/plan/step_plan.h"

namespace megascale::job {

// Converts an op of a plan into the description that kernels take (kernels::KernelSpec). No other
// code does this: plan/ and kernels/ do not know each other.
class KernelSpecOf {
 public:
  // `axes` are the sizes of the job's axes, `coordinates` those of the rank. Borrows `op` and
  // `choice`, which must outlive this object. Throws Error (unsupported) if an operand has another
  // run-time dimension than its number of rows.
  KernelSpecOf(const plan::PlanOp& op, const graph::AxisSizes& axes,
               const graph::Coordinates& coordinates, const KernelChoice& choice);
  KernelSpecOf(const KernelSpecOf&) = delete;
  KernelSpecOf& operator=(const KernelSpecOf&) = delete;
  [[nodiscard]] const kernels::KernelSpec& get() const noexcept { return spec_; }

 private:
  std::vector<std::uint64_t> nbytes_;
  std::vector<kernels::RunTimeRows> counted_;
  kernels::KernelSpec spec_;
};

// Returns a tensor of the plan whose dtype the kernels of the device do not compute with; null if
// there is none. The CPU's kernels would read the bytes of such a tensor as float32.
[[nodiscard]] const graph::Tensor* find_unsupported_dtype(const plan::StepPlan& plan,
                                                          kernels::Device device);

// Returns the kinds of a plan's ops that have no kernel on the device, in the order of their names. What
// loads batches is a function of the engine.
[[nodiscard]] std::set<std::string> kinds_without_kernel(const plan::StepPlan& plan,
                                                         const KernelChoice& choice);
// Returns the message of an error that names these kinds.
[[nodiscard]] std::string no_kernels_message(const std::set<std::string>& kinds);

// Returns the scratch memory that the op's kernel needs, in bytes; 0 if the op has no kernel.
[[nodiscard]] std::uint64_t scratch_bytes(const plan::PlanOp& op, const KernelChoice& choice);
// Returns scratch_bytes() as a function for the builders of plan/.
[[nodiscard]] plan::ScratchSizer scratch_sizer(const KernelChoice& choice);

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_KERNEL_SPEC_H_
