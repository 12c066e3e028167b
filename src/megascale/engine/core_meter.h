#ifndef MEGASCALE_ENGINE_CORE_METER_H_
#define MEGASCALE_ENGINE_CORE_METER_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/step_outcome.h"

namespace megascale::engine {

// Measures how long the compute lane of a rank works in a step, without the time in which other
// programs had its cores. Other programs then do not make a rank look slow, and a rank whose cores
// are slow can be told from one that shares its cores. It costs two system calls a step, and two
// more for each thread of the team.
// For ranks that are processes: those that are threads use the processor while they wait. Used by
// the rank's own thread.
class CoreMeter {
 public:
  // `threads`: of the rank's team; 0: a device computes.
  explicit CoreMeter(std::size_t threads) noexcept;
  void begin() noexcept;
  // Sets work_ns and core_wait_ns. compute_ns must be set.
  void end(StepOutcome& outcome) const noexcept;

 private:
  std::size_t threads_;
  std::int64_t begin_cpu_ns_ = 0;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_CORE_METER_H_
