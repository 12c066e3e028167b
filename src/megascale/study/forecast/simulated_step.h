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
#include "megascale/simulate/expert_loads.h"
#include "megascale/simulate/jitter.h"
#include "megascale/study/statistics.h"

// Predicts a step of a job on a described cluster: plans the job, simulates the plan, and
// summarizes the result. `megascale simulate`, `tune` and `calibrate` are built on it.
namespace megascale::study {

struct SimulatedStepOptions {
  std::map<std::int64_t, double> slow_nodes;  // node -> speed of its devices, if not 1
  // Number of consecutive steps. 0: 3 steps, or 17 if the cluster file has jitter. The last step is
  // reported; with jitter the median of all but the first.
  std::uint32_t steps = 0;
  std::uint32_t threads = 1;
  // Simulates every rank instead of one rank of each class. Jitter, shared hosts, keeps_records and
  // uneven expert_loads imply it.
  bool unfolded = false;
  bool keeps_records = false;              // fills in SimulatedStep::plans and records
  std::optional<simulate::Jitter> jitter;  // absent: the jitter of the cluster file
  // How the router spreads its choices; even unless set.
  simulate::ExpertLoads expert_loads;
  // Directory for the records of the last step, in the files of a run directory. Empty: not
  // written.
  std::filesystem::path keep_dir;
};

// Ranks of one stage with the same speed and equal busy and idle times.
struct SimulatedRanks {
  std::uint32_t rank = 0, count = 0;  // the first of these ranks; their number
  std::size_t stage = 0;
  double speed = 1;  // speed of the device, 1 if its node is not slow
  observe::IdleTime idle;
  double busy_seconds = 0;  // summed time of the compute lane's tasks
  std::vector<observe::OpTime> ops;
};

// The simulated step.
struct SimulatedStep {
  double seconds = 0;  // of the last step; with jitter the median of all steps but the first
  std::vector<double> seconds_by_step;  // of every simulated step
  simulate::Jitter jitter;
  std::uint32_t world_size = 0;
  std::int64_t nodes = 0;
  plan::StepFlops flops;  // of all ranks
  double peak_flops = 0;  // FLOP/s of a rank's device (or share of a host), in the model's dtype
  std::uint64_t arena_nbytes = 0;  // of the rank with the largest arena
  bool fits = false;  // arenas fit in a device's memory; or those of a host's ranks in the host's
  std::size_t simulated_ranks = 0;
  std::uint64_t tasks = 0;
  double wall_seconds = 0;  // real time that the simulation took
  std::vector<SimulatedRanks> ranks;
  // With keeps_records: the plan of each rank, and the records of its last step.
  std::vector<std::shared_ptr<const plan::StepPlan>> plans;
  std::vector<std::vector<TaskRecord>> records;

  // Returns `all_flops` of a step as a share of the FLOPs that all devices could do in its time.
  [[nodiscard]] double of_peak(double all_flops) const noexcept {
    return all_flops / seconds / (peak_flops * world_size);
  }
  // Returns the spread over all steps but the first, which cannot overlap with a step before it. If
  // there is only one step, it is used.
  [[nodiscard]] Spread steady_seconds() const;
  // Returns the mean of one kind of idle time over the ranks in `ranks`. If every rank is
  // simulated, `ranks` has only the first rank of each stage and the slow ranks.
  [[nodiscard]] double mean(double observe::IdleTime::*kind) const noexcept;
  // Returns the share of the step in which the compute lane waits for other ranks; a mean over the
  // ranks.
  [[nodiscard]] double waits_share() const noexcept {
    return (mean(&observe::IdleTime::exposed_comm_seconds) +
            mean(&observe::IdleTime::bubble_seconds)) /
           seconds;
  }
};

// Simulates steps of one job. The job is planned once, so several runs with different options are
// cheap.
class StepSimulator {
 public:
  // `config` must be resolved and valid. Both arguments must outlive the simulator. Throws Error if
  // the plan fails verification, and Error (bad_usage) if the cluster's kernels were measured with
  // another number of threads per rank than the configuration has, or if the configuration has fused
  // pairs and the cluster file says nothing of them.
  StepSimulator(const Config& config, const simulate::Cluster& cluster);
  // Simulates the job. Throws Error.
  [[nodiscard]] SimulatedStep run(const SimulatedStepOptions& options = {}) const;
  // Returns the bytes that must fit in the memory of a device: of the rank with the largest arena,
  // or of all ranks of a host.
  [[nodiscard]] std::uint64_t needed_nbytes() const noexcept;
  // Returns the verified plans that are simulated.
  [[nodiscard]] const job::JobPlan& planned() const noexcept { return planned_; }

 private:
  const Config& config_;
  const simulate::Cluster& cluster_;
  const job::JobPlan planned_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_SIMULATED_STEP_H_
