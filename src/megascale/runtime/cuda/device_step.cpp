#include "megascale/runtime/cuda/device_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "megascale/base/clock.h"
#include "megascale/cuda/device.h"

namespace megascale::runtime {

void DeviceExecutor::Step::hand_over() {
  // The streams are empty: the host's clock and the device's are read at one moment.
  const CUstream_st* compute = executor_->stream(graph::Lane::compute);
  executor_->lanes_->begin.record(const_cast<CUstream_st*>(compute));
  executor_->lanes_->begin.wait();
  begin_ns_ = monotonic_ns();
  auto last_move = std::chrono::steady_clock::now();
  const auto timeout = executor_->options_.timeout;
  while (!all_handed_over()) {
    const std::uint32_t epoch = executor_->wakeup_->epoch();
    bool moved = false;
    for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
      while (advance(static_cast<graph::Lane>(lane))) moved = true;
    }
    if (moved) {
      last_move = std::chrono::steady_clock::now();
    } else if (timeout == timeout.zero()) {
      executor_->wakeup_->wait(epoch);
    } else if (!executor_->wakeup_->wait_until(epoch, last_move + timeout) &&
               !executor_->host_->busy()) {
      // A host task that is slow is no stall.
      if (std::chrono::steady_clock::now() - last_move >= timeout) fail_stalled(describe_heads());
    }
  }
}

bool DeviceExecutor::Step::all_handed_over() const noexcept {
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    const Cursor& cursor = cursors_[lane];
    const auto all = plan_->tasks.lanes[lane].size();
    // Carried tasks have to be started, not finished; there is at most one under way.
    const bool carried_left = cursor.handed < all && !cursor.started;
    if (cursor.handed < plan_->tasks.step_end[lane] || carried_left) return false;
  }
  return true;
}

bool DeviceExecutor::Step::may_go(const plan::Task& task) const noexcept {
  const auto waits = plan_->step_plan().waits(task);
  return std::all_of(waits.begin(), waits.end(), [this](const plan::Wait& wait) {
    return cursors_[lane_number(wait.lane)].handed >= wait.count;
  });
}

void DeviceExecutor::Step::hold_for_waits(const plan::Task& task,
                                          CUstream_st* stream) const noexcept {
  for (const plan::Wait& wait : plan_->step_plan().waits(task)) {
    // A host task that was handed over is done.
    if (const std::uint32_t id = task_at(wait); !plan_->on_host(id)) plan_->ends[id].hold(stream);
  }
}

bool DeviceExecutor::Step::advance(graph::Lane lane) {
  Cursor& cursor = cursors_[lane_number(lane)];
  const auto& tasks = plan_->tasks.lanes[lane_number(lane)];
  if (cursor.handed == tasks.size()) return false;
  const std::uint32_t id = tasks[cursor.handed];
  const plan::Task& task = plan_->step_plan().tasks()[id];
  const plan::PlanOp& op = plan_->step_plan().op(task);
  CUstream_st* stream = executor_->stream(lane);
  if (plan_->on_host(id)) {
    if (!cursor.started && !may_go(task)) return false;
    return advance_host_task(cursor, id);
  }
  if (cursor.started) return advance_transfer(cursor, id, stream);
  if (!may_go(task)) return false;
  if (executor_->options_.before_task) {
    try {
      executor_->options_.before_task(id);
    } catch (const Error& error) {
      fail(id, error);
    }
  }
  hold_for_waits(task, stream);
  if (op.def->collective) {
    cursor.started = true;
    plan_->tasks.communicator(op).start(plan_->tasks.transfer(id));
    advance_transfer(cursor, id, stream);
    return true;
  }
  TaskArguments arguments = plan_->tasks.arguments(id);
  arguments.stream = stream;
  if (const Error* error = plan_->tasks.plan.functions[plan::index(task.op)]->run(arguments);
      error != nullptr)
    fail(id, *error);
  handed_over(cursor, id, stream);
  return true;
}

// What the task waits for may still be running on the device; its thread waits for that.
bool DeviceExecutor::Step::advance_host_task(Cursor& cursor, std::uint32_t id) {
  const plan::Task& task = plan_->step_plan().tasks()[id];
  HostThread& host = *executor_->host_;
  if (cursor.started) {
    if (host.busy()) return false;
    if (auto error = host.take_error()) fail(id, *error);
    plan_->done[id] = host.times().done_ns;
    cursor.started = false;
    ++cursor.handed;
    return true;
  }
  if (host.busy()) return false;  // another lane's
  std::vector<std::uint32_t> before;
  for (const plan::Wait& wait : plan_->step_plan().waits(task)) before.push_back(task_at(wait));
  if (cursor.handed > 0) {
    const auto& lane = plan_->tasks.lanes[lane_number(plan_->step_plan().op(task).lane)];
    before.push_back(lane[cursor.handed - 1]);
  }
  cursor.started = true;
  host.start([this_plan = plan_, &options = executor_->options_, before, id,
              op = plan::index(task.op)]() -> const Error* {
    for (const std::uint32_t other : before) {
      if (!this_plan->on_host(other)) this_plan->ends[other].wait();
    }
    if (options.before_task) options.before_task(id);
    return this_plan->tasks.plan.functions[op]->run(this_plan->tasks.arguments(id));
  });
  return true;
}

