// Prepares a plan for the device: pinned memory for staging buffers, an event for each task, and
// the parts that can be CUDA graphs.
#include "megascale/runtime/cuda/device_plan.h"

#include "megascale/runtime/cuda/graph_parts.h"

namespace megascale::runtime {
namespace {

// Allocates pinned memory for every staging buffer of a plan. Plans do not share this memory, even
// for equal buffers: a carried task of one plan may run during a step of another.
std::map<plan::BufferId, std::byte*> place_staging(const plan::StepPlan& plan,
                                                   std::vector<cuda::PinnedMemory>& memory) {
  std::map<plan::BufferId, std::byte*> places;
  for (const plan::PlanOp& op : plan.ops()) {
    for (const plan::Operand& operand : op.operands) {
      if (operand.buffer == plan::kNoBuffer || places.contains(operand.buffer)) continue;
      const plan::Buffer& buffer = plan.buffer(operand.buffer);
      if (buffer.category != plan::Category::staging) continue;
      places[operand.buffer] = memory.emplace_back(buffer.nbytes).bytes().data();
    }
  }
  return places;
}

bool touches_staging_only(const plan::StepPlan& plan, const plan::PlanOp& op) {
  for (const plan::Operand& operand : op.operands) {
    if (operand.buffer != plan::kNoBuffer &&
        plan.buffer(operand.buffer).category != plan::Category::staging)
      return false;
  }
  return true;
}

}  // namespace

DeviceLaneRunner::Lanes::Lanes() {
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    // Transfers need the multiprocessors only for a short time, so they go before compute kernels
    // when both can run.
    streams.emplace_back(lane == static_cast<std::size_t>(graph::Lane::compute)
                             ? cuda::Stream::Priority::normal
                             : cuda::Stream::Priority::high);
  }
}

DeviceLaneRunner::Plan::Plan(const BoundPlan& bound, bool uses_graphs)
    : tasks(bound, place_staging(bound.plan->plan(), staging)),
      complaints(sizeof(std::int64_t) * bound.plan->plan().tasks().size()),
      done(step_plan().tasks().size()),
      handed_ns(done.size()) {
  for (const plan::PlanOp& op : step_plan().ops())
    op_on_host.push_back(!op.def->transfer && touches_staging_only(step_plan(), op));
  for (std::uint32_t id = 0; id < step_plan().tasks().size(); ++id) {
    ends.emplace_back(/*keeps_time=*/true);
    MEGASCALE_CHECK(!step_plan().tasks()[id].carried || on_host(id),
                    "a carried task that touches the arena");
    const plan::PlanOp& op = step_plan().op(step_plan().tasks()[id]);
    if (op.def->transfer && tasks.communicator(op).marks_match())
      matches.emplace(id, cuda::Event(/*keeps_time=*/true));
  }
  if (!uses_graphs) return;
  for (auto& part : graph_parts(tasks, op_on_host)) {
    const std::uint32_t first = part.front();
    parts.emplace(first, Part{.tasks = std::move(part), .graph = std::nullopt});
  }
}

}  // namespace megascale::runtime
