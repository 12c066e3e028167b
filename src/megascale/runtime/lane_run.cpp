#include "megascale/runtime/lane_run.h"

#include <fmt/format.h>

#include "megascale/base/clock.h"

namespace megascale::runtime {
namespace {

constexpr std::size_t at(graph::Lane lane) noexcept { return static_cast<std::size_t>(lane); }

comm::TransferKind transfer_kind(std::string_view name) {
  using comm::TransferKind;
  if (name == "all_gather") return TransferKind::all_gather;
  if (name == "reduce_scatter") return TransferKind::reduce_scatter;
  if (name == "all_reduce") return TransferKind::all_reduce;
  if (name == "all_to_all") return TransferKind::all_to_all;
  if (name == "broadcast") return TransferKind::broadcast;
  if (name == "shift") return TransferKind::shift;
  if (name == "send") return TransferKind::send;
  if (name == "recv") return TransferKind::recv;
  MEGASCALE_CHECK(false, "a transfer kind that executors do not know");
}

}  // namespace

Executor::Bound::Bound(BoundPlan bound_plan) : plan(std::move(bound_plan)) {
  const plan::StepPlan& steps = step_plan();
  MEGASCALE_CHECK(plan.arena.size() >= steps.arena_nbytes(), "the arena is smaller than the plan");
  for (std::uint32_t id = 0; id < steps.tasks().size(); ++id) {
    const plan::Task& task = steps.tasks()[id];
    const plan::PlanOp& op = steps.op(task);
    MEGASCALE_CHECK(op.def->collective || plan.functions[plan::index(task.op)] != nullptr,
                    op.def->name);
    auto& lane = lanes[at(op.lane)];
    lane.push_back(id);
    if (!task.carried) step_end[at(op.lane)] = static_cast<std::uint32_t>(lane.size());
    first_address.push_back(static_cast<std::uint32_t>(addresses.size()));
    for (const plan::Operand& operand : op.operands) {
      const bool absent = operand.buffer == plan::kNoBuffer;
      addresses.push_back(
          absent ? nullptr
                 : plan.arena.data() +
                       steps.range(task, operand, plan.plan->binding().coordinates).begin);
    }
  }
}

TaskArguments Executor::Bound::arguments(std::uint32_t id) const noexcept {
  const plan::Task& task = step_plan().tasks()[id];
  return {.operands =
              std::span(addresses).subspan(first_address[id], step_plan().op(task).operands.size()),
          .micro_batch = task.micro_batch,
          .first = task.first};
}

comm::Transfer Executor::Bound::transfer(std::uint32_t id) const noexcept {
  const plan::PlanOp& op = step_plan().op(step_plan().tasks()[id]);
  comm::Transfer transfer{.kind = transfer_kind(op.def->name),
                          .dtype = static_cast<DType>(op.attributes.integer("dtype", 0)),
                          .root = static_cast<std::uint32_t>(op.attributes.integer("root", 0)),
                          .offset = static_cast<std::uint32_t>(op.attributes.integer("offset", 0))};
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const std::span bytes(addresses[first_address[id] + i], op.operands[i].nbytes);
    if (op.operands[i].access == graph::Access::read) {
      transfer.send = bytes;
    } else {
      transfer.receive = bytes;
    }
  }
  return transfer;
}

void Executor::Run::reset(std::span<TaskRecord> new_records) {
  records = new_records;
  const std::int64_t now = monotonic_ns();
  for (auto& count : done) count.store(0, std::memory_order_relaxed);
  for (Cursor& cursor : cursors_) cursor = Cursor{.head_ns = now};
}

bool Executor::Run::finished(graph::Lane lane) const noexcept {
  return done[at(lane)].load(std::memory_order_acquire) == bound->lanes[at(lane)].size();
}

bool Executor::Run::step_finished() const noexcept {
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    if (done[lane].load(std::memory_order_acquire) < bound->step_end[lane]) return false;
  }
  return true;
}

