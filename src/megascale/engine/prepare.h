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
// The functions of a plan's ops, owned here; ops of the same kind, shapes and attributes share one.
class PreparedKernels {
 public:
  // For the rank at `coordinates`. `own` serves op kinds that the engine itself implements (loading
  // a batch). Throws Error (unsupported) naming every op kind without a kernel.
  PreparedKernels(const plan::StepPlan& plan, const graph::Coordinates& coordinates,
                  const job::KernelChoice& choice, const std::map<std::string, TaskFunction*>& own);
  [[nodiscard]] const std::vector<TaskFunction*>& functions() const noexcept {
    return functions_;
  }  // by op

 private:
  std::vector<std::unique_ptr<TaskFunction>> owned_;
  std::vector<TaskFunction*> functions_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_PREPARE_H_
