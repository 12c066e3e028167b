#ifndef MEGASCALE_ENGINE_HOST_LOADER_H_
#define MEGASCALE_ENGINE_HOST_LOADER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "megascale/comm/process/host_memory.h"
#include "megascale/engine/arena.h"
#include "megascale/engine/host_batches.h"
#include "megascale/job/job_plan.h"

// Decides which ranks of a host share their batches (HostBatches) and gives them the memory for it.
// Ranks that differ only in their tensor, context and pipeline coordinates take the same samples.
namespace megascale::engine {

// The shared batches of all ranks of a job if the ranks are threads of this process. It serves one
// plan: `built` is &StagePlan::train or &StagePlan::evaluate. Immutable after construction.
class HostLoader {
 public:
  // Allocates the shared memory. Throws Error (out_of_memory).
  HostLoader(const Config& config, const job::JobPlan& job, plan::BuiltPlan job::StagePlan::*built);
  // Returns the seat of a rank. It refers to this object.
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

// A plan that reads batches: `built` is &StagePlan::train or &StagePlan::evaluate.
struct ReadingPlan {
  const job::JobPlan* job = nullptr;
  plan::BuiltPlan job::StagePlan::*built = nullptr;
};

// The shared batches of one rank that is a process, for several plans.
class ProcessLoader {
 public:
  // Returns the request for the memory that this rank shares with ranks of its host. It is empty if
  // this rank reads no samples, or if no other rank of the job reads the same ones.
  [[nodiscard]] static comm::HostMemory::Request request(const Config& config,
                                                         std::span<const ReadingPlan> plans,
                                                         std::uint32_t rank);
  // `memory` is the memory that was requested for the same plans; it must outlive this object. Null:
  // the rank reads its batches itself.
  ProcessLoader(const Config& config, std::span<const ReadingPlan> plans, std::uint32_t rank,
                comm::HostMemory* memory);
  ProcessLoader(const ProcessLoader&) = delete;
  ProcessLoader& operator=(const ProcessLoader&) = delete;
  // Returns the seat for a plan, by its number in `plans`.
  [[nodiscard]] HostSeat seat(std::size_t plan) const { return seats_[plan]; }

 private:
  std::vector<std::unique_ptr<HostBatches>> batches_;  // by plan; null: no rank here shares them
  std::vector<HostSeat> seats_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_HOST_LOADER_H_
