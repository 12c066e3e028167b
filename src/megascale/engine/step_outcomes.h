#ifndef MEGASCALE_ENGINE_STEP_OUTCOMES_H_
#define MEGASCALE_ENGINE_STEP_OUTCOMES_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/base/state_digest.h"
#include "megascale/base/step_numbers.h"
#include "megascale/base/step_outcome.h"
#include "megascale/base/task_function.h"
#include "megascale/base/task_record.h"
#include "megascale/plan/model_state.h"
#include "megascale/plan/step_plan.h"

namespace megascale::engine {

// Says what came of each step of a rank: loss and norm, how long it has computed, whether its state
// has changed between two updates, and digests of the state that it shares with other ranks. Those are the buckets that are not cut into shards and
// whose gradients are summed over ranks: every rank of such a group updates its own copy by itself.
// Used by the rank's thread.
class StepOutcomes {
 public:
  // `functions`: of the plan's ops. `plan` and they must outlive this object.
  StepOutcomes(const plan::StepPlan& plan, const plan::ModelState& state,
               const graph::Coordinates& coordinates, std::span<TaskFunction* const> functions);
  // Returns the names of the groups (OutcomeTableHeader::groups).
  [[nodiscard]] const std::array<std::uint64_t, kReplicaGroups>& groups() const noexcept {
    return groups_;
  }
  // Completes the outcome of the step that has just ended. `records` may be empty.
  [[nodiscard]] StepOutcome of(StepOutcome outcome, const UpdateScalars& scalars,
                               std::span<const TaskRecord> records) noexcept;

 private:
  struct Updater {
    UpdatesState* function = nullptr;
    std::size_t group = kReplicaGroups;  // kReplicaGroups: its state is not shared
    std::uint64_t written = 0;           // by the last update; 0: there was none yet
  };
  std::array<std::uint64_t, kReplicaGroups> groups_{};
  std::vector<Updater> updaters_;
  std::vector<std::uint32_t> computations_, transfers_;  // task numbers
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_STEP_OUTCOMES_H_
