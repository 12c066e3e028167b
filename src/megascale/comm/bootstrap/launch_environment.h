#ifndef MEGASCALE_COMM_BOOTSTRAP_LAUNCH_ENVIRONMENT_H_
#define MEGASCALE_COMM_BOOTSTRAP_LAUNCH_ENVIRONMENT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "megascale/comm/store/address.h"

namespace megascale::comm {

// The place of this process in a job, as its launcher describes it by environment variables. For
// each item the first variable that is set counts:
//
//   rank, size, local    RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE (torchrun, or set by hand;
//                        without LOCAL_RANK and LOCAL_WORLD_SIZE: one process per host)
//                        OMPI_COMM_WORLD_{RANK,SIZE,LOCAL_RANK,LOCAL_SIZE} (Open MPI)
//                        PMI_RANK PMI_SIZE MPI_LOCALRANKID MPI_LOCALNRANKS (MPICH)
//                        SLURM_PROCID SLURM_STEP_NUM_TASKS or SLURM_NTASKS, SLURM_LOCALID, and
//                        SLURM_STEP_TASKS_PER_NODE with SLURM_NODEID (inside srun only)
//                        PMIX_RANK with WORLD_SIZE (another PMIx launcher)
//   store                MEGASCALE_STORE (address.h)
//                        MASTER_ADDR MASTER_PORT (MASTER_PORT + 1 if torchrun's store uses it)
//                        otherwise a port that is computed from the job's id, on the loopback
//                        address if all ranks are on this host, else on the first host of
//                        SLURM_STEP_NODELIST
//   store's process      MEGASCALE_STORE_BY: rank0 (default) or launcher
//   job                  MEGASCALE_JOB_ID, TORCHELASTIC_RUN_ID, SLURM_JOB_ID and SLURM_STEP_ID,
//                        PMIX_NAMESPACE, OMPI_MCA_ess_base_jobid
//   restart              MEGASCALE_RESTART_COUNT, TORCHELASTIC_RESTART_COUNT, SLURM_RESTART_COUNT
//
// The secret is read separately, by JobSecret::from_environment().
struct LaunchEnvironment {
  std::uint32_t rank = 0, world_size = 1;
  std::uint32_t local_rank = 0, local_world_size = 1;  // among the ranks of this host
  StoreAddress store;
  bool launcher_runs_store = false;  // false: rank 0 runs the store, if it is the embedded kind
  std::string job;  // "ID#RESTARTS": a restart of the same job is a different launch
};

// Returns the value of an environment variable, or null if it is not set.
using Lookup = std::function<const char*(const char*)>;

// Returns nothing if no launcher has given this process a rank. Throws Error (bad_usage), which
// names the variables that are missing, malformed or contradictory, all at once if possible.
[[nodiscard]] std::optional<LaunchEnvironment> read_launch_environment(const Lookup& lookup);
// Reads the environment of this process.
[[nodiscard]] std::optional<LaunchEnvironment> read_launch_environment();

// Returns the first host of a Slurm node list: "r[2-3]n[07-12,14],x" -> "r2n07".
[[nodiscard]] std::string first_host(std::string_view node_list);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BOOTSTRAP_LAUNCH_ENVIRONMENT_H_
