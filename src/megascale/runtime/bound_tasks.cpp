// Computes once, when a plan is bound, what a step would otherwise compute for every task: operand
// addresses from the plan's byte ranges, and the buffers of transfers.
#include "megascale/runtime/bound_tasks.h"

#include <fmt/format.h>

#include <algorithm>

namespace megascale::runtime {

BoundTasks::BoundTasks(BoundPlan bound_plan, std::map<plan::BufferId, std::byte*> not_in_arena)
    : plan(std::move(bound_plan)), elsewhere(std::move(not_in_arena)) {
  const plan::StepPlan& steps = step_plan();
  MEGASCALE_CHECK(plan.arena.size() >= steps.arena_nbytes(), "the arena is smaller than the plan");
  for (std::uint32_t id = 0; id < steps.tasks().size(); ++id) {
    const plan::Task& task = steps.tasks()[id];
    const plan::PlanOp& op = steps.op(task);
    MEGASCALE_CHECK(op.def->transfer || plan.functions[plan::index(task.op)] != nullptr,
                    op.def->name);
    auto& lane = lanes[lane_number(op.lane)];
    lane.push_back(id);
    if (!task.carried) step_end[lane_number(op.lane)] = static_cast<std::uint32_t>(lane.size());
    first_address.push_back(static_cast<std::uint32_t>(addresses.size()));
    for (const plan::Operand& operand : op.operands) {
      if (operand.buffer == plan::kNoBuffer) {
        addresses.push_back(nullptr);
        continue;
      }
      const std::uint64_t begin =
          steps.range(task, operand, plan.plan->binding().coordinates).begin;
      addresses.push_back(begin_of(operand.buffer) + (begin - steps.buffer(operand.buffer).offset));
    }
  }
}

std::byte* BoundTasks::begin_of(plan::BufferId buffer) const noexcept {
  const auto other = elsewhere.find(buffer);
  return other == elsewhere.end() ? plan.arena.data() + step_plan().buffer(buffer).offset
                                  : other->second;
}

TaskArguments BoundTasks::arguments(std::uint32_t id) const noexcept {
  const plan::Task& task = step_plan().tasks()[id];
  return {.operands =
              std::span(addresses).subspan(first_address[id], step_plan().op(task).operands.size()),
          .micro_batch = task.micro_batch,
          .first = task.first};
}

comm::Transfer BoundTasks::transfer(std::uint32_t id) const noexcept {
  const plan::PlanOp& op = step_plan().op(step_plan().tasks()[id]);
  comm::Transfer transfer{
      .rule = op.def->transfer,
      .dtype = static_cast<DType>(op.attributes.integer(graph::attribute::dtype, 0)),
      .root = static_cast<std::uint32_t>(op.attributes.integer(graph::attribute::root, 0)),
      .offset = static_cast<std::uint32_t>(op.attributes.integer(graph::attribute::offset, 0))};
  const auto bytes = [&](std::size_t operand) {
    return std::span(addresses[first_address[id] + operand], op.operands[operand].nbytes);
  };
  const graph::TransferOperands& named = op.def->transfer_operands;
  if (named.taken) transfer.receive = bytes(*named.taken);
  if (named.given && named.given != named.taken) transfer.send = bytes(*named.given);
  if (op.def->transfer->counted) {
    const auto row =
        static_cast<std::uint64_t>(op.attributes.integer(graph::attribute::row_nbytes));
    transfer.counts = {.send = bytes(*named.given_counts),
                       .receive = bytes(*named.taken_counts),
                       .row_nbytes = row,
                       .bound = std::max(transfer.send.size(), transfer.receive.size()) / row};
  }
  return transfer;
}

std::string BoundTasks::name_of(std::uint32_t task) const {
  return fmt::format("task {} ({}) on rank {}", task, step_plan().task_name(task),
                     plan.plan->binding().rank);
}

void BoundTasks::run_carried() const {
  for (std::uint32_t id = 0; id < step_plan().tasks().size(); ++id) {
    const plan::Task& task = step_plan().tasks()[id];
    if (!task.carried) continue;
    const Error* error = plan.functions[plan::index(task.op)]->run(arguments(id));
    if (error == nullptr) continue;
    Error with_context = *error;
    with_context.add_context("running " + step_plan().task_name(id) + " before the first step");
    throw with_context;
  }
}

Error BoundTasks::failure_of(std::uint32_t task, Error error) const {
  error.add_context("running " + name_of(task));
  return error;
}

ReportedTask BoundTasks::reported(std::uint32_t id) const {
  const plan::StepPlan& steps = step_plan();
  return {.lane = steps.op(steps.tasks()[id]).lane, .id = id, .name = steps.task_name(id)};
}

StalledLane BoundTasks::stalled_lane(std::uint32_t id,
                                     std::optional<std::uint32_t> unsatisfied) const {
  using Why = StalledLane::Why;
  const plan::Task& task = step_plan().tasks()[id];
  const plan::PlanOp& op = step_plan().op(task);
  StalledLane lane{.task = reported(id)};
  if (unsatisfied) {
    const plan::Wait& wait = step_plan().waits(task)[*unsatisfied];
    lane.why = Why::waits_for_task;
    lane.awaited_task = reported(lanes[lane_number(wait.lane)][wait.count - 1]);
    return lane;
  }
  if (!op.def->transfer) return lane;
  const plan::CommunicatorBinding& group =
      plan.plan->binding().communicators[plan::index(op.communicator)];
  lane.communicator = group.key;
  const comm::Communicator& end = communicator(op);
  const comm::Awaited awaited = end.awaited();
  // This rank has not started the transfer itself.
  if (!awaited.started && std::ranges::count(awaited.members, end.my_index()) > 0) return lane;
  lane.why = awaited.members.empty() ? Why::not_polled
             : awaited.started       ? Why::not_finished
                                     : Why::not_started;
  for (const std::uint32_t member : awaited.members)
    lane.awaited_ranks.push_back(group.members[member]);
  return lane;
}

StallReport BoundTasks::stall_report(std::chrono::nanoseconds timeout,
                                     std::vector<StalledLane> stalled) const {
  return {.rank = plan.plan->binding().rank, .timeout = timeout, .lanes = std::move(stalled)};
}

}  // namespace megascale::runtime
