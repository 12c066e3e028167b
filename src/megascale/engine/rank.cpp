#include "megascale/engine/rank.h"

namespace megascale::engine {

Rank::Rank(std::uint64_t arena_nbytes, const KernelChoice& kernels, Wakeup& wakeup,
           runtime::Executor::Options options)
    : arena_(arena_nbytes),
      choice_(kernels),
      executor_(std::make_unique<runtime::Executor>(wakeup, std::move(options))) {}

Rank::Rank(std::span<std::byte> arena, const KernelChoice& kernels, Wakeup& wakeup,
           runtime::Executor::Options options)
    : arena_(arena),
      choice_(kernels),
      executor_(std::make_unique<runtime::Executor>(wakeup, std::move(options))) {}

std::size_t Rank::add(const plan::VerifiedPlan& plan,
                      const std::map<std::string, TaskFunction*>& own,
                      const CommunicatorSource& communicators) {
  kernels_.push_back(
      std::make_unique<PreparedKernels>(plan.plan(), plan.binding().coordinates, choice_, own));
  std::vector<comm::Communicator*> ends;
  for (const plan::CommunicatorBinding& binding : plan.binding().communicators) {
    ends.push_back(communicators(binding));
  }
  return executor_->bind({.plan = &plan,
                          .arena = arena_.bytes(),
                          .functions = kernels_.back()->functions(),
                          .communicators = std::move(ends)});
}

}  // namespace megascale::engine
