#ifndef MEGASCALE_OBSERVE_RANK_STEP_H_
#define MEGASCALE_OBSERVE_RANK_STEP_H_

#include <array>
#include <cstddef>
#include <span>

#include "megascale/base/step_outcome.h"
#include "megascale/base/task_record.h"
#include "megascale/observe/comparison.h"
#include "megascale/observe/lane_order.h"
#include "megascale/plan/step_plan.h"

// Reduces the records of one rank in one step to a few numbers, from which heat maps, reports and
// the search for slow ranks are made. All functions are pure.
namespace megascale::observe {

inline constexpr std::size_t kPhaseCount = 6;  // of graph::Phase
[[nodiscard]] std::string_view to_string(graph::Phase phase) noexcept;

// The time of the tasks of one lane. Seconds.
struct LaneTime {
  // In which the lane's tasks ran. A transfer counts from when all partners had started it.
  double busy = 0;
  // Of `busy`: the compute lane worked at the same time. Only for lanes of transfers.
  double hidden = 0;
  // A transfer had started on this rank, and a partner had not.
  double partner = 0;
  // A task was the first of its lane and all its waits were satisfied, and it had not started: the
  // thread of the lane was late.
  double late = 0;
  // The share of the lane's transfers that computation hid, 0 to 1; 1 if there were none.
  [[nodiscard]] double overlap_share() const noexcept { return busy > 0 ? hidden / busy : 1; }
};

struct RankStep {
  StepTimes times;
  std::array<double, kPhaseCount> phases{};  // time of the compute lane's tasks, by graph::Phase
  std::array<LaneTime, graph::kLaneCount> lanes{};
  // Of times.compute, what the rank needs whatever other programs do on its cores. 0: not known.
  double needed = 0;
  // For how long its threads that compute were ready to run and had no core. 0: not known.
  double core_wait = 0;
  // The same for its thread that serves transfers, and for the one that reads batches. 0: not known.
  double transfer_core_wait = 0, input_core_wait = 0;
  [[nodiscard]] double phase(graph::Phase phase) const noexcept {
    return phases[static_cast<std::size_t>(phase)];
  }
  [[nodiscard]] const LaneTime& lane(graph::Lane lane) const noexcept {
    return lanes[static_cast<std::size_t>(lane)];
  }
  // Lateness of all lanes that carry transfers.
  [[nodiscard]] double late_transfers() const noexcept;
};

// `records` has one record for each task of the plan; the step took `seconds`.
[[nodiscard]] RankStep rank_step(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                                 double seconds);
// The same for a caller that has many steps of one plan.
[[nodiscard]] RankStep rank_step(const LaneOrder& order, std::span<const TaskRecord> records,
                                 double seconds);

// Fills in `needed` and the waits for cores from the outcome of the step.
void add_outcome(const StepOutcome& outcome, RankStep& step) noexcept;
// Returns the seconds that the compute lane needed for a step. A rank that is throttled, or stopped for
// moments, uses no processor time meanwhile and waits for no core; its wall time shows the loss.
[[nodiscard]] double needed_seconds(const StepOutcome& outcome) noexcept;

// Returns whether tasks of the lane move bytes between ranks.
[[nodiscard]] bool carries_transfers(graph::Lane lane) noexcept;

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_RANK_STEP_H_
