#ifndef MEGASCALE_COMM_BOOTSTRAP_LAUNCH_ENVIRONMENT_H_
#define MEGASCALE_COMM_BOOTSTRAP_LAUNCH_ENVIRONMENT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "megascale/comm/store/address.h"

namespace megascale::comm {

// What the launcher's environment says about this process. Variables, the first that is there
// counts:
//
//   rank, size, local    RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE (torchrun and by hand; without
//                        the local ones: one process per host)
//                        OMPI_COMM_WORLD_{RANK,SIZE,LOCAL_RANK,LOCAL_SIZE} (Open MPI)
//                        PMI_RANK PMI_SIZE MPI_LOCALRANKID MPI_LOCALNRANKS (MPICH)
//                        SLURM_PROCID SLURM_STEP_NUM_TASKS or SLURM_NTASKS, SLURM_LOCALID, and
//                        SLURM_STEP_TASKS_PER_NODE with SLURM_NODEID (inside srun only)
//                        PMIX_RANK with WORLD_SIZE (another PMIx launcher)
//   store                MEGASCALE_STORE (address.h)
//                        MASTER_ADDR MASTER_PORT; the port after it where torchrun's own store has
//                        it the first host of SLURM_STEP_NODELIST, or the loopback address where
//                        all ranks are on this host, and a port that follows from the job's id
//   who runs it          MEGASCALE_STORE_BY: rank0 (as without it) or launcher
//   job                  MEGASCALE_JOB_ID, TORCHELASTIC_RUN_ID, SLURM_JOB_ID and SLURM_STEP_ID,
//                        PMIX_NAMESPACE, OMPI_MCA_ess_base_jobid
//   its start            MEGASCALE_RESTART_COUNT, TORCHELASTIC_RESTART_COUNT, SLURM_RESTART_COUNT
//
// The secret is read apart: JobSecret::from_environment().
struct LaunchEnvironment {
  std::uint32_t rank = 0, world_size = 1;
  std::uint32_t local_rank = 0, local_world_size = 1;  // among the ranks of this host
  StoreAddress store;
  bool launcher_runs_store = false;  // else rank 0 does, where it is the embedded kind
  std::string job;  // id and start: another start of the same job is another launch
};

// A variable's value, or null where it is not set.
using Lookup = std::function<const char*(const char*)>;

// Null: nothing says that this process is one of several. Throws Error (bad_usage) that names what
// is missing, malformed or contradictory; all of it at once where possible.
[[nodiscard]] std::optional<LaunchEnvironment> read_launch_environment(const Lookup& lookup);
// Of this process.
[[nodiscard]] std::optional<LaunchEnvironment> read_launch_environment();

// The first host of a Slurm list: "r[2-3]n[07-12,14],x" -> "r2n07".
[[nodiscard]] std::string first_host(std::string_view node_list);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BOOTSTRAP_LAUNCH_ENVIRONMENT_H_
