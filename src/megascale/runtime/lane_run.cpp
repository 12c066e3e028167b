#include "megascale/runtime/lane_run.h"

#include <fmt/format.h>

#include "megascale/base/clock.h"

namespace megascale::runtime {
namespace {

constexpr std::size_t at(graph::Lane lane) noexcept { return static_cast<std::size_t>(lane); }

}  // namespace

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

std::uint32_t Executor::Run::unsatisfied_wait(const plan::Task& task) const noexcept {
  const auto waits = bound->step_plan().waits(task);
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    if (done[at(waits[i].lane)].load(std::memory_order_acquire) < waits[i].count) return i;
  }
  return TaskRecord::kNoWait;
}

bool Executor::Run::advance(graph::Lane lane) noexcept {
  if (failed() || finished(lane)) return false;
  Cursor& cursor = cursors_[at(lane)];
  const std::uint32_t id = bound->lanes[at(lane)][done[at(lane)].load(std::memory_order_relaxed)];
  const plan::Task& task = bound->step_plan().tasks()[id];
  const plan::PlanOp& op = bound->step_plan().op(task);
  if (cursor.started) return poll_transfer(lane, id);
  if (const std::uint32_t wait = unsatisfied_wait(task); wait != TaskRecord::kNoWait) {
    cursor.last_wait = wait;
    return false;
  }
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
  Error with_context = error;
  with_context.add_context("running " + bound->name_of(id));
  stop(with_context);
}

void Executor::Run::stop(const Error& error) noexcept {
  {
    const std::lock_guard lock(failure->mutex);
    if (failure->error) return;
    failure->error = error;
    for (comm::Communicator* communicator : failure->communicators) communicator->abort(error);
  }
  failure->failed.store(true, std::memory_order_release);
  wakeup->notify();
}

std::uint64_t Executor::Run::tasks_finished() const noexcept {
  std::uint64_t count = 0;
  for (const auto& lane : done) count += lane.load(std::memory_order_acquire);
  return count;
}

std::optional<std::uint32_t> Executor::Run::head(graph::Lane lane) const noexcept {
  const std::uint32_t count = done[at(lane)].load(std::memory_order_acquire);
  if (count >= bound->step_end[at(lane)]) return std::nullopt;
  return bound->lanes[at(lane)][count];
}

bool Executor::Run::host_task_runs() const noexcept {
  for (const graph::Lane lane : {graph::Lane::host_in, graph::Lane::host_out}) {
    const auto id = head(lane);
    if (id && unsatisfied_wait(bound->step_plan().tasks()[*id]) == TaskRecord::kNoWait) return true;
  }
  return false;
}

std::string Executor::Run::describe(graph::Lane lane, std::uint32_t id) const {
  const plan::StepPlan& plan = bound->step_plan();
  const plan::Task& task = plan.tasks()[id];
  const plan::PlanOp& op = plan.op(task);
  std::string text =
      fmt::format("lane {}: task {} ({}) waits ", graph::to_string(lane), id, plan.task_name(id));
  if (const std::uint32_t i = unsatisfied_wait(task); i != TaskRecord::kNoWait) {
    const plan::Wait& wait = plan.waits(task)[i];
    const std::uint32_t other = bound->lanes[at(wait.lane)][wait.count - 1];
    return text + fmt::format("for task {} ({}) of lane {}", other, plan.task_name(other),
                              graph::to_string(wait.lane));
  }
  if (!op.def->collective) return text + "for its thread";
  const plan::CommunicatorBinding& group =
      bound->plan.plan->binding().communicators[plan::index(op.communicator)];
  text += fmt::format("on communicator {}: ", group.key);
  const comm::Awaited awaited = bound->communicator(op).awaited();
  if (awaited.members.empty()) return text + "all members are through, this rank is not";
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t member : awaited.members) ranks.push_back(group.members[member]);
  return text + fmt::format("{} by rank{} {}",
                            awaited.started ? "started by all, not finished" : "not started",
                            ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

void Executor::Run::fail_stalled(std::chrono::nanoseconds timeout) noexcept {
  std::string text = fmt::format(
      "rank {}: no task has finished for {} s (control.timeout_seconds), the step is given up",
      bound->plan.plan->binding().rank, std::chrono::duration<double>(timeout).count());
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    if (const auto id = head(static_cast<graph::Lane>(lane)))
      text += "; " + describe(static_cast<graph::Lane>(lane), *id);
  }
  stop(Error(ErrorCode::timeout, std::move(text)));
}

Error Executor::Failure::get() const {
  const std::lock_guard lock(mutex);
  return *error;
}

}  // namespace megascale::runtime
