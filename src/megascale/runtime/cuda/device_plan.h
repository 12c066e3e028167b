#ifndef MEGASCALE_RUNTIME_CUDA_DEVICE_PLAN_H_
#define MEGASCALE_RUNTIME_CUDA_DEVICE_PLAN_H_

#include <vector>

#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "megascale/runtime/bound_tasks.h"
#include "megascale/runtime/cuda/device_executor.h"

// What a device executor keeps per bound plan, and its streams. Internal to runtime/cuda.
namespace megascale::runtime {

struct DeviceExecutor::Lanes {
  Lanes();
  std::vector<cuda::Stream> streams;  // by lane
  cuda::Event begin;                  // of the step
};

struct DeviceExecutor::Plan {
  explicit Plan(const BoundPlan& bound);
  [[nodiscard]] const plan::StepPlan& step_plan() const noexcept { return tasks.step_plan(); }
  [[nodiscard]] bool on_host(std::uint32_t task) const noexcept {
    return op_on_host[plan::index(step_plan().tasks()[task].op)];
  }

  std::vector<cuda::PinnedMemory> staging;
  BoundTasks tasks;
  std::vector<bool> op_on_host;    // by op: all that it touches is staging
  std::vector<cuda::Event> ends;   // by task; of a host task never recorded
  std::vector<std::int64_t> done;  // by task, monotonic_ns(), of the step that was read last
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_CUDA_DEVICE_PLAN_H_
