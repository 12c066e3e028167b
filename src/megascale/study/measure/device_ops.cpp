// Times the ops of a plan one by one on a device. It places an arena as the engine would, fills it
// with random numbers, and runs the prepared kernels of the plan's tasks. Kernels, shapes and
// alignment are therefore those of a training step. Random bits are no valid numbers of experts or of
// rows, so ops that write such numbers run in the order of the plan before what reads them is timed.
#include "megascale/study/measure/device_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stopwatch.h"
#include "megascale/engine/prepare.h"
#include "megascale/graph/ops/expert_ops.h"
#include "megascale/graph/ops/grouped_products.h"
#include "megascale/graph/ops/quantised_ops.h"
#include "megascale/job/job_plan.h"
#include "megascale/kernels/cuda/random_operands.h"
#include "megascale/study/measure/dense_product.h"
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

// Returns whether an op rounds the weights of experts or their rows to 8 bits. Rows of experts have no
// transposed codes, since weight gradients of experts read bfloat16. Rows that tensor ranks gather as
// codes have none either, but they have an amax.
bool rounds_experts(const plan::PlanOp& op) {
  if (op.def == &graph::quantise_weight_op())
    return op.tensors[graph::quantise::input]->shape.size() == 3;
  return op.def == &graph::quantise_op() &&
         op.attributes.integer(graph::attribute::sides) == graph::kCodes &&
         !op.tensors[graph::quantise::amax];
}

// Returns whether an op chooses experts, moves rows to and from them, or computes with these rows.
bool is_of_experts(const plan::PlanOp& op) {
  const graph::OpDef& def = *op.def;
  static const std::set<const graph::OpDef*> others{&graph::route_op(),
                                                    &graph::route_gradient_op(),
                                                    &graph::group_loads_op(),
                                                    &graph::drop_choices_op(),
                                                    &graph::router_losses_op(),
                                                    &graph::router_losses_gradient_op(),
                                                    &graph::record_routing_op(),
                                                    &graph::dispatch_map_op(),
                                                    &graph::gather_rows_op(),
                                                    &graph::combine_rows_op(),
                                                    &graph::combine_weighted_rows_op(),
                                                    &graph::combine_weighted_rows_gradient_op(),
                                                    &graph::gather_weights_op(),
                                                    &graph::gather_weights_gradient_op(),
                                                    &graph::gated_swiglu_op(),
                                                    &graph::gated_swiglu_gradient_op(),
                                                    &graph::gate_rows_op(),
                                                    &graph::gate_rows_gradient_op()};
  return graph::is_grouped_product(def) || others.contains(&def) || rounds_experts(op);
}

bool is_timed(const plan::PlanOp& op, TimedOps timed) {
  if (op.lane != graph::Lane::compute) return false;
  const OpClass of = class_of(*op.def);
  switch (timed) {
    case TimedOps::gemm:
      return of == OpClass::gemm || of == OpClass::grouped_gemm;
    case TimedOps::attention:
      return of == OpClass::attention;
    case TimedOps::experts:
      return is_of_experts(op);
  }
  return false;
}

// Returns whether a task writes numbers of experts or of rows, on which the work of later tasks depends.
bool decides_rows(const plan::PlanOp& op) {
  if (op.lane != graph::Lane::compute) return false;
  for (std::size_t o = 0; o < op.tensors.size(); ++o) {
    if (op.tensors[o] && op.operands[o].access != graph::Access::read &&
        (op.tensors[o]->dtype == DType::int32 || op.tensors[o]->dtype == DType::int64)) {
      return true;
    }
  }
  return false;
}

// Replaces the task that loads a batch: the operands are random numbers instead.
struct NoTask final : TaskFunction {
  const Error* run(const TaskArguments&) noexcept override { return nullptr; }
};

// A training plan of rank 0 on the device, of which single tasks run.
class PlanOnDevice {
 public:
  explicit PlanOnDevice(const Config& config)
      : job_(proven_job(config)),
        verified_(job_.plan_of(0, job_.train_verification)),
        kernels_(plan(), verified_.binding().coordinates, job_.kernels,
                 {{"load_batch", &no_task_}}) {}

  [[nodiscard]] const plan::StepPlan& plan() const noexcept { return verified_.plan(); }
  [[nodiscard]] DType dtype() const { return job_.flops().dtype(); }
  [[nodiscard]] std::uint32_t ranks() const { return job_.grid.world_size(); }
  // Allocates the arena. The roofs are measured before, while its memory is still free.
  void place() {
    arena_ = cuda::DeviceMemory(plan().arena_nbytes());
    kernels::cuda::fill_with_numbers(arena_.bytes(), dtype());
  }
  [[nodiscard]] std::vector<std::byte*> addresses(const plan::Task& task) const {
    std::vector<std::byte*> all;
    for (const plan::Operand& operand : plan().op(task).operands) {
      all.push_back(operand.buffer == plan::kNoBuffer
                        ? nullptr
                        : arena_.bytes().data() +
                              plan().range(task, operand, verified_.binding().coordinates).begin);
    }
    return all;
  }
  // Enqueues the task.
  const Error* run(const plan::Task& task, const std::vector<std::byte*>& operands,
                   CUstream_st* stream) const {
    return kernels_.functions()[plan::index(task.op)]->run(
        {.operands = operands, .first = task.first, .stream = stream, .complaint = complaint()});
  }
  void run_once(const plan::Task& task) const {
    const cuda::Stream stream;
    const std::vector<std::byte*> operands = addresses(task);
    if (const Error* error = run(task, operands, stream.get()); error != nullptr)
      throw Error(*error);
    stream.synchronize();
    if (*complaint() != 0)
      throw kernels_.functions()[plan::index(task.op)]->late_error(*complaint());
  }

