// Attributes idle time with one pass over the tasks in issue order. A wait names a lane and a
// count; the task that satisfied it is the count-th task of that lane. Waits point backwards in
// issue order, so this task has been seen before.
#include "megascale/observe/blame.h"

#include <algorithm>
#include <array>
#include <vector>

namespace megascale::observe {
namespace {

double seconds_of(std::int64_t from, std::int64_t to) {
  return to > from ? static_cast<double>(to - from) * 1e-9 : 0.0;
}

class Blame {
 public:
  Blame(const plan::StepPlan& plan, std::span<const TaskRecord> records)
      : plan_(plan), records_(records) {}

  IdleTime run() {
    for (std::uint32_t id = 0; id < plan_.tasks().size(); ++id) {
      const graph::Lane lane = plan_.op(plan_.tasks()[id]).lane;
      lanes_[static_cast<std::size_t>(lane)].push_back(id);
      if (lane == graph::Lane::compute && records_[id].last_wait != TaskRecord::kNoWait)
        blame_wait_of(id);
    }
    return idle_;
  }

 private:
  struct Place {
    std::size_t lane = 0, index = 0;  // the index-th task of the lane
  };

  [[nodiscard]] std::uint32_t task_at(Place place) const { return lanes_[place.lane][place.index]; }
  [[nodiscard]] bool is_transfer(Place place) const {
    return plan_.op(plan_.tasks()[task_at(place)]).def->transfer != nullptr;
  }
  // Returns the task that satisfied the task's last wait.
  [[nodiscard]] Place awaited_by(std::uint32_t task) const {
    const plan::Wait wait = plan_.waits(plan_.tasks()[task])[records_[task].last_wait];
    return {static_cast<std::size_t>(wait.lane), wait.count - 1};
  }

  void blame_wait_of(std::uint32_t task) {
    const TaskRecord& record = records_[task];
    const Place culprit = awaited_by(task);
    if (is_transfer(culprit)) {
      blame_transfer(culprit, record.head_ns, record.start_ns);
    } else if (culprit.lane == static_cast<std::size_t>(graph::Lane::host_in)) {
      idle_.data_wait_seconds += seconds_of(record.head_ns, record.start_ns);
    }
  }

  // Attributes the idle time [from, to), which ended with the transfer at `place`. Goes back
  // through the transfers that held each other up, until it reaches `from`.
  void blame_transfer(Place place, std::int64_t from, std::int64_t to) {
    while (true) {
      const std::uint32_t task = task_at(place);
      const TaskRecord& record = records_[task];
      const std::int64_t moved = std::min(moving_since(record), to);
      idle_.exposed_comm_seconds += seconds_of(std::max(from, moved), to);
      const std::int64_t start = std::min(record.start_ns, moved);
      idle_.bubble_seconds += seconds_of(std::max(from, start), moved);
      to = start;
      if (from >= to) return;
      // Between the head of its lane and its start it waited for another task.
      if (record.head_ns < to && record.last_wait != TaskRecord::kNoWait) {
        const Place awaited = awaited_by(task);
        if (!is_transfer(awaited)) break;
        place = awaited;
      } else {
        to = std::min(to, record.head_ns);
        if (from >= to) return;
        if (place.index == 0) break;
        --place.index;
        if (!is_transfer(place)) break;
      }
    }
    idle_.bubble_seconds += seconds_of(from, to);
  }

  const plan::StepPlan& plan_;
  std::span<const TaskRecord> records_;
  std::array<std::vector<std::uint32_t>, graph::kLaneCount> lanes_;
  IdleTime idle_;
};

}  // namespace

IdleTime blame(const plan::StepPlan& plan, std::span<const TaskRecord> records) {
  return Blame(plan, records).run();
}

}  // namespace megascale::observe
