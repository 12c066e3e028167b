#ifndef MEGASCALE_ENGINE_IDLE_FUNCTIONS_H_
#define MEGASCALE_ENGINE_IDLE_FUNCTIONS_H_

#include <cstdint>
#include <map>
#include <string>

#include "megascale/base/task_function.h"
#include "megascale/plan/step_plan.h"

namespace megascale::engine {

// Functions of a plan whose transfers are measured alone: kernels return at once, so the results of
// steps mean nothing.
//
// Two kinds of ops must work nevertheless, or counted transfers would carry no rows: `route` gives
// every expert equally many tokens, and ops that write counts (int64 tensors) keep their kernels.
class IdleFunctions {
 public:
  // Adds a function for each idle op of `plan` to `functions`, by the name of its kind, where there
  // is none yet. This object must outlive their use.
  void add(const plan::StepPlan& plan, std::map<std::string, TaskFunction*>& functions);

 private:
  struct Idle final : TaskFunction {
    const Error* run(const TaskArguments&) noexcept override { return nullptr; }
  };
  struct EvenRoutes final : TaskFunction {
    std::size_t slots = 0, experts = 0;  // of a micro-batch: tokens x choices; of a layer
    const Error* run(const TaskArguments& arguments) noexcept override;
  };
  Idle idle_;
  EvenRoutes routes_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_IDLE_FUNCTIONS_H_
