// Sums the times of a step's tasks by op kind and by class of op. The header explains how gaps
// between kernels are estimated.
#include "megascale/study/measure/device_times.h"

namespace megascale::study {
namespace {

constexpr std::array kMatrixUnitClasses{OpClass::gemm, OpClass::grouped_gemm, OpClass::attention};

const ClassTimes::Times& of(const ClassTimes& times, OpClass one) {
  return times.classes[static_cast<std::size_t>(one)];
}

}  // namespace

std::map<std::string, DeviceTimes::Kind, std::less<>> times_by_kind(
    const plan::StepPlan& plan, std::span<const double> alone, const kernels::cuda::Roofs& roofs) {
  std::map<std::string, DeviceTimes::Kind, std::less<>> kinds;
  for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
    const plan::Task& task = plan.tasks()[id];
    const plan::PlanOp& op = plan.op(task);
    if (op.lane != graph::Lane::compute) continue;
    DeviceTimes::Kind& kind = kinds[std::string(op.def->name)];
    kind.of = class_of(*op.def);
    kind.floor_seconds += floor_seconds(plan, task, roofs);
    if (!alone.empty()) kind.alone_seconds += alone[id];
  }
  return kinds;
}

double ClassTimes::share_of_rest() const {
  double seconds = 0;
  for (const OpClass one : kMatrixUnitClasses) seconds += of(*this, one).seconds;
  return 1 - seconds / step_seconds;
}
double ClassTimes::share_of_rest_and_gaps() const {
  double alone = 0, all_alone = 0;
  for (const OpClass one : kMatrixUnitClasses) alone += of(*this, one).alone_seconds;
  for (const Times& times : classes) all_alone += times.alone_seconds;
  return 1 - packed_seconds * alone / all_alone / step_seconds;
}
double ClassTimes::gap_seconds() const { return step_seconds - waiting_seconds - packed_seconds; }

ClassTimes times_by_class(const DeviceTimes& times, const observe::TimeByOp& by_op,
                          double step_seconds) {
  ClassTimes result{.step_seconds = step_seconds,
                    .waiting_seconds = by_op.idle_seconds,
                    .packed_seconds = times.packed_seconds};
  for (const observe::OpTime& op : by_op.ops) {
    const DeviceTimes::Kind& kind = times.kinds.find(op.op)->second;
    ClassTimes::Times& sum = result.classes[static_cast<std::size_t>(kind.of)];
    sum.seconds += op.seconds;
    sum.alone_seconds += kind.alone_seconds;
    sum.floor_seconds += kind.floor_seconds;
  }
  return result;
}

}  // namespace megascale::study
