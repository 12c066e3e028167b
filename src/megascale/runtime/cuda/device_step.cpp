// Hands the tasks of a step over to their streams, each lane in the order of the plan. For each
// wait of a task, its stream waits for an event. The rank's thread never blocks on one task: it
// visits the lanes in turn, and sleeps on the wakeup while no lane can advance. In between it
// checks communicators for lost peers, and the clock for a stalled step.
#include "megascale/runtime/cuda/device_step.h"

#include <algorithm>
#include <thread>

#include "megascale/base/clock.h"
#include "megascale/cuda/device.h"

namespace megascale::runtime {
namespace {

// How often the rank's thread checks for lost peers while it waits: for a task on the device, or
// for a lane that can hand a task over.
constexpr std::chrono::milliseconds kLookAtPeers{20};

}  // namespace

void DeviceLaneRunner::Step::hand_over() {
  // The streams are empty, so the device reaches the begin event at once. The host reads its clock
  // at the same time (begin_ns_), to which the times of the device's events are added.
  cuda::Event& begin = runner_->lanes_->begin;
  begin.record(runner_->stream(graph::Lane::compute));
  begin.wait();
  begin_ns_ = monotonic_ns();
  auto last_move = std::chrono::steady_clock::now();
  bool device_moved = false;
  const auto timeout = runner_->options_.timeout;
  while (!all_handed_over()) {
    const std::uint32_t epoch = runner_->wakeup_->epoch();
    bool moved = false;
    // One task of each lane at a time. Otherwise a lane with many tasks, mostly compute, would
    // delay transfers that could overlap with it.
    for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane)
      moved = advance(static_cast<graph::Lane>(lane)) || moved;
    const auto now = std::chrono::steady_clock::now();
    // A slow host task is not a stall. A host task that waits for the device may be one.
    if (moved || runner_->host_->works() || device_moved) last_move = now;
    device_moved = false;
    auto next_look = now + kLookAtPeers;
    if (timeout > timeout.zero()) {
      if (now - last_move >= timeout) fail_stalled(stalled_lanes());
      next_look = std::min(next_look, last_move + timeout);
    }
    if (moved || runner_->wakeup_->wait_until(epoch, next_look)) continue;
    device_moved = look_at_device();
    look_for_losses(first_undone());
  }
  // CUDA would treat an event that could not be recorded as reached.
  if (auto error = cuda::take_error()) throw Error(*error);
}

void DeviceLaneRunner::Step::ask_before(std::uint32_t id) const {
  if (!runner_->options_.before_task) return;
  try {
    runner_->options_.before_task(id);
  } catch (const Error& error) {
    throw plan_->tasks.failure_of(id, error);
  }
}

void DeviceLaneRunner::Step::give(std::uint32_t id, CUstream_st* stream) const {
  TaskArguments arguments = plan_->tasks.arguments(id);
  if (runner_->options_.before_work) runner_->options_.before_work(id, stream);
  arguments.stream = stream;
  arguments.complaint = &plan_->complaint(id);
  const plan::OpIndex op = plan_->step_plan().tasks()[id].op;
  if (const Error* error = plan_->tasks.plan.functions[plan::index(op)]->run(arguments);
      error != nullptr)
    throw plan_->tasks.failure_of(id, *error);
}

bool DeviceLaneRunner::Step::all_handed_over() const noexcept {
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    const Cursor& cursor = cursors_[lane];
    const auto all = plan_->tasks.lanes[lane].size();
    // Carried tasks must be started, but need not be finished. At most one is under way.
    const bool carried_left = cursor.handed < all && !cursor.started;
    if (cursor.handed < plan_->tasks.step_end[lane] || carried_left) return false;
  }
  return true;
}

std::optional<std::uint32_t> DeviceLaneRunner::Step::unsatisfied_wait(
    const plan::Task& task) const noexcept {
  const auto waits = plan_->step_plan().waits(task);
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    if (cursors_[lane_number(waits[i].lane)].handed < waits[i].count) return i;
  }
  return std::nullopt;
}

