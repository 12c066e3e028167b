// Times the ops of a plan one by one on a device. It places an arena as the engine would, fills it
// with random numbers, and runs the prepared kernels of the plan's tasks. Kernels, shapes and
// alignment are therefore those of a training step.
#include "megascale/study/measure/device_ops.h"

#include <algorithm>
#include <set>
#include <vector>

#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stopwatch.h"
#include "megascale/engine/prepare.h"
#include "megascale/job/job_plan.h"
#include "megascale/kernels/cuda/random_operands.h"
#include "megascale/study/statistics.h"

namespace megascale::study {
namespace {

// Returns the name of a task: op kind and input shapes, and "added" if it adds to its output. Tasks
// with equal names are alike.
std::string describe(const plan::PlanOp& op, bool first) {
  std::string text(op.def->name);
  bool adds = false;
  for (std::size_t i = 0; i < op.tensors.size(); ++i) {
    const graph::Access access = op.def->operands[i].access;
    if (op.tensors[i] && access == graph::Access::read)
      text.append(1, ' ').append(graph::to_string(op.tensors[i]->shape));
    adds = adds || (!first && access == graph::Access::first_writes);
  }
  return adds ? text + " added" : text;
}

// Replaces the task that loads a batch: the operands are random numbers instead.
struct NoTask final : TaskFunction {
  const Error* run(const TaskArguments&) noexcept override { return nullptr; }
};

}  // namespace

DeviceOps time_device_ops(const Config& config, const DeviceOpsOptions& options) {
  cuda::use_device(0);
  const job::JobPlan job = job::plan_job(config);
  job::require_proven(job);
  const plan::VerifiedPlan verified = job.plan_of(0, job.train_verification);
  const plan::StepPlan& plan = verified.plan();
  NoTask no_task;
  const engine::PreparedKernels kernels(plan, verified.binding().coordinates, job.kernels,
                                        {{"load_batch", &no_task}});
  const DType dtype = job.flops().dtype();
  DeviceOps result{.device = cuda::properties(0).name,
                   .roofs = measure_device_roofs(config, dtype, options.roofs)};
  const cuda::DeviceMemory arena(plan.arena_nbytes());
  kernels::cuda::fill_with_numbers(arena.bytes(), dtype);
  const cuda::Stopwatch stopwatch(std::min(options.roofs.copied_nbytes, cuda::Stopwatch::kCopied));
  const cuda::Sensors sensors(cuda::properties(0).pci_bus_id);
  std::vector<cuda::SensorReading> readings{sensors.read()};
  std::set<std::string> seen;
  for (const plan::Task& task : plan.tasks()) {
    const plan::PlanOp& op = plan.op(task);
    if (class_of(*op.def) != options.timed || !seen.insert(describe(op, task.first)).second)
      continue;
    std::vector<std::byte*> addresses;
    for (const plan::Operand& operand : op.operands) {
      addresses.push_back(
          operand.buffer == plan::kNoBuffer
              ? nullptr
              : arena.bytes().data() +
                    plan.range(task, operand, verified.binding().coordinates).begin);
    }
    TaskFunction& function = *kernels.functions()[plan::index(task.op)];
    const Spread seconds = spread_of(stopwatch.seconds_of(
        [&](CUstream_st* stream) {
          return function.run({.operands = addresses, .first = task.first, .stream = stream});
        },
        options.repetitions));
    readings.push_back(sensors.read());
    result.ops.push_back({.name = describe(op, task.first),
                          .seconds = seconds,
                          .flops = op.cost.flops,
                          .nbytes = least_nbytes(plan, task),
                          .best_flops = best_flops(op, result.roofs.measured)});
  }
  result.sensors = cuda::summarize(sensors, readings);
  return result;
}

}  // namespace megascale::study
