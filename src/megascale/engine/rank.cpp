// Puts a rank together for the CPU or for a device. This is the only place that chooses between the
// two kinds of memory and of lane runners; all other code of a rank uses their interfaces.
#include "megascale/engine/rank.h"

#include <algorithm>

#include "megascale/cuda/graph.h"
#include "megascale/runtime/cuda/device_lane_runner.h"
#include "megascale/runtime/lane_runner.h"

namespace megascale::engine {

Rank::Rank(Options options) : choice_(options.kernels) {
  if (choice_.device == kernels::Device::cuda) {
    memory_ = make_device_memory(options.arena_nbytes, options.device, options.arena);
    options.runner.graphs = choice_.graphs;
    auto runner = std::make_unique<runtime::DeviceLaneRunner>(options.device, *options.wakeup,
                                                              std::move(options.runner));
    stream_of_ = [&runner = *runner](graph::Lane lane) { return runner.stream(lane); };
    runner_ = std::move(runner);
    return;
  }
  memory_ = make_host_memory(options.arena_nbytes, options.arena);
  stream_of_ = [](graph::Lane) { return nullptr; };
  runner_ = std::make_unique<runtime::LaneRunner>(*options.wakeup, std::move(options.runner));
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
  return runner_->bind({.plan = &plan,
                        .arena = memory_->arena(),
                        .functions = kernels_.back()->functions(),
                        .communicators = std::move(ends)});
}

// The operands of a task of the compute lane, which touches no memory of the host.
std::vector<std::byte*> Rank::operands_of(const plan::VerifiedPlan& verified,
                                          const plan::Task& task) const {
  const plan::StepPlan& plan = verified.plan();
  std::vector<std::byte*> operands;
  for (const plan::Operand& operand : plan.op(task).operands) {
    if (operand.buffer == plan::kNoBuffer) {
      operands.push_back(nullptr);
      continue;
    }
    MEGASCALE_CHECK(plan.buffer(operand.buffer).category != plan::Category::staging,
                    "tasks of the compute lane touch no memory of the host");
    operands.push_back(memory_->arena().data() +
                       plan.range(task, operand, verified.binding().coordinates).begin);
  }
  return operands;
}

const Error* Rank::run_alone(std::size_t number, const plan::VerifiedPlan& verified,
                             const plan::Task& task, const cuda::PinnedMemory& complaint,
                             CUstream_st* stream) const {
  return kernels_[number]->functions()[plan::index(task.op)]->run(
      {.operands = operands_of(verified, task),
       .micro_batch = task.micro_batch,
       .first = task.first,
       .stream = stream,
       .complaint = reinterpret_cast<std::int64_t*>(complaint.bytes().data())});
}

std::vector<double> Rank::seconds_alone(std::size_t number, const plan::VerifiedPlan& verified,
                                        const cuda::Stopwatch& stopwatch, int runs) const {
  const plan::StepPlan& plan = verified.plan();
  std::vector<double> seconds(plan.tasks().size());
  std::map<std::pair<TaskFunction*, bool>, double> known;
  // Nobody reads it: the step before was checked, and its values are still there.
  const cuda::PinnedMemory complaint(sizeof(std::int64_t));
  // Runs the tasks from the last to the first. The amount of work of a task may depend on values
  // that earlier tasks wrote (token ids, whether the update is skipped). In this order these values
  // are still those of the step.
  for (std::size_t id = seconds.size(); id-- > 0;) {
    const plan::Task& task = plan.tasks()[id];
    if (plan.op(task).lane != graph::Lane::compute) continue;
    TaskFunction* const function = kernels_[number]->functions()[plan::index(task.op)];
    const auto [found, is_new] = known.try_emplace({function, task.first});
    if (is_new) {
      std::vector<double> times = stopwatch.seconds_of(
          [&](CUstream_st* stream) { return run_alone(number, verified, task, complaint, stream); },
          runs);
      std::sort(times.begin(), times.end());
      found->second = times[times.size() / 2];
    }
    seconds[id] = found->second;
  }
  return seconds;
}

double Rank::seconds_packed(std::size_t number, const plan::VerifiedPlan& verified,
                            int runs) const {
  const plan::StepPlan& plan = verified.plan();
  const cuda::PinnedMemory complaint(sizeof(std::int64_t));
  const cuda::Stream stream;
  const cuda::Graph tasks(stream.get(), [&] {
    for (const plan::Task& task : plan.tasks()) {
      if (plan.op(task).lane != graph::Lane::compute) continue;
      if (const Error* error = run_alone(number, verified, task, complaint, stream.get());
          error != nullptr)
        throw Error(*error);
    }
  });
  return cuda::median_seconds_of(tasks, stream, runs);
}

}  // namespace megascale::engine
