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

// Returns the rank's communicator for a group of its plan; the caller does not own it. `stream`: on
// a CUDA device the stream of the group's lane, on the CPU null.
using CommunicatorSource =
    std::function<comm::Communicator*(const plan::CommunicatorBinding&, CUstream_st* stream)>;

// Holds all that one rank uses to run plans, on the CPU or on a CUDA device: the memory of its
// arena, its lane runner, and the prepared kernels of each plan. Engine and Inference are built on it. Only
// the rank's own thread may use it.
class Rank {
 public:
  struct Options {
    std::uint64_t arena_nbytes = 0;
    std::span<std::byte> arena;  // memory for the arena, zeroed, borrowed; empty: allocate it
    job::KernelChoice kernels;   // the choice that the plans were made for
    std::uint32_t device = 0;    // number of the CUDA device in this process
    // This rank's communicators notify it. It must outlive this object.
    Wakeup* wakeup = nullptr;
    runtime::RunnerOptions runner;
  };
  // Allocates the arena and starts the threads of the lane runner. Throws Error (out_of_memory, or
  // unsupported without a device).
  explicit Rank(Options options);
  // Prepares the kernels of a plan and binds the plan to this rank's memory and communicators.
  // `own`: see PreparedKernels. Returns the lane runner's number of the plan. `plan` and the
  // functions of `own` must outlive this object. Throws Error (unsupported).
  std::size_t add(const plan::VerifiedPlan& plan, const std::map<std::string, TaskFunction*>& own,
                  const CommunicatorSource& communicators = {});
  // Measures on a device how long each task of the compute lane takes while nothing else runs.
  // Returns seconds by task: the median of `runs` runs, and 0 for tasks of other lanes. Call it
  // after a step of plan `number`, which is `plan`: the tasks read the operands that the step has
  // left. Of all tasks with the same function, only one is run. Everything that tasks write is
  // unusable afterwards. Throws Error.
  [[nodiscard]] std::vector<double> seconds_alone(std::size_t number,
                                                  const plan::VerifiedPlan& plan,
                                                  const cuda::Stopwatch& stopwatch, int runs) const;
  // Measures on a device how long all tasks of the compute lane take one after the other, in their
  // order, as one graph: the host launches nothing in between, and clocks and caches are those of a
  // busy device. Returns the median of `runs` runs, in seconds. Conditions and errors as of
  // seconds_alone().
  [[nodiscard]] double seconds_packed(std::size_t number, const plan::VerifiedPlan& plan,
                                      int runs) const;
  // Returns the task functions of plan `number`, by op; null for transfers.
  [[nodiscard]] std::span<TaskFunction* const> functions(std::size_t number) const noexcept {
    return kernels_[number]->functions();
  }
  [[nodiscard]] runtime::StepRunner& runner() noexcept { return *runner_; }
  [[nodiscard]] RankMemory& memory() const noexcept { return *memory_; }

  // Read or write the values of a buffer, between steps. Throw Error.
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
  // Returns the address of a buffer. CPU only, where the host can access the arena.
  template <class T>
  [[nodiscard]] T* at(const plan::Buffer& buffer) noexcept {
    return reinterpret_cast<T*>(memory_->arena().data() + buffer.offset);
  }

 private:
  [[nodiscard]] std::vector<std::byte*> operands_of(const plan::VerifiedPlan& plan,
                                                    const plan::Task& task) const;
  // Enqueues a task of the compute lane on `stream`, as the lane runner would.
  const Error* run_alone(std::size_t number, const plan::VerifiedPlan& plan, const plan::Task& task,
                         const cuda::PinnedMemory& complaint, CUstream_st* stream) const;

  std::unique_ptr<RankMemory> memory_;
  job::KernelChoice choice_;
  std::function<CUstream_st*(graph::Lane)> stream_of_;
  std::vector<std::unique_ptr<PreparedKernels>> kernels_;
  std::unique_ptr<runtime::StepRunner> runner_;  // last: its threads use all of the above
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_RANK_H_
