#ifndef MEGASCALE_ENGINE_PREPARE_H_
#define MEGASCALE_ENGINE_PREPARE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "megascale/base/task_function.h"
#include "megascale/kernels/kernel.h"
#include "megascale/plan/step_plan.h"

namespace megascale::engine {

// Sets the OpenMP team of the calling thread: everything that depends on it (scratch, kernels) is
// decided there.
void set_threads(std::size_t threads) noexcept;
// Cores that this process may run on.
[[nodiscard]] std::size_t available_cores();

// Which kernels a rank runs.
struct KernelChoice {
  kernels::Device device = kernels::Device::cpu;
  kernels::KernelSet set = kernels::KernelSet::fused;
  bool cudnn = true;        // see KernelSpec
  bool matrix_unit = true;  // likewise
  std::string gemm_choices = {};
  bool graphs = false;  // see runtime::RunnerOptions
};

// Scratch of one op, for ScratchSizer.
[[nodiscard]] std::uint64_t scratch_bytes(const plan::PlanOp& op, const KernelChoice& choice);

// The functions of a plan's ops, owned here; ops of the same kind, shapes and attributes share one.
class PreparedKernels {
 public:
  // For the rank at `coordinates`. `own` serves op kinds that the engine itself implements (loading
  // a batch). Throws Error (unsupported) naming every op kind without a kernel.
  PreparedKernels(const plan::StepPlan& plan, const graph::Coordinates& coordinates,
                  const KernelChoice& choice, const std::map<std::string, TaskFunction*>& own);
  [[nodiscard]] const std::vector<TaskFunction*>& functions() const noexcept {
    return functions_;
  }  // by op

 private:
  std::vector<std::unique_ptr<TaskFunction>> owned_;
  std::vector<TaskFunction*> functions_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_PREPARE_H_
