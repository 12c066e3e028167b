// Sums the records of the compute lane by op kind.
#include "megascale/observe/time_by_op.h"

#include <algorithm>
#include <map>

namespace megascale::observe {

TimeByOp time_by_op(const plan::StepPlan& plan, std::span<const TaskRecord> records) {
  std::map<std::string, OpTime> by_name;
  TimeByOp result;
  for (std::size_t id = 0; id < records.size(); ++id) {
    const plan::PlanOp& op = plan.op(plan.tasks()[id]);
    if (op.lane != graph::Lane::compute) continue;
    OpTime& time = by_name[std::string(op.def->name)];
    time.op = op.def->name;
    ++time.tasks;
    time.seconds += static_cast<double>(records[id].done_ns - records[id].start_ns) * 1e-9;
    time.flops += op.cost.flops;
    result.idle_seconds += static_cast<double>(records[id].start_ns - records[id].head_ns) * 1e-9;
  }
  for (auto& [name, time] : by_name) result.ops.push_back(std::move(time));
  std::sort(result.ops.begin(), result.ops.end(),
            [](const OpTime& a, const OpTime& b) { return a.seconds > b.seconds; });
  return result;
}

}  // namespace megascale::observe