void DeviceLaneRunner::Step::hold_for_waits(const plan::Task& task,
                                            CUstream_st* stream) const noexcept {
  for (const plan::Wait& wait : plan_->step_plan().waits(task)) {
    // A host task counts as handed over when it is done, so there is no event to wait for.
    if (const std::uint32_t id = task_at(wait); !plan_->on_host(id)) plan_->ends[id].hold(stream);
  }
}

bool DeviceLaneRunner::Step::advance(graph::Lane lane) {
  Cursor& cursor = cursors_[lane_number(lane)];
  const auto& tasks = plan_->tasks.lanes[lane_number(lane)];
  if (cursor.handed == tasks.size()) return false;
  const std::uint32_t id = tasks[cursor.handed];
  const plan::Task& task = plan_->step_plan().tasks()[id];
  const plan::PlanOp& op = plan_->step_plan().op(task);
  CUstream_st* stream = runner_->stream(lane);
  if (!cursor.started && unsatisfied_wait(task)) return false;
  if (plan_->on_host(id)) return advance_host_task(lane, id);
  if (cursor.started) return advance_transfer(cursor, id, stream);
  if (Plan::Part* part = plan_->part_at(id); part != nullptr) {
    advance_part(cursor, *part, stream);
    return true;
  }
  ask_before(id);
  hold_for_waits(task, stream);
  if (op.def->transfer) {
    cursor.started = true;
    plan_->handed_ns[id] = monotonic_ns();
    if (runner_->options_.before_work) runner_->options_.before_work(id, stream);
    comm::Transfer transfer = plan_->tasks.transfer(id);
    if (const auto match = plan_->matches.find(id); match != plan_->matches.end())
      transfer.matched = &match->second;
    plan_->tasks.communicator(op).start(transfer);
    advance_transfer(cursor, id, stream);
    return true;
  }
  give(id, stream);
  handed_over(cursor, id, stream);
  return true;
}

void DeviceLaneRunner::Step::advance_part(Cursor& cursor, Plan::Part& part, CUstream_st* stream) {
  for (const std::uint32_t id : part.tasks) ask_before(id);
  const std::uint32_t last = part.tasks.back();
  if (!part.graph) {
    part.graph.emplace(stream, [&] {
      for (const std::uint32_t id : part.tasks) {
        give(id, stream);
        // The event of the last task is not part of the graph but is recorded after it, since other
        // lanes wait for it.
        if (id != last) plan_->ends[id].record_in_graph(stream);
        if (auto error = cuda::take_error()) throw plan_->tasks.failure_of(id, *error);
      }
    });
  }
  hold_for_waits(plan_->step_plan().tasks()[part.tasks.front()], stream);
  part.graph->launch(stream);
  cursor.handed += static_cast<std::uint32_t>(part.tasks.size()) - 1;
  handed_over(cursor, last, stream);
}

bool DeviceLaneRunner::Step::advance_host_task(graph::Lane lane, std::uint32_t id) {
  Cursor& cursor = cursors_[lane_number(lane)];
  HostThread& host = *runner_->host_;
  if (host.busy()) return false;
  if (cursor.started) {
    if (auto error = host.take_error()) throw Error(*error);
    plan_->done[id] = host.done_ns();
    host_lane_.reset();
    cursor.started = false;
    ++cursor.handed;
    return true;
  }
  // The host task of another lane has ended, but that lane has not noticed yet.
  if (host_lane_) return false;
  std::vector<std::uint32_t> after;
  for (const plan::Wait& wait : plan_->step_plan().waits(plan_->step_plan().tasks()[id]))
    after.push_back(task_at(wait));
  if (cursor.handed > 0) after.push_back(plan_->tasks.lanes[lane_number(lane)][cursor.handed - 1]);
  host_lane_ = lane;
  cursor.started = true;
  // The lambdas must not refer to this Step: a carried task may run longer than its step.
  const auto wait = [&plan = *plan_, after, id] {
    try {
      // The tasks that it waits for were handed over, but may still run on the device.
      for (const std::uint32_t other : after) {
        if (!plan.on_host(other)) plan.ends[other].wait();
      }
    } catch (const Error& error) {
      throw plan.tasks.failure_of(id, error);
    }
  };
  host.start(wait, [&plan = *plan_, &options = runner_->options_, id] {
    try {
      if (options.before_task) options.before_task(id);
      const plan::Task& task = plan.step_plan().tasks()[id];
      const Error* error =
          plan.tasks.plan.functions[plan::index(task.op)]->run(plan.tasks.arguments(id));
      if (error != nullptr) throw Error(*error);
    } catch (const Error& error) {
      throw plan.tasks.failure_of(id, error);
    }
  });
  return true;
}

