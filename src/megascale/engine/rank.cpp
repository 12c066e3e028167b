#include "megascale/engine/rank.h"

namespace megascale::engine {

Rank::Rank(std::uint64_t arena_nbytes, runtime::Executor::Options options)
    : arena_(arena_nbytes),
      executor_(std::make_unique<runtime::Executor>(wakeup_, std::move(options))) {}

std::size_t Rank::add(const plan::VerifiedPlan& plan,
                      const std::map<std::string, TaskFunction*>& own) {
  kernels_.push_back(std::make_unique<PreparedKernels>(plan.plan(), kernels::Device::cpu, own));
  return executor_->bind({.plan = &plan,
                          .arena = arena_.bytes(),
                          .functions = kernels_.back()->functions(),
                          .communicators = {}});
}

}  // namespace megascale::engine
