// Puts driver, executor and ranks together on one host. The job record and the lock that keeps a
// second job out lie in a folder of their own in the run directory; rank 0 of each attempt owns the
// run directory itself.
#include "megascale/control/robust_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/run_directory.h"
#include "megascale/comm/ucx/ucx_worker.h"
#include "megascale/control/driver_link.h"
#include "megascale/control/executor.h"
#include "megascale/control/job_record.h"
#include "megascale/control/stop_signal_file.h"
#include "megascale/launch/process_state.h"
#include "megascale/launch/spawn.h"
#include "megascale/train/directory_owner.h"
#include "megascale/train/start_point.h"

namespace megascale::control {
DriverSettings driver_settings(const Config& config, std::uint32_t ranks,
                               std::vector<std::string> arguments) {
  const ControlConfig& control = config.control;
  return {.world_size = ranks,
          .arguments = std::move(arguments),
          .acts = control.mode == ControlMode::act,
          .heartbeat_seconds = control.heartbeat_seconds,
          .lease_seconds = control.lease_seconds,
          .frozen_seconds = control.frozen_seconds,
          .frozen_multiple = control.frozen_multiple,
          .start_seconds = control.timeout_seconds,
          .grace_seconds = control.grace_seconds,
          .backoff_seconds = control.backoff_seconds,
          .loss_multiple = control.loss_multiple,
          .loss_window = control.loss_window,
          .slow_share = control.slow_share,
          .restarts_per_hour = control.restarts_per_hour,
          .fruitless_attempts = control.crash_loop_attempts,
          .checks = control.checks,
          .check_least_share = control.check_least_share,
          .block_bad_hosts = control.block_bad_hosts,
          .wait_seconds = control.timeout_seconds,
          .fewer_hosts = {},
          .fewer_after_seconds = control.fewer_after_seconds,
          .directory = {},
          .run_dir = {},
          .checkpoints = {},
          .session_key = {}};
}

RobustEnd run_robust(const Config& config, std::uint32_t ranks,
                     const std::function<void(const std::string&)>& on_message) {
  if (!comm::ucx_is_available()) {
    throw Error(ErrorCode::unsupported,
                "--robust: expected a binary with UCX, since ranks are processes; install "
                "libucx-dev and build again");
  }
  const StopSignalFile signals;
  const RunDirectory run(config.train.run_dir);
  make_directories(run.control());
  const train::DirectoryOwner owner(run.control());
  JobRecord record(run.job_record(), Database::Access::write);
  const JobRow job =
      record.begin_session(to_text(driver_settings(config, ranks, launch::own_command_line())));
  DriverLink link({.run_dir = run.path().string(),
                   .blocked = &signals.before(),
                   .answer_seconds = config.control.lease_seconds,
                   .on_message = on_message});
  Executor::Options options;
  options.job = job.name;
  options.host = launch::own_host_name();
  options.incarnation = std::max<std::int64_t>(monotonic_ns(), 1);
  options.heartbeat_seconds = config.control.heartbeat_seconds;
  options.run_dir = run.path();
  options.checkpoints = train::checkpoint_directory(config);
  options.blocked = &signals.before();
  options.signals = signals.descriptor();
  Executor executor(std::move(options), link);
  ExecutorEnd end = executor.run();
  RobustEnd result{
      .exit_code = end.exit_code, .error = std::move(end.error), .output = std::move(end.output)};
  const auto of_session = [&](const auto& one) { return one.session == job.session; };
  const auto attempts = record.attempts();
  const auto incidents = record.incidents();
  result.attempts = std::count_if(attempts.begin(), attempts.end(), of_session);
  result.incidents = std::count_if(incidents.begin(), incidents.end(), of_session);
  return result;
}

}  // namespace megascale::control
