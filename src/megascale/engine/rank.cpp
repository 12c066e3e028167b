#include "megascale/engine/rank.h"

#include "megascale/runtime/cuda/device_executor.h"
#include "megascale/runtime/executor.h"

namespace megascale::engine {

Rank::Rank(Options options) : choice_(options.kernels) {
  if (choice_.device == kernels::Device::cuda) {
    memory_ = make_device_memory(options.arena_nbytes, options.device);
    options.runner.graphs = choice_.graphs;
    auto executor = std::make_unique<runtime::DeviceExecutor>(options.device, *options.wakeup,
                                                              std::move(options.runner));
    stream_of_ = [&executor = *executor](graph::Lane lane) { return executor.stream(lane); };
    executor_ = std::move(executor);
    return;
  }
  memory_ = make_host_memory(options.arena_nbytes, options.arena);
  stream_of_ = [](graph::Lane) { return nullptr; };
  executor_ = std::make_unique<runtime::Executor>(*options.wakeup, std::move(options.runner));
}

std::size_t Rank::add(const plan::VerifiedPlan& plan,
                      const std::map<std::string, TaskFunction*>& own,
                      const CommunicatorSource& communicators) {
  kernels_.push_back(
      std::make_unique<PreparedKernels>(plan.plan(), plan.binding().coordinates, choice_, own));
  std::vector<comm::Communicator*> ends;
  for (std::size_t i = 0; i < plan.binding().communicators.size(); ++i) {
    const graph::Lane lane = plan.plan().communicators()[i].lane;
    ends.push_back(communicators(plan.binding().communicators[i], stream_of_(lane)));
  }
  return executor_->bind({.plan = &plan,
                          .arena = memory_->arena(),
                          .functions = kernels_.back()->functions(),
                          .communicators = std::move(ends)});
}

}  // namespace megascale::engine
