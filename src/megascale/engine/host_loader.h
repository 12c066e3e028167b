#ifndef MEGASCALE_ENGINE_HOST_LOADER_H_
#define MEGASCALE_ENGINE_HOST_LOADER_H_

#include <memory>
#include <vector>

#include "megascale/engine/arena.h"
#include "megascale/engine/host_batches.h"
#include "megascale/engine/job_plan.h"

namespace megascale::engine {

// The batches that ranks of this host have in common, of one plan of a job (training, evaluation):
// tensor, context and pipeline ranks of one data rank take the same samples. Here the ranks are
// threads of one process.
class HostLoader {
 public:
  // For all ranks of the job. Throws Error (out_of_memory).
  HostLoader(const Config& config, const JobPlan& job, plan::BuiltPlan StagePlan::*built);
  [[nodiscard]] HostSeat seat(std::uint32_t rank) const { return seats_[rank]; }

 private:
  struct Group {
    Group(const HostBatches::Shape& shape, std::chrono::nanoseconds patience)
        : memory(HostBatches::nbytes(shape)), batches(memory.bytes(), shape, patience) {}
    Arena memory;
    HostBatches batches;
  };
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<HostSeat> seats_;  // by rank
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_HOST_LOADER_H_
