#ifndef MEGASCALE_RUNTIME_STALL_REPORT_H_
#define MEGASCALE_RUNTIME_STALL_REPORT_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/plan/step_plan.h"

// The report about a step that stalled: the first unfinished task of every lane of the rank, and
// what the task waited for. Callers read it as a value (StepRunner::stall()), users as text.
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
    not_finished,    // every rank has started the transfer; `awaited_ranks` have not finished it
    not_polled,      // the other ranks have finished the transfer, this one has not
    no_thread,       // the task may start, but its lane's thread has not started it
    on_device,       // the task was handed over to the device, which has not finished it
  };
  ReportedTask task;
  Why why = Why::no_thread;
  std::optional<ReportedTask> awaited_task;
  std::string communicator;  // of a transfer: its key
  std::vector<std::uint32_t> awaited_ranks;
};

// A step that was given up because none of its tasks finished for `timeout`. A rank often waits for
// a healthy peer that itself waits for another rank. So only the reports of all ranks together show
// which rank or link is at fault.
struct StallReport {
  std::uint32_t rank = 0;
  std::chrono::nanoseconds timeout{0};  // control.timeout_seconds
  std::vector<StalledLane> lanes;       // those with unfinished tasks
};

// Returns the report as text: one line, without a line break.
[[nodiscard]] std::string to_string(const StallReport& report);
// Returns an Error (timeout) with that text.
[[nodiscard]] Error to_error(const StallReport& report);

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_STALL_REPORT_H_
