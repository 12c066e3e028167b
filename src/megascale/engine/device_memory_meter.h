#ifndef MEGASCALE_ENGINE_DEVICE_MEMORY_METER_H_
#define MEGASCALE_ENGINE_DEVICE_MEMORY_METER_H_

#include <cstdint>

#include "megascale/job/job_plan.h"

namespace megascale::engine {

// The memory of the first CUDA device during a job, in bytes: planned against measured.
struct DeviceMemoryUse {
  std::uint64_t planned = 0;  // arenas of the ranks on that device
  std::uint64_t taken = 0;    // allocated since the meter was made, by any process
  std::uint64_t before = 0;   // in use when the meter was made: CUDA's context, other processes
  std::uint64_t total = 0;    // memory of the device
  // Returns the part of `taken` that no plan contains: libraries, streams, tables of kernels, and
  // what other processes have allocated since.
  [[nodiscard]] std::uint64_t outside() const noexcept {
    return taken > planned ? taken - planned : 0;
  }
};

// Measures how much device memory a job uses beyond its plans. For jobs whose ranks are threads of
// this process. Make it before the job allocates device memory.
class DeviceMemoryMeter {
 public:
  // Makes the first device the current device of the calling thread. `job` is only read here.
  // Throws Error.
  explicit DeviceMemoryMeter(const job::JobPlan& job);
  // Returns the use as of now. Call it on rank 0's thread, whose current device is the first one,
  // after a whole step and while all ranks hold their arenas: libraries allocate memory and load
  // code when they are first used. Throws Error.
  [[nodiscard]] DeviceMemoryUse read() const;

 private:
  std::uint64_t planned_ = 0, free_before_ = 0;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_DEVICE_MEMORY_METER_H_
