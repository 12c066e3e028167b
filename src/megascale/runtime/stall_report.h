#ifndef MEGASCALE_RUNTIME_STALL_REPORT_H_
#define MEGASCALE_RUNTIME_STALL_REPORT_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/plan/step_plan.h"

namespace megascale::runtime {

// A task in a report: its number in the plan, and its name.
struct ReportedTask {
  graph::Lane lane = graph::Lane::compute;
  std::uint32_t id = 0;
  std::string name;
};

// The first unfinished task of a lane, and why it does not go on.
struct StalledLane {
  enum class Why : std::uint8_t {
    waits_for_task,  // a task of another lane is not done: `awaited_task`
    not_started,     // `awaited_ranks` have not started the transfer
    not_finished,    // every rank has started the transfer; `awaited_ranks` are not through
    not_polled,      // the other ranks are through with the transfer, this one is not
    no_thread,       // the task may start; the thread of its lane has not come to it
    on_device,       // the device was given the task and has not done it
  };
  ReportedTask task;
  Why why = Why::no_thread;
  std::optional<ReportedTask> awaited_task;
  std::string communicator;  // of a transfer
  std::vector<std::uint32_t> awaited_ranks;
};

// A step that was given up because no task of it finished for `timeout`: what every lane of the
// rank waited for. A rank often waits for a healthy peer that itself waits for another: only the
// reports of all ranks together say which rank or link is at fault.
struct StallReport {
  std::uint32_t rank = 0;
  std::chrono::nanoseconds timeout{0};  // control.timeout_seconds
  std::vector<StalledLane> lanes;       // those with unfinished tasks
};

// The one place where a report becomes text: one line, without a line break.
[[nodiscard]] std::string to_string(const StallReport& report);
// ErrorCode::timeout with that text.
[[nodiscard]] Error to_error(const StallReport& report);

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_STALL_REPORT_H_
