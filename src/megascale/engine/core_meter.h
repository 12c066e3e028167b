#ifndef MEGASCALE_ENGINE_CORE_METER_H_
#define MEGASCALE_ENGINE_CORE_METER_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/files.h"
#include "megascale/base/step_outcome.h"
#include "megascale/runtime/step_runner.h"

namespace megascale::engine {

// Measures how long the compute lane of a rank works in a step, without the time in which other
// programs had its cores. Other programs then do not make a rank look slow, and a rank whose cores
// are slow can be told from one that shares its cores. It costs four system calls a step, and two
// more for each thread of the team.
// For ranks that are processes: those that are threads use the processor while they wait. Used by
// the rank's own thread.
class CoreMeter {
 public:
  // `threads`: of the rank's team; 0: a device computes.
  // `lanes`: the threads of its runner.
  explicit CoreMeter(std::size_t threads, const runtime::LaneThreads& lanes = {}) noexcept;
  void begin() noexcept;
  // Sets work_ns and the waits for cores. compute_ns must be set.
  void end(StepOutcome& outcome) noexcept;

 private:
  // How long one thread was ready to run and had no core.
  class Waits {
   public:
    // `thread`: of this process; 0: no thread, whose waits are not known.
    explicit Waits(int thread) noexcept;
    // Returns the nanoseconds since the last call, at first since the thread began; -1: not known.
    std::int64_t take() noexcept;

   private:
    FileHandle file_;
    std::int64_t total_ = 0;
  };
  static std::int64_t take_own_waits() noexcept;
  static std::int64_t take_waits(std::size_t threads) noexcept;

  std::size_t threads_;
  Waits transfers_, input_;
  std::int64_t begin_cpu_ns_ = 0;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_CORE_METER_H_