bool DeviceLaneRunner::Step::advance_transfer(Cursor& cursor, std::uint32_t id,
                                              CUstream_st* stream) {
  comm::Communicator& communicator =
      plan_->tasks.communicator(plan_->step_plan().op(plan_->step_plan().tasks()[id]));
  const comm::Progress progress = communicator.poll();
  if (progress == comm::Progress::failed) throw plan_->tasks.failure_of(id, communicator.error());
  if (progress != comm::Progress::done) return false;
  cursor.started = false;
  handed_over(cursor, id, stream);
  return true;
}

void DeviceLaneRunner::Step::handed_over(Cursor& cursor, std::uint32_t id, CUstream_st* stream) {
  if (auto error = cuda::take_error()) throw plan_->tasks.failure_of(id, *error);
  plan_->ends[id].record(stream);
  ++cursor.handed;
}

void DeviceLaneRunner::Step::let_go() {
  for (std::size_t i = 0; i < graph::kLaneCount; ++i) {
    if (!cursors_[i].started) continue;
    const plan::StepPlan& steps = plan_->step_plan();
    const plan::PlanOp& op = steps.op(steps.tasks()[plan_->tasks.lanes[i][cursors_[i].handed]]);
    if (!op.def->transfer) continue;
    for (;;) {
      const std::uint32_t epoch = runner_->wakeup_->epoch();
      const comm::Progress progress = plan_->tasks.communicator(op).poll();
      if (progress == comm::Progress::failed || progress == comm::Progress::done) break;
      runner_->wakeup_->wait(epoch);
    }
  }
}

void DeviceLaneRunner::Step::fail_stalled(std::vector<StalledLane> lanes) const {
  runner_->stall_ = plan_->tasks.stall_report(runner_->options_.timeout, std::move(lanes));
  throw to_error(*runner_->stall_);
}

// Tasks are checked in their order. Events of tasks that were not handed over yet still count as
// reached, from the previous step or because they were never recorded; such tasks are skipped.
bool DeviceLaneRunner::Step::look_at_device() {
  const std::uint32_t before = looked_at_;
  while (looked_at_ < plan_->ends.size() &&
         (plan_->on_host(looked_at_) ||
          plan_->ends[looked_at_].state() == cuda::Event::State::reached))
    ++looked_at_;
  return looked_at_ > before;
}

std::uint32_t DeviceLaneRunner::Step::first_undone() const {
  auto first = static_cast<std::uint32_t>(plan_->ends.size()) - 1;
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    const auto& tasks = plan_->tasks.lanes[lane];
    if (cursors_[lane].handed < tasks.size()) first = std::min(first, tasks[cursors_[lane].handed]);
  }
  return std::min(first, looked_at_);
}

std::vector<StalledLane> DeviceLaneRunner::Step::stalled_lanes() const {
  std::vector<StalledLane> lanes;
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    if (cursors_[lane].handed >= plan_->tasks.step_end[lane]) continue;
    const std::uint32_t id = plan_->tasks.lanes[lane][cursors_[lane].handed];
    StalledLane stalled =
        plan_->tasks.stalled_lane(id, unsatisfied_wait(plan_->step_plan().tasks()[id]));
    // The caller is the thread of all transfers. One that is not started waits until the device has
    // copied its counts.
    if (stalled.why == StalledLane::Why::no_thread && !stalled.communicator.empty())
      stalled.why = StalledLane::Why::on_device;
    lanes.push_back(std::move(stalled));
  }
  return lanes;
}