 private:
  static job::JobPlan proven_job(const Config& config) {
    job::JobPlan job = job::plan_job(config);
    job::require_proven(job);
    return job;
  }

  [[nodiscard]] std::int64_t* complaint() const noexcept {
    return reinterpret_cast<std::int64_t*>(complaint_.bytes().data());
  }

  NoTask no_task_;
  job::JobPlan job_;
  plan::VerifiedPlan verified_;
  engine::PreparedKernels kernels_;
  cuda::DeviceMemory arena_;
  cuda::PinnedMemory complaint_{sizeof(std::int64_t)};  // of all tasks
};

void require_own_counts(const PlanOnDevice& on_device) {
  if (on_device.ranks() == 1) return;
  for (const plan::PlanOp& op : on_device.plan().ops()) {
    if (!graph::is_grouped_product(*op.def)) continue;
    throw Error(ErrorCode::unsupported,
                fmt::format("the products of experts are timed for the rows that their router "
                            "chooses, so one rank must have all experts: expected "
                            "parallel.world_size = 1, found {}",
                            on_device.ranks()));
  }
}

// Reads the rows of each expert from the device.
ExpertProduct rows_of_experts(const plan::PlanOp& op, std::span<std::byte* const> operands) {
  constexpr std::size_t kGroups = graph::grouped_linear::groups;
  static_assert(kGroups == std::size_t{graph::grouped_linear_input_gradient::groups} &&
                kGroups == std::size_t{graph::grouped_linear_weight_gradient::groups} &&
                kGroups == std::size_t{graph::quantised_grouped_linear::groups} &&
                kGroups == std::size_t{graph::quantised_grouped_input_gradient::groups});
  std::vector<std::int64_t> rows(op.operands[kGroups].nbytes / sizeof(std::int64_t));
  cuda::copy_to_host(std::as_writable_bytes(std::span(rows)), operands[kGroups]);
  const auto [least, most] = std::ranges::minmax(rows);
  return {.rows_min = least, .rows_max = most};
}

// Times the ops of plans, one plan after the other.
class OpsTimer {
 public:
  OpsTimer(const DeviceOpsOptions& options, DeviceOps& result)
      : options_(options),
        result_(result),
        stopwatch_(std::min(options.roofs.copied_nbytes, cuda::Stopwatch::kCopied)),
        sensors_(cuda::properties(0).pci_bus_id),
        readings_{sensors_.read()} {}

  void time(const PlanOnDevice& on_device, const std::optional<DenseProduct>& dense) {
    std::set<std::string> seen;
    for (const plan::Task& task : on_device.plan().tasks()) {
      const plan::PlanOp& op = on_device.plan().op(task);
      if (decides_rows(op)) on_device.run_once(task);
      if (is_timed(op, options_.timed) && seen.insert(describe(op, task.first)).second)
        time_task(on_device, task, dense);
    }
  }
  [[nodiscard]] cuda::SensorSummary sensors() const { return cuda::summarize(sensors_, readings_); }

 private:
  void time_task(const PlanOnDevice& on_device, const plan::Task& task,
                 const std::optional<DenseProduct>& dense) {
    const plan::PlanOp& op = on_device.plan().op(task);
    const std::vector<std::byte*> operands = on_device.addresses(task);
    DeviceOp timed{.name = describe(op, task.first),
                   .seconds = spread_of(stopwatch_.seconds_of(
                       [&](CUstream_st* stream) { return on_device.run(task, operands, stream); },
                       options_.repetitions)),
                   .flops = op.cost.flops,
                   .nbytes = least_nbytes(on_device.plan(), task),
                   .best_flops = best_flops(op, result_.roofs.measured)};
    if (graph::is_grouped_product(*op.def)) {
      timed.experts = rows_of_experts(op, operands);
      if (dense) {
        timed.experts->dense_seconds =
            dense->seconds_of(op, operands, task.first, stopwatch_, options_.repetitions);
      }
    }
    readings_.push_back(sensors_.read());
    result_.ops.push_back(std::move(timed));
  }

  const DeviceOpsOptions& options_;
  DeviceOps& result_;
  cuda::Stopwatch stopwatch_;
  cuda::Sensors sensors_;
  std::vector<cuda::SensorReading> readings_;
};

}  // namespace

DeviceOps time_device_ops(std::span<const Config> configs, const DeviceOpsOptions& options) {
  cuda::use_device(0);
  DeviceOps result{.device = cuda::properties(0).name};
  std::optional<OpsTimer> timer;
  for (const Config& config : configs) {
    PlanOnDevice on_device(config);
    require_own_counts(on_device);
    if (!timer) {
      result.roofs = measure_device_roofs(config, on_device.dtype(), options.roofs);
      timer.emplace(options, result);
    }
    on_device.place();
    std::optional<DenseProduct> dense;
    if (options.timed == TimedOps::experts) dense.emplace(gemm_choices(config));
    timer->time(on_device, dense);
  }
  result.sensors = timer->sensors();
  return result;
}

}  // namespace megascale::study
