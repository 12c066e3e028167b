// Compares the free memory of the first device before a job and during it. CUDA reports memory for
// a whole device only, not by process, so other processes on the device falsify the result.
#include "megascale/engine/device_memory_meter.h"

#include "megascale/cuda/device.h"
#include "megascale/engine/run_ranks.h"

namespace megascale::engine {

DeviceMemoryMeter::DeviceMemoryMeter(const job::JobPlan& job) {
  cuda::use_device(0);
  free_before_ = cuda::memory_use().free_nbytes;
  for (std::uint32_t rank = 0; rank < job.grid.world_size(); ++rank) {
    if (device_of(job, rank) == 0) planned_ += job.stage_of(rank).arena_nbytes;
  }
}

DeviceMemoryUse DeviceMemoryMeter::read() const {
  const cuda::MemoryUse now = cuda::memory_use();
  return {.planned = planned_,
          .taken = free_before_ > now.free_nbytes ? free_before_ - now.free_nbytes : 0,
          .before = now.total_nbytes - free_before_,
          .total = now.total_nbytes};
}

}  // namespace megascale::engine
