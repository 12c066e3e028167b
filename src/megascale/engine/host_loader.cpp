// Finds the groups of ranks that take the same samples and makes a HostBatches for each. Ranks that
// are threads share one object per group. A rank that is a process does not know before the start
// which ranks are on its host. So it requests memory for all ranks that may share with it, and
// makes its objects for those that are really here.
#include "megascale/engine/host_loader.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>

#include "megascale/engine/batch_loader.h"

namespace megascale::engine {
namespace {

using Built = plan::BuiltPlan job::StagePlan::*;

// Returns the ranks that read the same samples as `rank`, ascending. `rank` is one of them unless
// it reads none.
std::vector<std::uint32_t> readers(const job::JobPlan& job, Built built, std::uint32_t rank) {
  using graph::Axis;
  auto ranks = job.grid.group(rank, {Axis::tensor, Axis::context, Axis::pipeline});
  // A stage in the middle of the pipeline may read nothing.
  std::erase_if(ranks,
                [&](std::uint32_t one) { return !has_samples((job.stage_of(one).*built).batch); });
  return ranks;
}

HostBatches::Shape shape_of(const Config& config, const job::JobPlan& job, Built built,
                            std::size_t members) {
  return {.members = static_cast<std::uint32_t>(members),
          .micro_batches = (job.stages[0].*built).batch.micro_batches,
          .tokens =
              static_cast<std::uint64_t>(config.train.micro_batch_size * config.model.seq_length)};
}

// A member waits for the reader for at most a tenth of control.timeout_seconds. So a reader that
// hangs delays the other members, but does not make their step time out.
HostBatches::Waiting waiting(const Config& config) {
  constexpr double kShare = 0.1;
  return {.at_most = std::chrono::duration_cast<std::chrono::nanoseconds>(
              std::chrono::duration<double>(kShare * config.control.timeout_seconds))};
}

}  // namespace

HostLoader::HostLoader(const Config& config, const job::JobPlan& job, Built built)
    : seats_(job.grid.world_size()) {
  for (std::uint32_t rank = 0; rank < seats_.size(); ++rank) {
    const auto ranks = readers(job, built, rank);
    if (ranks.size() < 2 || ranks.front() != rank) continue;
    groups_.push_back(
        std::make_unique<Group>(shape_of(config, job, built, ranks.size()), waiting(config)));
    for (std::uint32_t member = 0; member < ranks.size(); ++member)
      seats_[ranks[member]] = {&groups_.back()->batches, member};
  }
}

comm::HostMemory::Request ProcessLoader::request(const Config& config,
                                                 std::span<const ReadingPlan> plans,
                                                 std::uint32_t rank) {
  std::set<std::uint32_t> ranks;
  std::uint64_t nbytes = 0;
  for (const auto& [job, built] : plans) {
    const auto all = readers(*job, built, rank);
    ranks.insert(all.begin(), all.end());
    nbytes += HostBatches::nbytes(shape_of(config, *job, built, all.size()));
  }
  if (!ranks.contains(rank) || ranks.size() == 1) return {};
  return {.ranks = {ranks.begin(), ranks.end()}, .nbytes = nbytes};
}

ProcessLoader::ProcessLoader(const Config& config, std::span<const ReadingPlan> plans,
                             std::uint32_t rank, comm::HostMemory* memory)
    : batches_(plans.size()), seats_(plans.size()) {
  if (memory == nullptr) return;
  HostBatches::Waiting patience = waiting(config);
  patience.is_vain = [memory] { return memory->has_lost_a_rank(); };
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& [job, built] = plans[i];
    const auto all = readers(*job, built, rank);
    std::vector<std::uint32_t> here;
    std::set_intersection(all.begin(), all.end(), memory->ranks().begin(), memory->ranks().end(),
                          std::back_inserter(here));
    const auto me = std::find(here.begin(), here.end(), rank);
    if (here.size() > 1 && me != here.end()) {
      batches_[i] = std::make_unique<HostBatches>(
          memory->bytes().subspan(offset), shape_of(config, *job, built, here.size()), patience);
      seats_[i] = {batches_[i].get(), static_cast<std::uint32_t>(me - here.begin())};
    }
    // The size for all ranks, not only for those that are here: on every rank the next plan's
    // memory then begins at the same offset.
    offset += HostBatches::nbytes(shape_of(config, *job, built, all.size()));
  }
}

}  // namespace megascale::engine
