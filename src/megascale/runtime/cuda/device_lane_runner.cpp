// The interface of the device's lane runner: it binds plans and runs steps. Step (device_step.h)
// hands tasks over and reads their times. After a failure, stop() makes sure that the device does
// not use the arena any more.
#include "megascale/runtime/cuda/device_lane_runner.h"

#include "megascale/cuda/device.h"
#include "megascale/runtime/cuda/device_step.h"

namespace megascale::runtime {

DeviceLaneRunner::DeviceLaneRunner(std::uint32_t device, Wakeup& wakeup, RunnerOptions options)
    : wakeup_(&wakeup), options_(std::move(options)) {
  cuda::use_device(device);
  lanes_ = std::make_unique<Lanes>();
  host_ = std::make_unique<HostThread>(device, wakeup);
}

DeviceLaneRunner::~DeviceLaneRunner() {
  host_.reset();
  // Work on the streams may still use the members that are destroyed next.
  try {
    for (const cuda::Stream& stream : lanes_->streams) stream.synchronize();
  } catch (const Error&) {
    // The device is lost; nothing runs on it any more.
  }
}

CUstream_st* DeviceLaneRunner::stream(graph::Lane lane) const noexcept {
  return lanes_->streams[static_cast<std::size_t>(lane)].get();
}

std::size_t DeviceLaneRunner::bind(BoundPlan plan) {
  plans_.push_back(std::make_unique<Plan>(std::move(plan), options_.graphs));
  return plans_.size() - 1;
}

void DeviceLaneRunner::run_carried(std::size_t number) {
  drain();
  if (failure_) throw Error(*failure_);
  plans_[number]->tasks.run_carried();
}

void DeviceLaneRunner::run_step(std::size_t number, std::span<TaskRecord> records) {
  if (failure_) throw Error(*failure_);
  Step step(*this, *plans_[number]);
  try {
    host_->wait_until_idle();  // a carried task of the previous step
    if (auto error = host_->take_error()) throw Error(*error);
    step.hand_over();
    step.finish(records);
  } catch (const Error& error) {
    failure_ = std::make_unique<Error>(error);
    stop(step);
    throw;
  }
}

// After this call nothing may touch the arena: neither this rank's work nor that of peers, which
// copy from it on their own streams.
void DeviceLaneRunner::stop(Step& step) {
  // Communicators of all plans: a peer may have finished this plan and wait in the next one.
  for (const auto& plan : plans_) {
    for (comm::Communicator* communicator : plan->tasks.plan.communicators) {
      if (communicator != nullptr) communicator->abort(*failure_);
    }
  }
  step.let_go();
  host_->wait_until_idle();
  // The work on a stream waits only for work that was handed over, so it ends.
  try {
    cuda::synchronize_all_devices();
  } catch (const Error&) {
    // A device is lost, which is why the step failed. Nothing runs on it any more.
  }
}

std::byte* DeviceLaneRunner::staging(std::size_t number, plan::BufferId buffer) const noexcept {
  return plans_[number]->tasks.begin_of(buffer);
}

void DeviceLaneRunner::drain() { host_->wait_until_idle(); }

}  // namespace megascale::runtime
