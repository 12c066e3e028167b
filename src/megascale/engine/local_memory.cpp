// Adds up what the ranks of a job need on one host, stage by stage, since the ranks of a stage have
// one plan.
#include "megascale/engine/local_memory.h"

#include <fmt/format.h>

#include "megascale/base/local_ranks.h"
#include "megascale/engine/state_snapshot.h"

namespace megascale::engine {

std::uint64_t state_copies(const Config& config) noexcept {
  constexpr std::uint64_t kInMemory = 3;
  return 1 + (config.checkpoint.memory_interval != 0 ? kInMemory : 0);
}

std::uint64_t local_nbytes(const job::JobPlan& job, std::uint64_t state_copies) {
  std::uint64_t nbytes = 0;
  for (std::uint32_t rank = 0; rank < job.grid.world_size(); ++rank) {
    const job::StagePlan& stage = job.stage_of(rank);
    if (job.kernels.device == kernels::Device::cpu) nbytes += stage.arena_nbytes;
    nbytes += state_copies *
              SnapshotLayout(stage.state, job.grid.sizes(), job.grid.coordinates(rank)).nbytes();
  }
  return nbytes;
}

std::string memory_problem(const job::JobPlan& job, const MemoryLimit& limit,
                           std::uint64_t state_copies) {
  const bool is_local = job.grid.world_size() <= kMostLocalRanks;
  const std::uint32_t ranks = is_local ? job.grid.world_size() : 1;
  const bool on_cpu = job.kernels.device == kernels::Device::cpu;
  const std::uint64_t nbytes = is_local ? local_nbytes(job, state_copies)
                               : on_cpu ? job.arena_nbytes()
                                        : 0;
  const MemoryVerdict verdict = judge_memory(nbytes, limit);
  if (verdict.fit != MemoryFit::no) return "";
  return fmt::format(
      "memory: {} {} bytes for arenas and for copies of the state (checkpoints), {}{}",
      ranks == 1 ? "a rank needs" : fmt::format("the {} ranks need", ranks), nbytes, verdict.why,
      ranks == 1 ? "" : "; a launcher (mpirun, srun, torchrun) can divide them among hosts");
}

}  // namespace megascale::engine
