#ifndef MEGASCALE_JOB_KERNEL_SPEC_H_
#define MEGASCALE_JOB_KERNEL_SPEC_H_

#include <cstdint>
#include <vector>

#include "megascale/job/kernel_choice.h"
#include "megascale/plan/chunk_ops.h"
#include "megascale/plan/step_plan.h"

namespace megascale::job {

// An op of a plan in the form that kernels take: the one place where the two meet.
class KernelSpecOf {
 public:
  // For a rank at `coordinates` of a job with axes of these sizes. Borrows `op` and `choice`, which
  // must outlive this object. Throws Error (unsupported) where an operand's number of
  // columns is read at run time.
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

// Bytes of scratch of one op; 0 where the op has no kernel.
[[nodiscard]] std::uint64_t scratch_bytes(const plan::PlanOp& op, const KernelChoice& choice);
[[nodiscard]] plan::ScratchSizer scratch_sizer(const KernelChoice& choice);

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_KERNEL_SPEC_H_
