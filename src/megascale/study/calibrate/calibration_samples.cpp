// Turns task records into samples of cost. For a compute task the sample is its own time. For a
// transfer it is the time of the whole group: from the moment when its last member was ready until
// its last member was done. The records of all members are therefore combined first.
#include "megascale/study/calibrate/calibration_samples.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "megascale/simulate/compute_costs.h"
#include "megascale/simulate/transfer_costs.h"
#include "megascale/study/measure/step_measurement.h"

namespace megascale::study {
namespace {

using Records = std::span<const TaskRecord>;
using LaneTasks = std::array<std::vector<std::uint32_t>, graph::kLaneCount>;

// Returns the task ids of each lane, in lane order.
LaneTasks lanes_of(const plan::StepPlan& plan) {
  LaneTasks lanes;
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id)
    lanes[static_cast<std::size_t>(plan.op(plan.tasks()[id]).lane)].push_back(id);
  return lanes;
}

double seconds(std::int64_t begin_ns, std::int64_t end_ns) {
  return 1e-9 * static_cast<double>(end_ns - begin_ns);
}

// Returns the task that satisfied the last wait of task `id`. Returns nothing if task `id` did not
// have to wait.
std::optional<std::uint32_t> waited_for(const plan::StepPlan& plan, const LaneTasks& lanes,
                                        std::uint32_t id, Records records) {
  if (records[id].last_wait == TaskRecord::kNoWait) return std::nullopt;
  const plan::Wait wait = plan.waits(plan.tasks()[id])[records[id].last_wait];
  return lanes[static_cast<std::size_t>(wait.lane)][wait.count - 1];
}

// Returns the time from which task `id` could have started: it was the head of its lane, and its
// waits were satisfied.
std::int64_t ready_ns(const plan::StepPlan& plan, const LaneTasks& lanes, std::uint32_t id,
                      Records records) {
  const auto other = waited_for(plan, lanes, id, records);
  return other ? std::max(records[id].head_ns, records[*other].done_ns) : records[id].head_ns;
}

// One transfer of a group, combined from the records of its members. Nanoseconds.
struct Meeting {
  std::int64_t ready = 0, done = 0;
  double nbytes = 0;  // the most that one member fetches
  std::string kind;
};

struct Mean {
  double sum = 0, count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  [[nodiscard]] double value() const { return sum / count; }
};

// Adds one sample for `all_seconds.size()` tasks: their median.
void add_median(const std::string& kind, double work, std::vector<double> all_seconds,
                std::vector<simulate::WorkSample>& samples) {
  const double tasks = static_cast<double>(all_seconds.size());
  samples.push_back({kind, work, spread_of(std::move(all_seconds)).median, tasks});
}

}  // namespace

std::vector<plan::VerifiedPlan> plans_of(const job::JobPlan& job) {
  std::vector<plan::VerifiedPlan> plans;
  for (std::uint32_t rank = 0; rank < job.grid.world_size(); ++rank)
    plans.push_back(job.plan_of(rank, job.train_verification));
  return plans;
}

void add_compute_samples(std::span<const plan::VerifiedPlan> ranks, const observe::RunRecords& run,
                         CalibrationSamples& samples) {
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    const plan::StepPlan& plan = ranks[run.ranks[r]].plan();
    std::map<std::size_t, std::vector<Mean>> by_op;  // for each op: a mean for each step
    for (std::size_t s = 0; s < run.steps[r].size(); ++s) {
      const Records records = run.steps[r][s].records;
      Mean launch;
      bool first =
          true;  // the first task is no sample: it waits until the rank's threads are awake
      for (std::uint32_t id = 0; id < records.size(); ++id) {
        const plan::Task& task = plan.tasks()[id];
        if (plan.op(task).lane != graph::Lane::compute) continue;
        const TaskRecord& record = records[id];
        auto& means = by_op[plan::index(task.op)];
        means.resize(run.steps[r].size());
        means[s].add(seconds(record.start_ns, record.done_ns));
        if (!first && record.last_wait == TaskRecord::kNoWait)
          launch.add(seconds(record.head_ns, record.start_ns));
        first = false;
      }
      if (launch.count > 0) samples.launch_seconds.push_back(launch.value());
    }
    for (const auto& [index, means] : by_op) {
      const plan::PlanOp& op = plan.ops()[index];
      const double nbytes = simulate::bytes_touched(op), flops = op.cost.flops;
      std::vector<double> of_steps;
      for (const Mean& mean : means) of_steps.push_back(mean.value());
      (flops > 0 ? samples.by_flops : samples.by_bytes)
          .push_back({.kind = std::string(op.def->name),
                      .work = flops > 0 ? flops : nbytes,
                      .seconds = spread_of(std::move(of_steps)).median,
                      .tasks = means.front().count * static_cast<double>(means.size()),
                      .nbytes = flops > 0 ? nbytes : 0});
    }
  }
}

void add_transfer_samples(std::span<const plan::VerifiedPlan> ranks, const observe::RunRecords& run,
                          CalibrationSamples& samples) {
  // Key: group, number of the transfer in its step, step.
  std::map<std::tuple<std::string, std::uint32_t, std::size_t>, Meeting> meetings;
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    const plan::VerifiedPlan& rank = ranks[run.ranks[r]];
    const plan::StepPlan& plan = rank.plan();
    const LaneTasks lanes = lanes_of(plan);
    for (std::size_t s = 0; s < run.steps[r].size(); ++s) {
      const Records records = run.steps[r][s].records;
      std::map<std::size_t, std::uint32_t> sequence;  // transfers so far, by communicator
      for (std::uint32_t id = 0; id < records.size(); ++id) {
        const plan::PlanOp& op = plan.op(plan.tasks()[id]);
        if (!op.def->transfer) {
          const auto other = waited_for(plan, lanes, id, records);
          if (op.lane == graph::Lane::compute && other &&
              plan.op(plan.tasks()[*other]).def->transfer) {
            samples.wake_seconds.push_back(seconds(
                std::max(records[id].head_ns, records[*other].done_ns), records[id].start_ns));
          }
          continue;
        }
        const auto& group = rank.binding().communicators[plan::index(op.communicator)];
        const std::uint32_t number = sequence[plan::index(op.communicator)]++;
        Meeting& meeting = meetings[{group.key, number, s}];
        meeting.ready = std::max(meeting.ready, ready_ns(plan, lanes, id, records));
        meeting.done = std::max(meeting.done, records[id].done_ns);
        meeting.nbytes =
            std::max(meeting.nbytes, simulate::bytes_fetched(op, group.members.size()));
        if (op.def->transfer->takes) meeting.kind = op.def->name;
      }
    }
  }
  std::map<std::pair<std::string, double>, std::vector<double>> alike;  // key: kind, bytes
  for (const auto& [key, meeting] : meetings)
    alike[{meeting.kind, meeting.nbytes}].push_back(seconds(meeting.ready, meeting.done));
  for (auto& [key, all_seconds] : alike)
    add_median(key.first, key.second, std::move(all_seconds), samples.transfers);
}

}  // namespace megascale::study
