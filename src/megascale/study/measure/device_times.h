#ifndef MEGASCALE_STUDY_MEASURE_DEVICE_TIMES_H_
#define MEGASCALE_STUDY_MEASURE_DEVICE_TIMES_H_

#include <array>
#include <map>
#include <span>
#include <string>

#include "megascale/cuda/sensors.h"
#include "megascale/observe/time_by_op.h"
#include "megascale/study/measure/device_roofs.h"

namespace megascale::study {

// Comparisons for the times of a step's ops on a CUDA device: the time when each op runs alone
// (alone_seconds), the least time that the roofs allow (floor_seconds), and the time of all tasks
// one after the other, as one graph (packed_seconds). The first two are sums over the tasks of an op
// kind in one step, on rank 0's compute lane.
struct DeviceTimes {
  struct Kind {
    OpClass of = OpClass::rest;  // the kind's class
    double alone_seconds = 0, floor_seconds = 0;
  };
  DeviceRoofs roofs;
  cuda::SensorSummary sensors;  // during the timed steps
  std::map<std::string, Kind, std::less<>> kinds;
  double packed_seconds = 0;
  // Not empty: the reason why there are no alone_seconds, and no packed_seconds.
  std::string why_not_alone, why_not_packed;
};

// Sums the tasks of the compute lane by op kind. `alone` has the seconds of each task of the plan
// alone, or is empty. A pure function.
[[nodiscard]] std::map<std::string, DeviceTimes::Kind, std::less<>> times_by_kind(
    const plan::StepPlan& plan, std::span<const double> alone, const kernels::cuda::Roofs& roofs);

// The time of the compute lane of rank 0 in one step, by class of op.
//
// Gaps are the times in which the device has nothing to run because a kernel is launched late.
// Records of a device do not show them: a task starts, in its record, when its waits are satisfied,
// so the gap counts as a part of the task. gap_seconds() compares the step, without the waits for
// other lanes, with the same tasks as one graph. Both run on a busy device, so lower clocks under
// load and warm caches are in both. Two effects remain. Transfers take memory bandwidth in the step
// only. A graph has no events between tasks and its kernels follow each other faster, so a gap is
// there even if the host is never late.
struct ClassTimes {
  struct Times {
    double seconds = 0, alone_seconds = 0, floor_seconds = 0;
  };
  std::array<Times, 4> classes;  // by OpClass
  double step_seconds = 0, waiting_seconds = 0, packed_seconds = 0;
  // Both return 1 minus the share of matrix products and attention in the step. Gaps before those
  // ops count as their time in the first function, and as time of the rest in the second. The
  // second divides packed_seconds as the ops' times alone, so their clocks do not enter.
  [[nodiscard]] double share_of_rest() const;
  [[nodiscard]] double share_of_rest_and_gaps() const;
  [[nodiscard]] double gap_seconds() const;
};
// Sums by class. `by_op` are the times of the same step. A pure function.
[[nodiscard]] ClassTimes times_by_class(const DeviceTimes& times, const observe::TimeByOp& by_op,
                                        double step_seconds);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_DEVICE_TIMES_H_
