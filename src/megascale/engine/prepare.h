#ifndef MEGASCALE_ENGINE_PREPARE_H_
#define MEGASCALE_ENGINE_PREPARE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "megascale/base/task_function.h"
#include "megascale/job/kernel_choice.h"
#include "megascale/plan/step_plan.h"

namespace megascale::engine {

// Sets the size of the calling thread's OpenMP team. A rank's own thread calls it before it
// prepares kernels, with the number of threads that the plan was made for
// (job::KernelChoice::threads).
void set_threads(std::size_t threads) noexcept;

// The task functions of all ops of a plan. Ops with the same kind, shapes and attributes share one.
// Threads: immutable after construction, but a TaskFunction may be run by one thread at a time.
class PreparedKernels {
 public:
  // Prepares the kernels for the rank at `coordinates`. `own` has, by name of the op kind, the
  // functions that the caller provides instead of a kernel (such as load_batch); they must outlive
  // this object. Throws Error (unsupported): on the CPU for a tensor in bfloat16 or float8, or
  // naming every op kind without a kernel.
  PreparedKernels(const plan::StepPlan& plan, const graph::Coordinates& coordinates,
                  const job::KernelChoice& choice, const std::map<std::string, TaskFunction*>& own);
  // Returns the functions by op; null for transfers. They belong to this object or to the caller.
  [[nodiscard]] const std::vector<TaskFunction*>& functions() const noexcept { return functions_; }

 private:
  std::vector<std::unique_ptr<TaskFunction>> owned_;
  std::vector<TaskFunction*> functions_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_PREPARE_H_
