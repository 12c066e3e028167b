// Attributes idle time with one pass over the compute lane. A wait names a lane and a count; the
// task that satisfied it is the count-th task of that lane.
#include "megascale/observe/blame.h"

#include <algorithm>
#include <utility>

namespace megascale::observe {
namespace {

double seconds_of(std::int64_t from, std::int64_t to) {
  return to > from ? static_cast<double>(to - from) * 1e-9 : 0.0;
}

// Calls `take(piece)` for every piece of idle time; pieces may be empty (to_ns <= from_ns).
template <class Take>
class Blame {
 public:
  Blame(const LaneOrder& order, std::span<const TaskRecord> records, Take take)
      : plan_(order.plan()), records_(records), order_(order), take_(std::move(take)) {}

  void run() {
    for (const std::uint32_t id : order_.tasks(graph::Lane::compute)) {
      if (records_[id].last_wait != TaskRecord::kNoWait) blame_wait_of(id);
    }
  }

 private:
  using Place = LaneOrder::Place;
  [[nodiscard]] bool is_transfer(Place place) const {
    return plan_.op(plan_.tasks()[order_.task_at(place)]).def->transfer != nullptr;
  }

  void blame_wait_of(std::uint32_t task) {
    const TaskRecord& record = records_[task];
    const Place culprit = order_.awaited_by(task, record.last_wait);
    task_ = task;
    if (is_transfer(culprit)) {
      blame_transfer(culprit, record.head_ns, record.start_ns);
    } else if (culprit.lane == static_cast<std::size_t>(graph::Lane::host_in)) {
      // Behind the batch's arrival the lane waits for a core.
      const std::uint32_t batch = order_.task_at(culprit);
      add(IdleCause::data_wait, record.head_ns, std::min(record.start_ns, records_[batch].done_ns),
          batch);
    }
  }

  // Attributes the idle time [from, to), which ended with the transfer at `place`. Goes back
  // through the transfers that held each other up, until it reaches `from`.
  void blame_transfer(Place place, std::int64_t from, std::int64_t to) {
    while (true) {
      const std::uint32_t task = order_.task_at(place);
      const TaskRecord& record = records_[task];
      const std::int64_t moved = std::min(moving_since(record), to);
      add(IdleCause::exposed_comm, std::max(from, moved), to, task);
      const std::int64_t start = std::min(record.start_ns, moved);
      add(IdleCause::bubble, std::max(from, start), moved, task);
      to = start;
      if (from >= to) return;
      // Between the head of its lane and its start it waited for another task.
      if (record.head_ns < to && record.last_wait != TaskRecord::kNoWait) {
        const Place awaited = order_.awaited_by(task, record.last_wait);
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
    add(IdleCause::bubble, from, to, order_.task_at(place));
  }

  void add(IdleCause cause, std::int64_t from, std::int64_t to, std::uint32_t culprit) {
    take_(IdlePiece{cause, from, to, task_, culprit});
  }

  const plan::StepPlan& plan_;
  std::span<const TaskRecord> records_;
  const LaneOrder& order_;
  Take take_;
  std::uint32_t task_ = 0;
};

}  // namespace

IdleTime blame(const plan::StepPlan& plan, std::span<const TaskRecord> records) {
  return blame(LaneOrder(plan), records);
}

IdleTime blame(const LaneOrder& order, std::span<const TaskRecord> records) {
  IdleTime idle;
  const auto take = [&idle](const IdlePiece& piece) {
    const double seconds = seconds_of(piece.from_ns, piece.to_ns);
    switch (piece.cause) {
      case IdleCause::exposed_comm:
        idle.exposed_comm_seconds += seconds;
        break;
      case IdleCause::bubble:
        idle.bubble_seconds += seconds;
        break;
      case IdleCause::data_wait:
        idle.data_wait_seconds += seconds;
        break;
    }
  };
  Blame(order, records, take).run();
  return idle;
}

std::string_view to_string(IdleCause cause) noexcept {
  switch (cause) {
    case IdleCause::exposed_comm:
      return "exposed_comm";
    case IdleCause::bubble:
      return "bubble";
    case IdleCause::data_wait:
      return "data_wait";
  }
  return "?";
}

std::vector<IdlePiece> idle_pieces(const plan::StepPlan& plan,
                                   std::span<const TaskRecord> records) {
  std::vector<IdlePiece> pieces;
  const auto take = [&pieces](const IdlePiece& piece) {
    if (piece.to_ns > piece.from_ns) pieces.push_back(piece);
  };
  const LaneOrder order(plan);
  Blame(order, records, take).run();
  return pieces;
}

}  // namespace megascale::observe
