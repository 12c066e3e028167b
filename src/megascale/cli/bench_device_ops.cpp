#include "megascale/cli/bench_device_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "megascale/base/philox.h"
#include "megascale/cli/spread.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "megascale/engine/job_plan.h"
#include "megascale/engine/prepare.h"

namespace megascale::cli {
namespace {

std::string describe(const plan::PlanOp& op, bool first) {
  std::string text(op.def->name);
  for (std::size_t i = 0; i < op.tensors.size(); ++i) {
    if (op.tensors[i] && op.def->operands[i].access == graph::Access::read)
      text.append(1, ' ').append(graph::to_string(op.tensors[i]->shape));
  }
  return first ? text : text + " added";
}

// Normal values of the dtype all over the memory: products of zeros are faster than those of
// numbers.
void fill_with_numbers(std::span<std::byte> memory, DType dtype) {
  constexpr std::size_t kRun = std::size_t{16} << 20U;
  std::vector<float> values(kRun / sizeof(float));
  PhiloxStream(1, "bench").fill_normal(values, 0, 0.0, 1.0);
  if (dtype == DType::bfloat16) {
    for (float& value : values) {  // two of them in each
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(value) >> 16U;
      value = std::bit_cast<float>(bits << 16U | bits);
    }
  }
  const auto bytes = std::as_bytes(std::span(values));
  for (std::size_t at = 0; at < memory.size(); at += kRun)
    cuda::copy_to_device(memory.data() + at, bytes.first(std::min(kRun, memory.size() - at)));
}

// Nothing is loaded here.
struct NoTask final : TaskFunction {
  const Error* run(const TaskArguments&) noexcept override { return nullptr; }
};

Spread time_task(TaskFunction& function, const TaskArguments& arguments, const cuda::Stream& stream,
                 int repetitions) {
  std::vector<double> seconds;
  constexpr int kWarmup = 3;
  for (int i = 0; i < kWarmup + repetitions; ++i) {
    cuda::Event begin, end;
    begin.record(stream.get());
    if (const Error* error = function.run(arguments); error != nullptr) throw Error(*error);
    end.record(stream.get());
    if (auto error = cuda::take_error()) throw Error(*error);
    end.wait();
    if (i >= kWarmup) seconds.push_back(static_cast<double>(end.ns_since(begin)) * 1e-9);
  }
  return spread_of(seconds);
}

}  // namespace

nlohmann::ordered_json time_device_ops(const Config& config, const DeviceOpsOptions& options) {
  cuda::use_device(0);
  const engine::JobPlan job = engine::plan_job(config);
  engine::require_proven(job);
  const plan::VerifiedPlan verified = job.plan_of(0, job.train_verification);
  const plan::StepPlan& plan = verified.plan();
  NoTask no_task;
  const engine::PreparedKernels kernels(plan, verified.binding().coordinates, job.kernels,
                                        {{"load_batch", &no_task}});
  const cuda::DeviceMemory arena(plan.arena_nbytes());
  fill_with_numbers(arena.bytes(), config.model.dtype);
  const double peak = cuda::published_flops(0, config.model.dtype);
  const cuda::Stream stream;
  fmt::print("{:<64} {:>10} {:>9} {:>8}\n", "op", "us", "TFLOP/s", "of peak");
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
    const Spread seconds =
        time_task(*kernels.functions()[plan::index(task.op)],
                  {.operands = addresses, .first = task.first, .stream = stream.get()}, stream,
                  options.repetitions);
    const double rate = op.cost.flops / seconds.median;
    fmt::print("{:<64} {:>10.1f} {:>9.1f} {:>7.1f}%\n", describe(op, task.first),
               seconds.median * 1e6, rate * 1e-12, 100 * rate / peak);
    rows.push_back(
        {{"op", describe(op, task.first)},
         {"seconds", {{"median", seconds.median}, {"min", seconds.min}, {"max", seconds.max}}},
         {"flops", op.cost.flops},
         {"of_peak", rate / peak}});
  }
  return {{"device", cuda::properties(0).name}, {"peak_flops", peak}, {"ops", rows}};
}

}  // namespace megascale::cli
