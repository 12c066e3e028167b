// Advances the lanes of a step. A lane's tasks run in order; a task starts when the done counter of
// every lane that it waits for has reached the wait's count. Counters are released and acquired, so
// a task sees the memory that the tasks before it have written.
#include "megascale/runtime/lane_run.h"

#include "megascale/base/clock.h"

namespace megascale::runtime {

void LaneRunner::Run::reset(std::span<TaskRecord> new_records, std::uint64_t new_number,
                            bool measures_cpu_time) {
  records = new_records;
  number = new_number;
  cpu_times = measures_cpu_time && !records.empty();
  const std::int64_t now = monotonic_ns();
  for (auto& count : done) count.store(0, std::memory_order_relaxed);
  for (Cursor& cursor : cursors_) cursor = Cursor{.head_ns = now};
}

bool LaneRunner::Run::finished(graph::Lane lane) const noexcept {
  return done[lane_number(lane)].load(std::memory_order_acquire) ==
         bound->lanes[lane_number(lane)].size();
}

bool LaneRunner::Run::step_finished() const noexcept {
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    if (done[lane].load(std::memory_order_acquire) < bound->step_end[lane]) return false;
  }
  return true;
}

std::uint32_t LaneRunner::Run::unsatisfied_wait(const plan::Task& task) const noexcept {
  const auto waits = bound->step_plan().waits(task);
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    if (done[lane_number(waits[i].lane)].load(std::memory_order_acquire) < waits[i].count) return i;
  }
  return TaskRecord::kNoWait;
}

bool LaneRunner::Run::waits(graph::Lane lane) noexcept {
  if (finished(lane)) return false;
  const std::uint32_t id =
      bound->lanes[lane_number(lane)][done[lane_number(lane)].load(std::memory_order_relaxed)];
  const std::uint32_t wait = unsatisfied_wait(bound->step_plan().tasks()[id]);
  if (wait == TaskRecord::kNoWait) return false;
  cursors_[lane_number(lane)].last_wait = wait;
  return true;
}

bool LaneRunner::Run::advance(graph::Lane lane, By by) noexcept {
  if (failed() || finished(lane)) return false;
  Cursor& cursor = cursors_[lane_number(lane)];
  const std::uint32_t id =
      bound->lanes[lane_number(lane)][done[lane_number(lane)].load(std::memory_order_relaxed)];
  const plan::Task& task = bound->step_plan().tasks()[id];
  const plan::PlanOp& op = bound->step_plan().op(task);
  if (cursor.started) return poll_transfer(lane, id, by);
  if (waits(lane)) return false;
  if (options->before_task) {
    try {
      options->before_task(id);
    } catch (const Error& error) {
      fail(id, error);
      return false;
    }
  }
  cursor.start_ns = cursor.matched_ns = monotonic_ns();
  if (op.def->transfer) {
    cursor.started = true;
    cursor.matched_ns = 0;
    bound->communicator(op).start(bound->transfer(id));
    if (!records.empty()) publish_start(records[id], cursor.start_ns);
    poll_transfer(lane, id, by);
    return true;
  }
  if (!records.empty()) publish_start(records[id], cursor.start_ns);
  if (const Error* error = run_function(lane, id); error != nullptr) {
    fail(id, *error);
    return false;
  }
  finish(lane, id, by);
  return true;
}

const Error* LaneRunner::Run::run_function(graph::Lane lane, std::uint32_t id) noexcept {
  if (!cpu_times) return run_once_or_twice(lane, id);
  const std::int64_t begin = thread_cpu_ns();
  const Error* const error = run_once_or_twice(lane, id);
  cursors_[lane_number(lane)].cpu_us =
      static_cast<std::uint32_t>((thread_cpu_ns() - begin) / 1000 + 1);
  return error;
}

const Error* LaneRunner::Run::run_once_or_twice(graph::Lane lane, std::uint32_t id) noexcept {
  if (repeater != nullptr && lane == graph::Lane::compute &&
      repeater->is_due(done[lane_number(lane)].load(std::memory_order_relaxed), number))
    return repeater->run(*bound, id);
  return bound->plan.functions[plan::index(bound->step_plan().tasks()[id].op)]->run(
      bound->arguments(id));
}