void DeviceLaneRunner::Step::wait_for(std::uint32_t id, std::uint32_t first) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const auto timeout = runner_->options_.timeout;
  Clock::time_point next_look = begin + kLookAtPeers;
  for (int looks = 0;; ++looks) {
    const cuda::Event::State state = plan_->ends[id].state();
    if (state == cuda::Event::State::reached) return;
    if (state == cuda::Event::State::failed) {
      try {
        plan_->ends[id].wait();
      } catch (Error& error) {
        // The device reports that something has failed, but not which task. `id` is the first task
        // that is not done.
        if (first != id)
          error.add_context("running a graph that begins with " + plan_->tasks.name_of(first));
        throw plan_->tasks.failure_of(id, error);
      }
    }
    const Clock::time_point now = Clock::now();
    if (timeout > timeout.zero() && now - begin > timeout)
      fail_stalled({{.task = plan_->tasks.reported(id), .why = StalledLane::Why::on_device}});
    // Most tasks are long: after some polls this thread leaves its core to others.
    if (looks > 100) std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (now < next_look) continue;
    look_for_losses(id);
    next_look = now + kLookAtPeers;
  }
}

void DeviceLaneRunner::Step::look_for_losses(std::uint32_t id) const {
  for (comm::Communicator* communicator : plan_->tasks.plan.communicators) {
    if (communicator == nullptr) continue;
    if (const auto error = communicator->lost()) throw plan_->tasks.failure_of(id, *error);
  }
}

void DeviceLaneRunner::Step::finish(std::span<TaskRecord> records) {
  std::array<std::optional<std::uint32_t>, graph::kLaneCount> before{};
  for (std::uint32_t id = 0; id < plan_->ends.size(); ++id) {
    if (plan_->step_plan().tasks()[id].carried) continue;
    if (!plan_->on_host(id)) {
      // The times of tasks in a graph can be read only when the whole graph is done.
      const Plan::Part* part = plan_->part_at(id);
      wait_for(part != nullptr ? part->tasks.back() : id, id);
      plan_->done[id] = begin_ns_ + plan_->ends[id].ns_since(runner_->lanes_->begin);
      if (auto error = cuda::take_error()) throw plan_->tasks.failure_of(id, *error);
      look_for_late_error(id);
    }
    auto& last = before[lane_number(plan_->step_plan().op(plan_->step_plan().tasks()[id]).lane)];
    if (!records.empty()) publish(records[id], record_of(id, last));
    last = id;
  }
  plan_->is_warm = true;
}

void DeviceLaneRunner::Step::look_for_late_error(std::uint32_t id) const {
  const std::int64_t complaint = plan_->complaint(id);
  if (complaint == 0) return;
  const plan::Task& task = plan_->step_plan().tasks()[id];
  throw plan_->tasks.failure_of(
      id, plan_->tasks.plan.functions[plan::index(task.op)]->late_error(complaint));
}

TaskRecord DeviceLaneRunner::Step::record_of(std::uint32_t id,
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
  const bool moves = plan_->step_plan().op(plan_->step_plan().tasks()[id]).def->transfer != nullptr;
  if (moves) record.start_ns = std::max(record.start_ns, plan_->handed_ns[id]);
  // The device's clock has a resolution of half a microsecond, so a task could seem to end before
  // it starts.
  record.done_ns = std::max(record.done_ns, record.start_ns);
  record.matched_ns = moves ? matched(id, record) : record.start_ns;
  return record;
}

std::int64_t DeviceLaneRunner::Step::matched(std::uint32_t id, const TaskRecord& record) const {
  const auto match = plan_->matches.find(id);
  if (match == plan_->matches.end()) return 0;
  const std::int64_t at = begin_ns_ + match->second.ns_since(runner_->lanes_->begin);
  return std::clamp(at, record.start_ns, record.done_ns);
}

}  // namespace megascale::runtime
