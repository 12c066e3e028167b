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

// What stands beside the times of a step's ops on a device: how long they take by themselves, and
// how long they would take at the roofs. Seconds of all tasks of a kind in one step, of rank 0's
// compute lane.
struct DeviceTimes {
  struct Kind {
    OpClass of = OpClass::rest;
    double alone_seconds = 0, floor_seconds = 0;
  };
  DeviceRoofs roofs;
  cuda::SensorSummary sensors;  // of the timed steps
  std::map<std::string, Kind, std::less<>> kinds;
  std::string why_not_alone;  // not empty: why alone_seconds are not known
};

// `alone`: by task, or empty.
[[nodiscard]] std::map<std::string, DeviceTimes::Kind, std::less<>> times_by_kind(
    const plan::StepPlan& plan, std::span<const double> alone, const kernels::cuda::Roofs& roofs);

// A step's compute lane by class of op. Of rank 0, in a step of `step_seconds`.
//
// Records of a device cannot tell a gap in front of a task from the task: it starts when what it
// waits for is done, so that a launch that comes late counts as the time of the task that was
// launched. Gaps are therefore what the step takes beyond the waits for other lanes and the times
// that its tasks take alone. That is not gaps only: what an op loses among others (clocks under a
// long load, bandwidth that transfers take) is in it, and what it gains there (operands that are
// still in a cache, which alone are not) comes off, so that it can be below zero.
struct ClassTimes {
  struct Times {
    double seconds = 0, alone_seconds = 0, floor_seconds = 0;
  };
  std::array<Times, 3> classes;  // by OpClass
  double step_seconds = 0, waiting_seconds = 0;
  // 1 minus the share of products and attention, gaps in front of them counted as theirs; and as
  // everything else's.
  [[nodiscard]] double share_of_rest() const;
  [[nodiscard]] double share_of_rest_and_gaps() const;
  [[nodiscard]] double gap_seconds() const;
};
[[nodiscard]] ClassTimes times_by_class(const DeviceTimes& times, const observe::TimeByOp& by_op,
                                        double step_seconds);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_DEVICE_TIMES_H_
