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

// The data that the device's lane runner keeps for each bound plan, and its streams. Internal to
// runtime/cuda.
namespace megascale::runtime {

struct DeviceLaneRunner::Lanes {
  Lanes();
  std::vector<cuda::Stream> streams;  // by lane
  cuda::Event begin;                  // recorded when a step begins
};

struct DeviceLaneRunner::Plan {
  // Consecutive tasks of a lane that are handed over as one CUDA graph.
  struct Part {
    std::vector<std::uint32_t> tasks;
    std::optional<cuda::Graph> graph;  // captured when it is first handed over
  };

  Plan(const BoundPlan& bound, bool uses_graphs);
  [[nodiscard]] const plan::StepPlan& step_plan() const noexcept { return tasks.step_plan(); }
  // Returns the part that begins with the task and is to be handed over as a graph, or null.
  [[nodiscard]] Part* part_at(std::uint32_t task) noexcept {
    const auto found = is_warm ? parts.find(task) : parts.end();
    return found == parts.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool on_host(std::uint32_t task) const noexcept {
    return op_on_host[plan::index(step_plan().tasks()[task].op)];
  }

  // Returns the number that the task has written to TaskArguments::complaint.
  [[nodiscard]] std::int64_t& complaint(std::uint32_t task) const noexcept {
    return reinterpret_cast<std::int64_t*>(complaints.bytes().data())[task];
  }

  std::vector<cuda::PinnedMemory> staging;
  BoundTasks tasks;
  cuda::PinnedMemory
      complaints;  // by task: a number; never set back, since a complaint ends the run
  std::vector<bool> op_on_host;    // by op: it touches staging buffers only
  std::vector<cuda::Event> ends;   // by task: recorded at its end; never for host tasks
  std::vector<std::int64_t> done;  // by task: its end in the last step, monotonic_ns()
  // Of transfers, by task: reached when the streams of all members have reached the transfer. Only
  // where the communicator records it (Communicator::marks_match).
  std::map<std::uint32_t, cuda::Event> matches;
  // Of transfers, by task: when this rank began to hand it over, monotonic_ns().
  std::vector<std::int64_t> handed_ns;
  // By the first task of each part. Empty without RunnerOptions::graphs.
  std::map<std::uint32_t, Part> parts;
  // true after the first step. The first step is handed over task by task even with graphs:
  // libraries load their code when they are first used, and a graph cannot capture that.
  bool is_warm = false;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_CUDA_DEVICE_PLAN_H_
