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
#include "megascale/engine/arena.h"
#include "megascale/engine/prepare.h"
#include "megascale/plan/verify.h"
#include "megascale/runtime/executor.h"

namespace megascale::engine {

// Gives a rank its end of a group.
using CommunicatorSource = std::function<comm::Communicator*(const plan::CommunicatorBinding&)>;

// One rank's arena, threads and bound plans. Used by one thread, the rank's own.
class Rank {
 public:
  // `kernels`: those that the plans' scratch was sized for. `wakeup` is the one that this rank's
  // communicators notify; it must outlive this object. Throws Error (out_of_memory).
  Rank(std::uint64_t arena_nbytes, const KernelChoice& kernels, Wakeup& wakeup,
       runtime::Executor::Options options);
  // In memory of the caller's: see Arena.
  Rank(std::span<std::byte> arena, const KernelChoice& kernels, Wakeup& wakeup,
       runtime::Executor::Options options);
  // Prepares the kernels of a plan and binds it; `own` serves op kinds that the engine itself
  // implements. Returns the executor's number for it. The plan must outlive this object.
  std::size_t add(const plan::VerifiedPlan& plan, const std::map<std::string, TaskFunction*>& own,
                  const CommunicatorSource& communicators = {});
  [[nodiscard]] runtime::Executor& executor() noexcept { return *executor_; }
  template <class T>
  [[nodiscard]] T* at(const plan::Buffer& buffer) noexcept {
    return reinterpret_cast<T*>(arena_.bytes().data() + buffer.offset);
  }

 private:
  Arena arena_;
  KernelChoice choice_;
  std::vector<std::unique_ptr<PreparedKernels>> kernels_;
  std::unique_ptr<runtime::Executor> executor_;  // last: its threads use all of the above
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_RANK_H_
