// Adds up what the ranks of a job need on one host, stage by stage, since the ranks of a stage have
// one plan.
#include "megascale/engine/local_memory.h"

#include <fmt/format.h>

#include <vector>

#include "megascale/base/local_ranks.h"
#include "megascale/engine/state_snapshot.h"
#include "megascale/runtime/task_repeater.h"

namespace megascale::engine {

std::uint64_t state_copies(const Config& config) noexcept {
  constexpr std::uint64_t kInMemory = 3;
  return 1 + (config.checkpoint.memory_interval != 0 ? kInMemory : 0);
}

std::uint64_t repeat_nbytes(const job::JobPlan& job, std::size_t stage, const Config& config) {
  if (config.train.repeat_interval == 0 || !job.train_verification.violations.empty()) return 0;
  return runtime::TaskRepeater::nbytes_for(
      job.plan_of(job.first_rank_of(stage), job.train_verification));
}

std::uint64_t local_nbytes(const job::JobPlan& job, const Config& config) {
  std::vector<std::uint64_t> repeat;  // by stage
  for (std::size_t stage = 0; stage < job.stages.size(); ++stage)
    repeat.push_back(repeat_nbytes(job, stage, config));
  std::uint64_t nbytes = 0;
  for (std::uint32_t rank = 0; rank < job.grid.world_size(); ++rank) {
    const job::StagePlan& stage = job.stage_of(rank);
    if (job.kernels.device == kernels::Device::cpu) nbytes += stage.arena_nbytes;
    nbytes += repeat[static_cast<std::size_t>(&stage - job.stages.data())];
    nbytes += state_copies(config) *
              SnapshotLayout(stage.state, job.grid.sizes(), job.grid.coordinates(rank)).nbytes();
  }
  return nbytes;
}

std::string memory_problem(const job::JobPlan& job, const MemoryLimit& limit,
                           const Config& config) {
  const bool is_local = job.grid.world_size() <= kMostLocalRanks;
  const std::uint32_t ranks = is_local ? job.grid.world_size() : 1;
  const bool on_cpu = job.kernels.device == kernels::Device::cpu;
  const std::uint64_t nbytes = is_local ? local_nbytes(job, config)
                               : on_cpu ? job.arena_nbytes()
                                        : 0;
  const MemoryVerdict verdict = judge_memory(nbytes, limit);
  if (verdict.fit != MemoryFit::no) return "";
  return fmt::format(
      "memory: {} {} bytes for arenas and copies (checkpoints, tasks done twice), {}{}",
      ranks == 1 ? "a rank needs" : fmt::format("the {} ranks need", ranks), nbytes, verdict.why,
      ranks == 1 ? "" : "; a launcher (mpirun, srun, torchrun) can divide them among hosts");
}

}  // namespace megascale::engine
