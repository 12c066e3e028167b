#ifndef MEGASCALE_RUNTIME_CUDA_DEVICE_PLAN_H_
#define MEGASCALE_RUNTIME_CUDA_DEVICE_PLAN_H_

#include <map>
#include <optional>
#include <vector>

#include "megascale/cuda/graph.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "megascale/runtime/bound_tasks.h"
#include "megascale/runtime/cuda/device_lane_runner.h"

// What a device's lane runner keeps per bound plan, and its streams. Internal to runtime/cuda.
namespace megascale::runtime {

struct DeviceLaneRunner::Lanes {
  Lanes();
  std::vector<cuda::Stream> streams;  // by lane
  cuda::Event begin;                  // of the step
};

struct DeviceLaneRunner::Plan {
  // Tasks that are handed over at once.
  struct Part {
    std::vector<std::uint32_t> tasks;
    std::optional<cuda::Graph> graph;  // absent until it is needed
  };

  Plan(const BoundPlan& bound, bool uses_graphs);
  [[nodiscard]] const plan::StepPlan& step_plan() const noexcept { return tasks.step_plan(); }
  // The part that begins with the task, if it is to be handed over so.
  [[nodiscard]] Part* part_at(std::uint32_t task) noexcept {
    const auto found = is_warm ? parts.find(task) : parts.end();
    return found == parts.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool on_host(std::uint32_t task) const noexcept {
    return op_on_host[plan::index(step_plan().tasks()[task].op)];
  }

  std::vector<cuda::PinnedMemory> staging;
  BoundTasks tasks;
  std::vector<bool> op_on_host;    // by op: all that it touches is staging
  std::vector<cuda::Event> ends;   // by task; of a host task never recorded
  std::vector<std::int64_t> done;  // by task, monotonic_ns(), of the step that was read last
  // By their first tasks; none without graphs.
  std::map<std::uint32_t, Part> parts;
  // A step was handed over. The first one goes task by task all the same: libraries load their code
  // when they are first used, and loading is nothing that a graph can keep.
  bool is_warm = false;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_CUDA_DEVICE_PLAN_H_
