#ifndef MEGASCALE_LAUNCH_SCHEDULER_SLURM_H_
#define MEGASCALE_LAUNCH_SCHEDULER_SLURM_H_

#include <string>
#include <vector>

#include "megascale/launch/scheduler/cluster_job.h"

namespace megascale::launch {

struct SlurmJob {
  ClusterJob job;
  std::string time;                  // the time limit, as sbatch takes it; empty: the partition's
  std::vector<std::string> options;  // further options of sbatch, such as "--partition=gpu"
};

// Returns the batch script of a job. The driver runs on the first node of the allocation, and srun
// starts an executor on each node. The script
//   - makes the cluster's authority if there is none, and lets each node join with a token of its own;
//   - starts the driver again if it dies;
//   - lets the job stop and save `save_seconds` before the time limit, and puts it back into the queue
//     (scontrol requeue): it goes on from its checkpoint;
//   - ends with the job's exit code. With exit code 3 (restarts do not help) or 2 it forbids that
//     Slurm requeues the job.
// If a node fails, Slurm requeues the job; with spares the job goes on without that node. Throws Error
// (bad_usage) if an option is no option of sbatch, or a value has an end of line.
[[nodiscard]] std::string slurm_script(const SlurmJob& job);

// Hands a script over to sbatch. Returns the number of the job. Throws Error (failed) with what
// sbatch says, or if there is no sbatch.
[[nodiscard]] std::string sbatch(const std::string& script);

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_SCHEDULER_SLURM_H_
