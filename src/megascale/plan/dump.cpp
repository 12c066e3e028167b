// Writes the summary of a plan and the whole plan as JSON. The file appears under its name only
// when it is complete.
#include "megascale/plan/dump.h"

#include <nlohmann/json.hpp>

#include "megascale/base/files.h"
#include "megascale/plan/flops.h"

namespace megascale::plan {
namespace {

using nlohmann::ordered_json;

std::string_view access_name(graph::Access access) {
  switch (access) {
    case graph::Access::read:
      return "read";
    case graph::Access::write:
      return "write";
    case graph::Access::accumulate:
      return "accumulate";
    case graph::Access::first_writes:
      return "first_writes";
  }
  return "?";
}

ordered_json operands_json(const StepPlan& plan, const Task& task) {
  ordered_json list = ordered_json::array();
  const PlanOp& op = plan.op(task);
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const Operand& operand = op.operands[i];
    if (operand.buffer == kNoBuffer) continue;
    const ByteRange range = plan.range(task, operand, {});
    list.push_back(
        {{"name", i < op.def->operands.size() ? std::string(op.def->operands[i].name) : "scratch"},
         {"buffer", plan.buffer(operand.buffer).name},
         {"begin", range.begin},
         {"end", range.end},
         {"access", access_name(StepPlan::access(task, operand))}});
  }
  return list;
}

ordered_json task_json(const StepPlan& plan, std::size_t id) {
  const Task& task = plan.tasks()[id];
  const PlanOp& op = plan.op(task);
  ordered_json waits = ordered_json::array();
  for (const Wait& wait : plan.waits(task))
    waits.push_back({{"lane", to_string(wait.lane)}, {"count", wait.count}});
  ordered_json json{{"name", plan.task_name(id)},
                    {"op", op.def->name},
                    {"lane", to_string(op.lane)},
                    {"micro_batch", task.micro_batch},
                    {"flops", op.cost.flops},
                    {"carried", task.carried},
                    {"operands", operands_json(plan, task)},
                    {"waits", waits}};
  if (op.pair != 0) json["pair"] = op.pair;
  if (op.def->transfer != nullptr) {
    json["communicator"] = index(op.communicator);
    json["takes_from_all"] = takes_from_all(*op.def->transfer);
  }
  return json;
}

// What names the members of each communicator for any rank: see bind.h.
ordered_json communicators_json(const StepPlan& plan) {
  ordered_json list = ordered_json::array();
  for (const Communicator& communicator : plan.communicators()) {
    list.push_back({{"name", communicator.name},
                    {"axes", communicator.axes.bits()},
                    {"factor", static_cast<int>(communicator.factor)},
                    {"edge_offset", communicator.edge_offset}});
  }
  return list;
}

}  // namespace

bool takes_from_all(const TransferRule& rule) noexcept {
  using Source = TransferRule::Source;
  return rule.takes && (rule.source == Source::all || rule.source == Source::partner);
}

std::string summary_json(const BuiltPlan& built) {
  const StepPlan& plan = built.expansion.plan;
  ordered_json memory;
  for (std::size_t c = 0; c < kCategoryCount; ++c) {
    memory[std::string(to_string(static_cast<Category>(c)))] = built.memory.by_category[c];
  }
  const ordered_json summary{{"digest", plan.digest()},
                             {"tasks", plan.tasks().size()},
                             {"waits", plan.tables().waits.size()},
                             {"flops", count_flops(plan).executed},
                             {"memory", {{"total", built.memory.total}, {"by_category", memory}}},
                             {"activation_peak_live_bytes", built.memory.activation_peak_live},
                             {"activation_planned_bytes", built.memory.activations_planned}};
  return summary.dump(2) + "\n";
}

void dump_to(const StepPlan& plan, const std::filesystem::path& path) {
  ordered_json buffers = ordered_json::array();
  for (const Buffer& buffer : plan.buffers()) {
    buffers.push_back({{"name", buffer.name},
                       {"category", to_string(buffer.category)},
                       {"offset", buffer.offset},
                       {"bytes", buffer.nbytes},
                       {"slots", buffer.slot_count}});
  }
  ordered_json tasks = ordered_json::array();
  for (std::size_t id = 0; id < plan.tasks().size(); ++id) tasks.push_back(task_json(plan, id));
  const ordered_json whole{{"digest", plan.digest()},
                           {"arena_bytes", plan.arena_nbytes()},
                           {"axis_sizes", plan.axes().sizes},
                           {"ranks_per_host", plan.axes().ranks_per_host},
                           {"communicators", communicators_json(plan)},
                           {"buffers", buffers},
                           {"tasks", tasks}};
  write_text_atomically(path, whole.dump(1) + "\n");
}

}  // namespace megascale::plan
