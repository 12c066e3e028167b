// Expands a template: each instance becomes one task per op of its segment, each step task becomes
// one task. Waits are then derived from the bytes that the tasks touch.
#include "megascale/plan/template.h"

#include <fmt/format.h>

namespace megascale::plan {

BufferId PlanTemplate::add(Buffer buffer) {
  buffers.push_back(std::move(buffer));
  return BufferId{static_cast<std::uint32_t>(buffers.size() - 1)};
}

OpIndex PlanTemplate::add(PlanOp op) {
  ops.push_back(std::move(op));
  return OpIndex{static_cast<std::uint32_t>(ops.size() - 1)};
}

CommunicatorId PlanTemplate::group(graph::AxisSet axes, graph::Lane lane,
                                   graph::HostFactor factor) {
  std::string members = graph::to_string(axes);
  if (factor != graph::HostFactor::none) members += fmt::format(" {}", graph::to_string(factor));
  return find_or_add({.name = fmt::format("{} on {}", members, graph::to_string(lane)),
                      .axes = axes,
                      .factor = factor,
                      .lane = lane});
}

CommunicatorId PlanTemplate::edge(std::string_view name, std::int32_t offset, graph::Lane lane) {
  return find_or_add({.name = std::string(name),
                      .axes = {graph::Axis::pipeline},
                      .edge_offset = offset,
                      .lane = lane});
}

CommunicatorId PlanTemplate::find_or_add(Communicator wanted) {
  for (std::uint32_t i = 0; i < communicators.size(); ++i) {
    const Communicator& c = communicators[i];
    if (c.name == wanted.name && c.edge_offset == wanted.edge_offset) return CommunicatorId{i};
  }
  communicators.push_back(std::move(wanted));
  return CommunicatorId{static_cast<std::uint32_t>(communicators.size() - 1)};
}

Expansion expand(const PlanTemplate& plan_template, const graph::AxisSizes& axes) {
  StepPlan::Tables tables{.buffers = plan_template.buffers,
                          .ops = plan_template.ops,
                          .communicators = plan_template.communicators,
                          .tasks = {},
                          .waits = {},
                          .axes = axes,
                          .arena_nbytes = plan_template.arena_nbytes};
  for (const auto& item : plan_template.items) {
    if (const auto* step = std::get_if<StepTask>(&item)) {
      tables.tasks.push_back(
          Task{.op = step->op, .micro_batch = step->micro_batch, .carried = step->carried});
      continue;
    }
    const auto& instance = std::get<Instance>(item);
    const Segment& segment = plan_template.segments[instance.segment];
    for (std::uint32_t op = segment.first_op; op < segment.first_op + segment.op_count; ++op) {
      if (plan_template.ops[op].def->once_per_step && !instance.first) continue;
      tables.tasks.push_back(Task{.op = OpIndex{op},
                                  .micro_batch = instance.micro_batch,
                                  .slots = instance.slots,
                                  .first = instance.first || plan_template.ops[op].writes_anew});
    }
  }
  std::vector<ReuseWait> reuse_waits = derive_waits(tables);
  return {StepPlan(std::move(tables)), std::move(reuse_waits)};
}

}  // namespace megascale::plan
