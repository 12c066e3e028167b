#include "megascale/cli/bench_device_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "megascale/cli/spread.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stopwatch.h"
#include "megascale/engine/prepare.h"
#include "megascale/job/job_plan.h"

namespace megascale::cli {
namespace {

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

// Nothing is loaded here.
struct NoTask final : TaskFunction {
  const Error* run(const TaskArguments&) noexcept override { return nullptr; }
};

}  // namespace

nlohmann::ordered_json time_device_ops(const Config& config, const DeviceOpsOptions& options) {
  cuda::use_device(0);
  const job::JobPlan job = job::plan_job(config);
  job::require_proven(job);
  const plan::VerifiedPlan verified = job.plan_of(0, job.train_verification);
  const plan::StepPlan& plan = verified.plan();
  NoTask no_task;
  const engine::PreparedKernels kernels(plan, verified.binding().coordinates, job.kernels,
                                        {{"load_batch", &no_task}});
  const DeviceRoofs roofs = measure_device_roofs(config, options.roofs);
  const cuda::DeviceMemory arena(plan.arena_nbytes());
  kernels::cuda::fill_with_numbers(arena.bytes(), config.model.dtype);
  const cuda::Stopwatch stopwatch(std::min(options.roofs.copied_nbytes, cuda::Stopwatch::kCopied));
  print(roofs);
  fmt::print("{:<64} {:>10} {:>9} {:>8} {:>8} {:>8} {:>8}\n", "op", "us", "TFLOP/s", "of best",
             "of peak", "GB/s", "of copy");
  const cuda::Sensors sensors(cuda::properties(0).pci_bus_id);
  std::vector<cuda::SensorReading> readings{sensors.read()};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::set<std::string> seen;
  for (const plan::Task& task : plan.tasks()) {
    const plan::PlanOp& op = plan.op(task);
    if (!options.wanted(op) || !seen.insert(describe(op, task.first)).second) continue;
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
    const double nbytes = least_nbytes(plan, task);
    const double rate = op.cost.flops / seconds.median, bandwidth = nbytes / seconds.median;
    const double best = best_flops(op, roofs.measured);
    fmt::print("{:<64} {:>10.1f} {:>9.1f} {:>7.1f}% {:>7.1f}% {:>8.1f} {:>7.1f}%\n",
               describe(op, task.first), seconds.median * 1e6, rate * 1e-12, 100 * rate / best,
               100 * rate / roofs.published_flops, bandwidth * 1e-9,
               100 * bandwidth / roofs.measured.bytes_per_second);
    rows.push_back(
        {{"op", describe(op, task.first)},
         {"seconds", {{"median", seconds.median}, {"min", seconds.min}, {"max", seconds.max}}},
         {"flops", op.cost.flops},
         {"of_best_gemm", rate / best},
         {"of_peak", rate / roofs.published_flops},
         {"bytes", nbytes},
         {"of_copy", bandwidth / roofs.measured.bytes_per_second}});
  }
  const cuda::SensorSummary sensed = cuda::summarize(sensors, readings);
  fmt::print("{}\n", cuda::describe(sensed));
  return {{"device", cuda::properties(0).name},
          {"peak_flops", roofs.published_flops},
          {"roofs", to_json(roofs)},
          {"sensors", to_json(sensed)},
          {"ops", rows}};
}

}  // namespace megascale::cli
