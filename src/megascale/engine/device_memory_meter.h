#ifndef MEGASCALE_ENGINE_DEVICE_MEMORY_METER_H_
#define MEGASCALE_ENGINE_DEVICE_MEMORY_METER_H_

#include <cstdint>

#include "megascale/job/job_plan.h"

namespace megascale::engine {

// What the first CUDA device holds for a job, beside what its plans said, in bytes.
struct DeviceMemoryUse {
  std::uint64_t planned = 0;  // arenas of the ranks on that device
  std::uint64_t taken = 0;    // by whomever, since the meter was made
  std::uint64_t before = 0;   // taken already then: CUDA's context, other processes
  std::uint64_t total = 0;
  // By libraries, streams, tables of kernels; and by other processes meanwhile.
  [[nodiscard]] std::uint64_t outside() const noexcept {
    return taken > planned ? taken - planned : 0;
  }
};

// Made before a job whose ranks are threads of this process takes anything.
class DeviceMemoryMeter {
 public:
  // Makes the first device that of the calling thread. Throws Error.
  explicit DeviceMemoryMeter(const job::JobPlan& job);
  // On a thread whose device is the first one, rank 0's: while all ranks hold their arenas, and
  // once every kernel has run, since libraries load code and take memory when they are first used.
  // Throws Error.
  [[nodiscard]] DeviceMemoryUse read() const;

 private:
  std::uint64_t planned_ = 0, free_before_ = 0;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_DEVICE_MEMORY_METER_H_
