#include "megascale/engine/host_loader.h"

#include <map>

namespace megascale::engine {

HostLoader::HostLoader(const Config& config, const JobPlan& job, plan::BuiltPlan StagePlan::*built)
    : seats_(job.grid.world_size()) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> ranks_of;  // by data rank
  for (std::uint32_t rank = 0; rank < job.grid.world_size(); ++rank) {
    // A stage in the middle of the pipeline may read nothing.
    if ((job.stage_of(rank).*built).batch.fields.empty()) continue;
    ranks_of[job.grid.coordinates(rank)[static_cast<std::size_t>(graph::Axis::data)]].push_back(
        rank);
  }
  for (const auto& [data_rank, ranks] : ranks_of) {
    if (ranks.size() == 1) continue;
    const HostBatches::Shape shape{.members = static_cast<std::uint32_t>(ranks.size()),
                                   .micro_batches = (job.stages[0].*built).batch.micro_batches,
                                   .tokens = static_cast<std::uint64_t>(
                                       config.train.micro_batch_size * config.model.seq_length)};
    groups_.push_back(std::make_unique<Group>(
        shape, std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::duration<double>(config.control.timeout_seconds))));
    for (std::uint32_t member = 0; member < ranks.size(); ++member) {
      seats_[ranks[member]] = {&groups_.back()->batches, member};
    }
  }
}

}  // namespace megascale::engine
