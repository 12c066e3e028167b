// Writes a stall report as text. All messages about stalled steps come from here.
#include "megascale/runtime/stall_report.h"

#include <fmt/format.h>

namespace megascale::runtime {
namespace {

std::string name_of(const ReportedTask& task) {
  return fmt::format("task {} ({})", task.id, task.name);
}

std::string reason_of(const StalledLane& lane) {
  using Why = StalledLane::Why;
  const auto ranks = [&] {
    return fmt::format("{} {}", lane.awaited_ranks.size() == 1 ? "rank" : "ranks",
                       fmt::join(lane.awaited_ranks, ", "));
  };
  switch (lane.why) {
    case Why::waits_for_task:
      return fmt::format("waits for {} of lane {}", name_of(*lane.awaited_task),
                         graph::to_string(lane.awaited_task->lane));
    case Why::not_started:
      return fmt::format("waits on communicator {}: not started by {}", lane.communicator, ranks());
    case Why::not_finished:
      return fmt::format("waits on communicator {}: started by all, not finished by {}",
                         lane.communicator, ranks());
    case Why::not_polled:
      return fmt::format("waits on communicator {}: all members have finished, this rank has not",
                         lane.communicator);
    case Why::no_thread:
      return "waits for its thread";
    case Why::on_device:
      return "is not done by the device";
  }
  return "waits";
}

}  // namespace

std::string to_string(const StallReport& report) {
  std::string text = fmt::format(
      "rank {}: no task has finished for {} s (control.timeout_seconds), the step is given up",
      report.rank, std::chrono::duration<double>(report.timeout).count());
  for (const StalledLane& lane : report.lanes) {
    text += fmt::format("; lane {}: {} {}", graph::to_string(lane.task.lane), name_of(lane.task),
                        reason_of(lane));
  }
  return text;
}

Error to_error(const StallReport& report) { return {ErrorCode::timeout, to_string(report)}; }

}  // namespace megascale::runtime
