#include "megascale/plan/template.h"

namespace megascale::plan {

BufferId PlanTemplate::add(Buffer buffer) {
  buffers.push_back(std::move(buffer));
  return BufferId{static_cast<std::uint32_t>(buffers.size() - 1)};
}

OpIndex PlanTemplate::add(PlanOp op) {
  ops.push_back(std::move(op));
  return OpIndex{static_cast<std::uint32_t>(ops.size() - 1)};
}

Expansion expand(const PlanTemplate& plan_template, const graph::AxisSizes& axes) {
  StepPlan::Tables tables{.buffers = plan_template.buffers,
                          .ops = plan_template.ops,
                          .communicators = plan_template.communicators,
                          .tasks = {},
                          .waits = {},
                          .arena_nbytes = plan_template.arena_nbytes};
  for (const auto& item : plan_template.items) {
    if (const auto* step = std::get_if<StepTask>(&item)) {
      tables.tasks.push_back(Task{.op = step->op, .carried = step->carried});
      continue;
    }
    const auto& instance = std::get<Instance>(item);
    const Segment& segment = plan_template.segments[instance.segment];
    for (std::uint32_t op = segment.first_op; op < segment.first_op + segment.op_count; ++op) {
      tables.tasks.push_back(Task{.op = OpIndex{op},
                                  .micro_batch = instance.micro_batch,
                                  .slots = instance.slots,
                                  .first = instance.first});
    }
  }
  std::vector<ReuseWait> reuse_waits = derive_waits(tables, axes);
  return {StepPlan(std::move(tables)), std::move(reuse_waits)};
}

}  // namespace megascale::plan
