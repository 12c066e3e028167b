#ifndef MEGASCALE_ENGINE_HOST_LOADER_H_
#define MEGASCALE_ENGINE_HOST_LOADER_H_

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "megascale/comm/process/host_memory.h"
#include "megascale/engine/arena.h"
#include "megascale/engine/host_batches.h"
#include "megascale/job/job_plan.h"

// The batches that ranks of one host have in common: tensor, context and pipeline ranks of one data
// rank take the same samples.
namespace megascale::engine {

// Of one plan of a job (training, evaluation), for all its ranks, which are threads of this
// process.
class HostLoader {
 public:
  // Throws Error (out_of_memory).
  HostLoader(const Config& config, const job::JobPlan& job, plan::BuiltPlan job::StagePlan::*built);
  [[nodiscard]] HostSeat seat(std::uint32_t rank) const { return seats_[rank]; }

 private:
  struct Group {
    Group(const HostBatches::Shape& shape, const HostBatches::Waiting& waiting)
        : memory(HostBatches::nbytes(shape)), batches(memory.bytes(), shape, waiting) {}
    Arena memory;
    HostBatches batches;
  };
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<HostSeat> seats_;  // by rank
};

// Of both plans of a job, for one rank that is a process.
class ProcessLoader {
 public:
  // What the rank has in common with those of its host; of no bytes where it reads nothing.
  [[nodiscard]] static comm::HostMemory::Request request(const Config& config,
                                                         const job::JobPlan& job,
                                                         std::uint32_t rank);
  // `memory`: what came of the request, and outlives this; null: the rank reads for itself.
  ProcessLoader(const Config& config, const job::JobPlan& job, std::uint32_t rank,
                comm::HostMemory* memory);
  ProcessLoader(const ProcessLoader&) = delete;
  ProcessLoader& operator=(const ProcessLoader&) = delete;
  [[nodiscard]] HostSeat train_seat() const noexcept { return seats_[0]; }
  [[nodiscard]] HostSeat validation_seat() const noexcept { return seats_[1]; }

 private:
  std::array<std::optional<HostBatches>, 2> batches_;  // of training and evaluation
  std::array<HostSeat, 2> seats_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_HOST_LOADER_H_
