#ifndef MEGASCALE_ENGINE_RANK_H_
#define MEGASCALE_ENGINE_RANK_H_

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/wakeup.h"
#include "megascale/comm/communicator.h"
#include "megascale/cuda/stopwatch.h"
#include "megascale/engine/prepare.h"
#include "megascale/engine/rank_memory.h"
#include "megascale/plan/verify.h"
#include "megascale/runtime/step_runner.h"

namespace megascale::engine {

// Gives a rank its end of a group. `stream`: of ranks on CUDA devices, that of the group's lane;
// null on the CPU.
using CommunicatorSource =
    std::function<comm::Communicator*(const plan::CommunicatorBinding&, CUstream_st* stream)>;

// One rank's memory, lanes and bound plans, on the device that its kernels are for. Used by one
// thread, the rank's own.
class Rank {
 public:
  struct Options {
    std::uint64_t arena_nbytes = 0;
    std::span<std::byte> arena;  // where it shall lie: see Arena; empty: anywhere
    job::KernelChoice kernels;   // those that the plans' scratch was sized for
    std::uint32_t device = 0;    // of CUDA, among those of this process
    Wakeup* wakeup =
        nullptr;  // the one that this rank's communicators notify; must outlive this object
    runtime::RunnerOptions runner;
  };
  // Throws Error (out_of_memory, unsupported).
  explicit Rank(Options options);
  // Prepares the kernels of a plan and binds it; `own` serves op kinds that the engine itself
  // implements. Returns the lane runner's number for it. The plan must outlive this object.
  std::size_t add(const plan::VerifiedPlan& plan, const std::map<std::string, TaskFunction*>& own,
                  const CommunicatorSource& communicators = {});
  // Of a device, behind a step: how long each task of the plan's compute lane takes by itself, in
  // seconds (the median of so many runs), by task; 0 for tasks of other lanes. Of tasks with the
  // same function and sizes one is run, where the step has left its operands. What they write is
  // void afterwards. Throws Error.
  [[nodiscard]] std::vector<double> seconds_alone(std::size_t number,
                                                  const plan::VerifiedPlan& plan,
                                                  const cuda::Stopwatch& stopwatch, int runs) const;
  [[nodiscard]] runtime::StepRunner& runner() noexcept { return *runner_; }
  [[nodiscard]] RankMemory& memory() const noexcept { return *memory_; }

  // Values of a buffer, between steps.
  template <class T>
  [[nodiscard]] std::vector<T> read(const plan::Buffer& buffer) const {
    std::vector<T> values(buffer.nbytes / sizeof(T));
    memory_->read(std::as_writable_bytes(std::span(values)), buffer.offset);
    return values;
  }
  template <class T>
  [[nodiscard]] T read_one(const plan::Buffer& buffer) const {
    T value{};
    memory_->read(std::as_writable_bytes(std::span(&value, 1)), buffer.offset);
    return value;
  }
  template <class T>
  void write(const plan::Buffer& buffer, const T& value) {
    memory_->write(buffer.offset, std::as_bytes(std::span(&value, 1)));
  }
  // On the CPU, where the host sees the arena itself.
  template <class T>
  [[nodiscard]] T* at(const plan::Buffer& buffer) noexcept {
    return reinterpret_cast<T*>(memory_->arena().data() + buffer.offset);
  }

 private:
  std::unique_ptr<RankMemory> memory_;
  job::KernelChoice choice_;
  std::function<CUstream_st*(graph::Lane)> stream_of_;
  std::vector<std::unique_ptr<PreparedKernels>> kernels_;
  std::unique_ptr<runtime::StepRunner> runner_;  // last: its threads use all of the above
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_RANK_H_
