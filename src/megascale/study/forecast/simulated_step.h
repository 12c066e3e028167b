#ifndef MEGASCALE_STUDY_FORECAST_SIMULATED_STEP_H_
#define MEGASCALE_STUDY_FORECAST_SIMULATED_STEP_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/config/config.h"
#include "megascale/job/job_plan.h"
#include "megascale/observe/blame.h"
#include "megascale/observe/time_by_op.h"
#include "megascale/plan/flops.h"
#include "megascale/simulate/cluster.h"
#include "megascale/simulate/jitter.h"
#include "megascale/study/statistics.h"

namespace megascale::study {

struct SimulatedStepOptions {
  std::map<std::int64_t, double> slow_nodes;  // by node: the speed of its devices, where not 1
  // In a row; 0: 3, or 17 where they have the cluster's jitter. The last one counts, with jitter
  // all but the first.
  std::uint32_t steps = 0;
  std::uint32_t threads = 1;
  bool unfolded = false;  // every rank, not one of each class; so with jitter and on shared hosts
  bool keeps_records = false;              // SimulatedStep::plans and records; simulates every rank
  std::optional<simulate::Jitter> jitter;  // else what the cluster says
  std::filesystem::path keep_dir;  // gets the records of the last step, as a run leaves them
};

// Ranks of a stage that spend their time alike.
struct SimulatedRanks {
  std::uint32_t rank = 0, count = 0;  // the first of them
  std::size_t stage = 0;
  double speed = 1;
  observe::IdleTime idle;
  double busy_seconds = 0;
  std::vector<observe::OpTime> ops;
};

// A step of a job on a described cluster.
struct SimulatedStep {
  double seconds = 0;  // of the last one; with jitter the median of all but the first
  std::vector<double> seconds_by_step;  // of all that were simulated
  simulate::Jitter jitter;
  std::uint32_t world_size = 0;
  std::int64_t nodes = 0;
  plan::StepFlops flops;  // of all ranks
  double peak_flops = 0;  // of a rank's device, or its share of a host's, in the model's dtype
  std::uint64_t arena_nbytes = 0;  // of the largest rank
  bool fits = false;               // in a device's memory; all ranks of a host in the host's
  std::size_t simulated_ranks = 0;
  std::uint64_t tasks = 0;
  double wall_seconds = 0;  // that simulating took
  std::vector<SimulatedRanks> ranks;
  // By rank, where they were asked for: what it executed, and when.
  std::vector<std::shared_ptr<const plan::StepPlan>> plans;
  std::vector<std::vector<TaskRecord>> records;

  // All FLOPs of a step over what all devices could do in its time.
  [[nodiscard]] double of_peak(double all_flops) const noexcept {
    return all_flops / seconds / (peak_flops * world_size);
  }
  // Over all steps but the first, which has none before it to overlap with; of one, of that.
  [[nodiscard]] Spread steady_seconds() const;
  // Over the ranks in `ranks`: unfolded those are the first of each stage and the slow ones.
  [[nodiscard]] double mean(double observe::IdleTime::*kind) const noexcept;
  // Of the step: that the compute lane waits for other ranks, a mean over them.
  [[nodiscard]] double waits_share() const noexcept {
    return (mean(&observe::IdleTime::exposed_comm_seconds) +
            mean(&observe::IdleTime::bubble_seconds)) /
           seconds;
  }
};

// Simulates steps of one job, which it plans once.
class StepSimulator {
 public:
  // `config` resolved and valid; both must outlive the simulator. Throws Error: a plan that is not
  // proven; bad_usage: kernels that were measured with another number of threads than the
  // configuration's ranks have.
  StepSimulator(const Config& config, const simulate::Cluster& cluster);
  [[nodiscard]] SimulatedStep run(const SimulatedStepOptions& options = {}) const;

 private:
  const Config& config_;
  const simulate::Cluster& cluster_;
  const job::JobPlan planned_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_SIMULATED_STEP_H_