bool DeviceExecutor::Step::advance_transfer(Cursor& cursor, std::uint32_t id, CUstream_st* stream) {
  comm::Communicator& communicator =
      plan_->tasks.communicator(plan_->step_plan().op(plan_->step_plan().tasks()[id]));
  const comm::Progress progress = communicator.poll();
  if (progress == comm::Progress::failed) fail(id, communicator.error());
  if (progress != comm::Progress::done) return false;
  cursor.started = false;
  handed_over(cursor, id, stream);
  return true;
}

void DeviceExecutor::Step::handed_over(Cursor& cursor, std::uint32_t id, CUstream_st* stream) {
  if (auto error = cuda::take_error()) fail(id, *error);
  plan_->ends[id].record(stream);
  ++cursor.handed;
}

void DeviceExecutor::Step::fail(std::uint32_t id, Error error) const {
  error.add_context("running " + plan_->tasks.name_of(id));
  throw error;
}

void DeviceExecutor::Step::fail_stalled(const std::string& where) const {
  throw Error(
      ErrorCode::timeout,
      fmt::format("rank {}: no task has finished for {} s (control.timeout_seconds), the "
                  "step is given up{}",
                  plan_->tasks.plan.plan->binding().rank,
                  std::chrono::duration<double>(executor_->options_.timeout).count(), where));
}

std::string DeviceExecutor::Step::describe_heads() const {
  std::string text;
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    const Cursor& cursor = cursors_[lane];
    if (cursor.handed >= plan_->tasks.step_end[lane]) continue;
    const std::uint32_t id = plan_->tasks.lanes[lane][cursor.handed];
    const plan::Task& task = plan_->step_plan().tasks()[id];
    text += fmt::format("; lane {}: {} waits ", graph::to_string(static_cast<graph::Lane>(lane)),
                        plan_->tasks.name_of(id));
    if (!cursor.started) {
      for (const plan::Wait& wait : plan_->step_plan().waits(task)) {
        if (cursors_[lane_number(wait.lane)].handed >= wait.count) continue;
        text += "for " + plan_->tasks.name_of(task_at(wait));
        break;
      }
      continue;
    }
    const plan::PlanOp& op = plan_->step_plan().op(task);
    if (!op.def->collective) {
      text += "for the host";
      continue;
    }
    const plan::CommunicatorBinding& group =
        plan_->tasks.plan.plan->binding().communicators[plan::index(op.communicator)];
    std::vector<std::uint32_t> ranks;
    for (const std::uint32_t member : plan_->tasks.communicator(op).awaited().members)
      ranks.push_back(group.members[member]);
    text += fmt::format("on communicator {}: not started by ranks {}", group.key,
                        fmt::join(ranks, ", "));
  }
  return text;
}

void DeviceExecutor::Step::wait_for(std::uint32_t id) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const auto timeout = executor_->options_.timeout;
  for (int looks = 0;; ++looks) {
    const cuda::Event::State state = plan_->ends[id].state();
    if (state == cuda::Event::State::reached) return;
    if (state == cuda::Event::State::failed) {
      try {
        plan_->ends[id].wait();
      } catch (const Error& error) {
        // The device says that something went wrong, not where: this is the first task that is not
        // done.
        fail(id, error);
      }
    }
    if (timeout > timeout.zero() && Clock::now() - begin > timeout)
      fail_stalled("; the device has not done " + plan_->tasks.name_of(id));
    // Tasks are mostly long: after a short while the core is left to others.
    if (looks > 100) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void DeviceExecutor::Step::finish(std::span<TaskRecord> records) {
  std::array<std::optional<std::uint32_t>, graph::kLaneCount> before{};
  for (std::uint32_t id = 0; id < plan_->ends.size(); ++id) {
    if (plan_->step_plan().tasks()[id].carried) continue;
    if (!plan_->on_host(id)) {
      wait_for(id);
      plan_->done[id] = begin_ns_ + plan_->ends[id].ns_since(executor_->lanes_->begin);
    }
    auto& last = before[lane_number(plan_->step_plan().op(plan_->step_plan().tasks()[id]).lane)];
    if (!records.empty()) records[id] = record_of(id, last);
    last = id;
  }
}

TaskRecord DeviceExecutor::Step::record_of(std::uint32_t id,
                                           std::optional<std::uint32_t> before) const {
  TaskRecord record{.head_ns = before ? plan_->done[*before] : begin_ns_,
                    .done_ns = plan_->done[id]};
  record.start_ns = record.head_ns;
  const auto waits = plan_->step_plan().waits(plan_->step_plan().tasks()[id]);
  for (std::uint32_t w = 0; w < waits.size(); ++w) {
    const std::int64_t done = plan_->done[task_at(waits[w])];
    if (done <= record.start_ns) continue;
    record.start_ns = done;
    record.last_wait = w;
  }
  // Clocks are read with half a microsecond; nothing ends before it starts.
  record.done_ns = std::max(record.done_ns, record.start_ns);
  record.matched_ns = record.start_ns;
  return record;
}

}  // namespace megascale::runtime
