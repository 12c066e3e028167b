// One pass over the tasks of each lane. Tasks of one lane do not overlap, so the time for which a
// transfer was hidden is found with two indices that only move forward.
#include "megascale/observe/rank_step.h"

#include <algorithm>
#include <vector>

namespace megascale::observe {
namespace {

double seconds_between(std::int64_t from, std::int64_t to) noexcept {
  return to > from ? static_cast<double>(to - from) * 1e-9 : 0.0;
}

struct Interval {
  std::int64_t from = 0, to = 0;
};

// When the tasks of the compute lane ran, ascending.
std::vector<Interval> compute_intervals(const LaneOrder& order,
                                        std::span<const TaskRecord> records) {
  std::vector<Interval> intervals;
  for (const std::uint32_t id : order.tasks(graph::Lane::compute)) {
    const TaskRecord& record = records[id];
    if (record.done_ns > record.start_ns) intervals.push_back({record.start_ns, record.done_ns});
  }
  return intervals;
}

// The time at which the task could have started: it was the first of its lane, and its waits were
// satisfied.
std::int64_t ready_ns(const LaneOrder& order, std::span<const TaskRecord> records,
                      std::uint32_t task) {
  const TaskRecord& record = records[task];
  if (record.last_wait == TaskRecord::kNoWait) return record.head_ns;
  const TaskRecord& awaited = records[order.task_at(order.awaited_by(task, record.last_wait))];
  return std::max(record.head_ns, awaited.done_ns);
}

LaneTime lane_time(graph::Lane lane, const LaneOrder& order, std::span<const TaskRecord> records,
                   const std::vector<Interval>& computing) {
  LaneTime time;
  const bool moves = carries_transfers(lane);
  std::size_t next =
      0;  // no earlier interval of `computing` ends after the current transfer begins
  for (const std::uint32_t id : order.tasks(lane)) {
    const TaskRecord& record = records[id];
    if (record.done_ns == 0) continue;  // a carried task that the end of the run cut off
    time.late += seconds_between(ready_ns(order, records, id), record.start_ns);
    if (!moves) {
      time.busy += seconds_between(record.start_ns, record.done_ns);
      continue;
    }
    const std::int64_t moving = moving_since(record);
    time.partner += seconds_between(record.start_ns, moving);
    time.busy += seconds_between(moving, record.done_ns);
    while (next < computing.size() && computing[next].to <= moving) ++next;
    for (std::size_t i = next; i < computing.size() && computing[i].from < record.done_ns; ++i)
      time.hidden += seconds_between(std::max(moving, computing[i].from),
                                     std::min(record.done_ns, computing[i].to));
  }
  return time;
}

}  // namespace

bool carries_transfers(graph::Lane lane) noexcept {
  return lane != graph::Lane::compute && lane != graph::Lane::host_in &&
         lane != graph::Lane::host_out;
}

std::string_view to_string(graph::Phase phase) noexcept {
  constexpr std::array<std::string_view, kPhaseCount> kNames{
      "forward", "loss", "backward", "weight_gradient", "recompute", "step"};
  return kNames[static_cast<std::size_t>(phase)];
}

double needed_seconds(const StepOutcome& outcome) noexcept {
  const std::int64_t without_core =
      outcome.core_wait_ns < 0 ? 0 : outcome.compute_ns - outcome.core_wait_ns;
  return static_cast<double>(std::max(outcome.work_ns, without_core)) * 1e-9;
}

void add_outcome(const StepOutcome& outcome, RankStep& step) noexcept {
  step.needed = outcome.work_ns > 0 ? needed_seconds(outcome) : 0;
  const auto seconds = [](std::int64_t ns) {
    return 1e-9 * static_cast<double>(std::max<std::int64_t>(ns, 0));
  };
  step.core_wait = seconds(outcome.core_wait_ns);
  step.transfer_core_wait = seconds(outcome.transfer_core_wait_ns);
  step.input_core_wait = seconds(outcome.input_core_wait_ns);
}

double RankStep::late_transfers() const noexcept {
  double sum = 0;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    if (carries_transfers(static_cast<graph::Lane>(lane))) sum += lanes[lane].late;
  }
  return sum;
}

RankStep rank_step(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                   double seconds) {
  return rank_step(LaneOrder(plan), records, seconds);
}

RankStep rank_step(const LaneOrder& order, std::span<const TaskRecord> records, double seconds) {
  const plan::StepPlan& plan = order.plan();
  RankStep step{.times = step_times(order, records, seconds)};
  for (const std::uint32_t id : order.tasks(graph::Lane::compute)) {
    const graph::Phase phase = plan.op(plan.tasks()[id]).phase;
    step.phases[static_cast<std::size_t>(phase)] +=
        seconds_between(records[id].start_ns, records[id].done_ns);
  }
  const std::vector<Interval> computing = compute_intervals(order, records);
  for (std::size_t lane = 0; lane < step.lanes.size(); ++lane)
    step.lanes[lane] = lane_time(static_cast<graph::Lane>(lane), order, records, computing);
  return step;
}

}  // namespace megascale::observe