bool LaneRunner::Run::poll_transfer(graph::Lane lane, std::uint32_t id, By by) noexcept {
  Cursor& cursor = cursors_[lane_number(lane)];
  comm::Communicator& communicator =
      bound->communicator(bound->step_plan().op(bound->step_plan().tasks()[id]));
  const comm::Progress progress = communicator.poll();
  if (progress == comm::Progress::failed) {
    cursor.started = false;
    fail(id, communicator.error());
    return false;
  }
  if (progress != comm::Progress::waiting && cursor.matched_ns == 0) {
    cursor.matched_ns = monotonic_ns();
    if (!records.empty()) publish_match(records[id], cursor.matched_ns);
  }
  if (progress != comm::Progress::done) return false;
  cursor.started = false;
  finish(lane, id, by);
  return true;
}

void LaneRunner::Run::finish(graph::Lane lane, std::uint32_t id, By by) noexcept {
  // The compute lane may have waited for exactly this task. Its record must name that wait, so it
  // is noted before the task counts as done.
  if (by == By::compute) (void)waits(graph::Lane::compute);
  Cursor& cursor = cursors_[lane_number(lane)];
  const std::int64_t now = monotonic_ns();
  if (!records.empty()) {
    publish(records[id], {.head_ns = cursor.head_ns,
                          .start_ns = cursor.start_ns,
                          .matched_ns = cursor.matched_ns,
                          .done_ns = now,
                          .last_wait = cursor.last_wait,
                          .cpu_us = cursor.cpu_us});
  }
  cursor = Cursor{.head_ns = now};
  done[lane_number(lane)].fetch_add(1, std::memory_order_release);
  wakeup->notify();
}

bool LaneRunner::Run::quiet(graph::Lane lane) noexcept {
  Cursor& cursor = cursors_[lane_number(lane)];
  if (!cursor.started) return true;
  const std::uint32_t id =
      bound->lanes[lane_number(lane)][done[lane_number(lane)].load(std::memory_order_relaxed)];
  const comm::Progress progress =
      bound->communicator(bound->step_plan().op(bound->step_plan().tasks()[id])).poll();
  cursor.started = progress == comm::Progress::waiting || progress == comm::Progress::moving;
  return !cursor.started;
}

void LaneRunner::Run::fail(std::uint32_t id, const Error& error) noexcept {
  stop(bound->failure_of(id, error));
}

void LaneRunner::Run::stop(const Error& error, std::optional<StallReport> stall) noexcept {
  {
    const std::lock_guard lock(failure->mutex);
    if (failure->error) return;
    failure->error = error;
    failure->stall = std::move(stall);
    for (comm::Communicator* communicator : failure->communicators) communicator->abort(error);
  }
  failure->failed.store(true, std::memory_order_release);
  wakeup->notify();
}

std::uint64_t LaneRunner::Run::tasks_finished() const noexcept {
  std::uint64_t count = 0;
  for (const auto& lane : done) count += lane.load(std::memory_order_acquire);
  return count;
}

std::optional<std::uint32_t> LaneRunner::Run::head(graph::Lane lane) const noexcept {
  const std::uint32_t count = done[lane_number(lane)].load(std::memory_order_acquire);
  if (count >= bound->step_end[lane_number(lane)]) return std::nullopt;
  return bound->lanes[lane_number(lane)][count];
}

bool LaneRunner::Run::host_task_runs() const noexcept {
  for (const graph::Lane lane : {graph::Lane::host_in, graph::Lane::host_out}) {
    const auto id = head(lane);
    if (id && unsatisfied_wait(bound->step_plan().tasks()[*id]) == TaskRecord::kNoWait) return true;
  }
  return false;
}

void LaneRunner::Run::fail_stalled(std::chrono::nanoseconds timeout) noexcept {
  std::vector<StalledLane> lanes;
  for (std::size_t i = 0; i < graph::kLaneCount; ++i) {
    const auto id = head(static_cast<graph::Lane>(i));
    if (!id) continue;
    const std::uint32_t wait = unsatisfied_wait(bound->step_plan().tasks()[*id]);
    lanes.push_back(
        bound->stalled_lane(*id, wait == TaskRecord::kNoWait ? std::nullopt : std::optional(wait)));
  }
  StallReport report = bound->stall_report(timeout, std::move(lanes));
  const Error error = to_error(report);
  stop(error, std::move(report));
}

Error LaneRunner::Failure::get() const {
  const std::lock_guard lock(mutex);
  return *error;
}

}  // namespace megascale::runtime