bool Executor::Run::waits_are_satisfied(const plan::Task& task, Cursor& cursor) const noexcept {
  const auto waits = bound->step_plan().waits(task);
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    if (done[at(waits[i].lane)].load(std::memory_order_acquire) < waits[i].count) {
      cursor.last_wait = i;
      return false;
    }
  }
  return true;
}

bool Executor::Run::advance(graph::Lane lane) noexcept {
  if (failed() || finished(lane)) return false;
  Cursor& cursor = cursors_[at(lane)];
  const std::uint32_t id = bound->lanes[at(lane)][done[at(lane)].load(std::memory_order_relaxed)];
  const plan::Task& task = bound->step_plan().tasks()[id];
  const plan::PlanOp& op = bound->step_plan().op(task);
  if (cursor.started) return poll_transfer(lane, id);
  if (!waits_are_satisfied(task, cursor)) return false;
  if (options->before_task) {
    try {
      options->before_task(id);
    } catch (const Error& error) {
      fail(id, error);
      return false;
    }
  }
  cursor.start_ns = cursor.matched_ns = monotonic_ns();
  if (op.def->collective) {
    cursor.started = true;
    cursor.matched_ns = 0;
    bound->communicator(op).start(bound->transfer(id));
    poll_transfer(lane, id);
    return true;
  }
  if (const Error* error = bound->plan.functions[plan::index(task.op)]->run(bound->arguments(id));
      error != nullptr) {
    fail(id, *error);
    return false;
  }
  finish(lane, id);
  return true;
}

bool Executor::Run::poll_transfer(graph::Lane lane, std::uint32_t id) noexcept {
  Cursor& cursor = cursors_[at(lane)];
  comm::Communicator& communicator =
      bound->communicator(bound->step_plan().op(bound->step_plan().tasks()[id]));
  const comm::Progress progress = communicator.poll();
  if (progress == comm::Progress::failed) {
    cursor.started = false;
    fail(id, communicator.error());
    return false;
  }
  if (progress != comm::Progress::waiting && cursor.matched_ns == 0)
    cursor.matched_ns = monotonic_ns();
  if (progress != comm::Progress::done) return false;
  cursor.started = false;
  finish(lane, id);
  return true;
}

void Executor::Run::finish(graph::Lane lane, std::uint32_t id) noexcept {
  Cursor& cursor = cursors_[at(lane)];
  const std::int64_t now = monotonic_ns();
  if (!records.empty()) {
    records[id] = {.head_ns = cursor.head_ns,
                   .start_ns = cursor.start_ns,
                   .matched_ns = cursor.matched_ns,
                   .done_ns = now,
                   .last_wait = cursor.last_wait};
  }
  cursor = Cursor{.head_ns = now};
  done[at(lane)].fetch_add(1, std::memory_order_release);
  wakeup->notify();
}

bool Executor::Run::quiet(graph::Lane lane) noexcept {
  Cursor& cursor = cursors_[at(lane)];
  if (!cursor.started) return true;
  const std::uint32_t id = bound->lanes[at(lane)][done[at(lane)].load(std::memory_order_relaxed)];
  const comm::Progress progress =
      bound->communicator(bound->step_plan().op(bound->step_plan().tasks()[id])).poll();
  cursor.started = progress == comm::Progress::waiting || progress == comm::Progress::moving;
  return !cursor.started;
}

void Executor::Run::fail(std::uint32_t id, const Error& error) noexcept {
  {
    const std::lock_guard lock(failure->mutex);
    if (failure->error) return;
    failure->error = error;
    failure->error->add_context(fmt::format("running task {} ({}) on rank {}", id,
                                            bound->step_plan().task_name(id),
                                            bound->plan.plan->binding().rank));
    for (comm::Communicator* communicator : failure->communicators)
      communicator->abort(*failure->error);
  }
  failure->failed.store(true, std::memory_order_release);
  wakeup->notify();
}

Error Executor::Failure::get() const {
  const std::lock_guard lock(mutex);
  return *error;
}

}  // namespace megascale::runtime
