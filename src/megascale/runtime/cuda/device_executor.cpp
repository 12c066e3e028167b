#include "megascale/runtime/cuda/device_executor.h"

#include "megascale/cuda/device.h"
#include "megascale/runtime/cuda/device_step.h"

namespace megascale::runtime {

DeviceExecutor::DeviceExecutor(std::uint32_t device, Wakeup& wakeup, RunnerOptions options)
    : device_(device), wakeup_(&wakeup), options_(std::move(options)) {
  cuda::use_device(device);
  lanes_ = std::make_unique<Lanes>();
  host_ = std::make_unique<HostThread>(device, wakeup);
}

DeviceExecutor::~DeviceExecutor() {
  host_.reset();
  // Work under way still uses what is destroyed next.
  try {
    for (const cuda::Stream& stream : lanes_->streams) stream.synchronize();
  } catch (const Error&) {
    // The device is lost; nothing runs on it any more.
  }
}

CUstream_st* DeviceExecutor::stream(graph::Lane lane) const noexcept {
  return lanes_->streams[static_cast<std::size_t>(lane)].get();
}

std::size_t DeviceExecutor::bind(BoundPlan plan) {
  plans_.push_back(std::make_unique<Plan>(std::move(plan)));
  return plans_.size() - 1;
}

void DeviceExecutor::run_carried(std::size_t number) {
  drain();
  if (failure_) throw Error(*failure_);
  const Plan& plan = *plans_[number];
  for (std::uint32_t id = 0; id < plan.step_plan().tasks().size(); ++id) {
    const plan::Task& task = plan.step_plan().tasks()[id];
    if (!task.carried) continue;
    if (const Error* error =
            plan.tasks.plan.functions[plan::index(task.op)]->run(plan.tasks.arguments(id));
        error != nullptr) {
      Error with_context = *error;
      with_context.add_context("running " + plan.step_plan().task_name(id) +
                               " before the first step");
      throw with_context;
    }
  }
}

void DeviceExecutor::run_step(std::size_t number, std::span<TaskRecord> records) {
  if (failure_) throw Error(*failure_);
  Plan& plan = *plans_[number];
  try {
    host_->wait_until_idle();  // a carried task of the step before
    if (auto error = host_->take_error()) {
      error->add_context("running a carried task of the step before");
      throw Error(*error);
    }
    Step step(*this, plan);
    step.hand_over();
    step.finish(records);
  } catch (const Error& error) {
    failure_ = std::make_unique<Error>(error);
    for (comm::Communicator* communicator : plan.tasks.plan.communicators) {
      if (communicator != nullptr) communicator->abort(error);
    }
    host_->wait_until_idle();
    // Nobody may touch the arena behind this call. What is on the streams cannot wait for anything
    // that was not handed over, so it comes to an end.
    try {
      for (const cuda::Stream& stream : lanes_->streams) stream.synchronize();
    } catch (const Error&) {
      // The same failure once more.
    }
    throw;
  }
}

void DeviceExecutor::drain() { host_->wait_until_idle(); }

}  // namespace megascale::runtime
