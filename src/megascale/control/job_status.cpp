// Takes the status together from the stored state of the driver and the tables.
#include "megascale/control/job_status.h"

#include <algorithm>

#include "megascale/control/driver_settings.h"
#include "megascale/control/driver_state.h"
#include "megascale/launch/process_state.h"

namespace megascale::control {
namespace {

// A driver stores its state at least every two seconds.
constexpr double kAliveSeconds = 5;

}  // namespace

JobStatus read_status(JobRecord& record, std::int64_t now_ns) {
  const JobRow job = record.job();
  JobStatus status{.job = job.name, .phase = "not started", .session = job.session};
  if (!job.settings.empty()) status.ranks = parse_driver_settings(job.settings).world_size;
  const auto incidents = record.incidents();
  status.incidents = static_cast<std::int64_t>(incidents.size());
  status.open_incidents = std::count_if(incidents.begin(), incidents.end(),
                                        [](const Incident& one) { return one.closed_ns == 0; });
  status.nodes = record.nodes();
  if (job.state.empty()) return status;
  const DriverState state = parse_driver_state(job.state);
  status.phase = to_string(state.phase);
  status.silent_seconds = static_cast<double>(now_ns - job.alive_ns) * 1e-9;
  const auto process =
      launch::process_state(job.driver_host, static_cast<std::uint32_t>(job.driver_process));
  status.driver_lives = state.phase != Phase::ended && process != launch::ProcessState::gone &&
                        status.silent_seconds >= 0 && status.silent_seconds < kAliveSeconds;
  const auto log = record.events();
  status.ledger = make_ledger(log, status.driver_lives ? now_ns : job.alive_ns);
  status.attempt = state.attempt.epoch;
  status.step = state.attempt.steps_done;
  if (!state.committed.empty()) status.checkpoint = state.committed.back();
  if (state.end) {
    status.exit_code = state.end->exit_code;
    status.end = state.end->text;
  }
  return status;
}

}  // namespace megascale::control
