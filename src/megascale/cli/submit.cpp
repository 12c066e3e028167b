// `megascale submit`, `evict` and `stop`: what an operator asks a driver to do.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <thread>

#include "megascale/base/value_of.h"
#include "megascale/cli/command.h"
#include "megascale/cli/driver_arguments.h"
#include "megascale/cli/submit_launchers.h"
#include "megascale/config/derived.h"
#include "megascale/control/fewer_hosts.h"
#include "megascale/control/remote/control_messages.h"
#include "megascale/control/robust_run.h"
#include "megascale/train/start_point.h"

namespace megascale::cli {
namespace {

struct SubmitArguments {
  ConfigArguments config;
  DriverArguments driver;
  LauncherArguments launcher;
  std::uint32_t hosts = 1;
  double timeout = 60;
};

struct EvictArguments {
  DriverArguments driver;
  std::string host, reason;
  bool allow = false;
};

// Returns the job that this command line describes.
control::DriverSettings job_of(const SubmitArguments& arguments) {
  const Config config = arguments.config.load_for_training().config;
  const auto ranks = static_cast<std::uint32_t>(world_size(config));
  std::vector<std::string> command{"megascale", "train", arguments.config.file.string()};
  std::vector<std::string> overrides = arguments.config.overrides;
  const bool may_shrink = config.control.allow_fewer && arguments.hosts > 1;
  // The default of the batch follows the number of ranks, which may change.
  if (may_shrink)
    overrides.push_back(fmt::format("train.global_batch_size={}", config.train.global_batch_size));
  for (const std::string& one : overrides) command.insert(command.end(), {"--set", one});
  command.insert(command.end(), {"--ranks", std::to_string(ranks), "--json"});
  control::DriverSettings job = control::driver_settings(config, ranks, std::move(command));
  job.hosts = arguments.hosts;
  if (may_shrink && ranks % job.hosts == 0) {
    job.fewer_hosts = control::find_fewer_hosts(config, job.hosts);
    say(fmt::format("if hosts are missing for {} s, the job goes on with {}",
                    job.fewer_after_seconds, fmt::join(job.fewer_hosts, " or ")));
  }
  job.directory = std::filesystem::current_path().string();
  job.run_dir = std::filesystem::absolute(config.train.run_dir).lexically_normal().string();
  job.checkpoints =
      std::filesystem::absolute(train::checkpoint_directory(config)).lexically_normal().string();
  return job;
}

Outcome submit(const SubmitArguments& arguments) {
  if (!arguments.launcher.launcher.empty()) {
    return submit_by_launcher(arguments.config, arguments.hosts, arguments.driver.credentials,
                              arguments.launcher);
  }
  const std::string job = to_text(job_of(arguments));
  control::DriverClient client(arguments.driver.address(secure::Role::operator_));
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(arguments.timeout);
  for (;;) {
    const auto reply = client.call(control::kSubmitVerb, job, std::chrono::seconds(10));
    if (reply) {
      const control::SubmitReply accepted = control::parse_submit_reply(*reply);
      fmt::print("job {} {}\n", accepted.job,
                 accepted.was_running ? "runs already" : "was accepted");
      return {
          .json = {{"job", accepted.job}, {"accepted", accepted.was_running ? "running" : "new"}}};
    }
    // A driver may be starting.
    const ErrorCode code = reply.error().code();
    const bool may_come = code == ErrorCode::peer_lost || code == ErrorCode::timeout;
    if (!may_come || std::chrono::steady_clock::now() >= end) throw Error(reply.error());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

Outcome evict(const EvictArguments& arguments) {
  (void)arguments.driver.call(
      control::kBlockVerb,
      to_text(control::BlockRequest{
          .host = arguments.host, .why = arguments.reason, .allow = arguments.allow}));
  const char* what = arguments.allow ? "may have ranks again" : "gets no ranks any more";
  fmt::print("host {} {}\n", arguments.host, what);
  return {.json = {{"host", arguments.host}, {"blocked", !arguments.allow}}};
}

Outcome stop(const DriverArguments& driver) {
  (void)driver.call(control::kStopVerb, "{}");
  fmt::print("the job saves and ends\n");
  return {};
}

}  // namespace

void add_operator_commands(Command& app) {
  const auto submitting = std::make_shared<SubmitArguments>();
  Command command =
      app.subcommand("submit", "gives a job to a driver on several hosts (docs/cluster.md)");
  submitting->config.add_to(command);
  submitting->driver.add_to(command);
  submitting->launcher.add_to(command);
  command.option("--hosts", submitting->hosts, "hosts; each gets the same number of ranks")
      .positive()
      .shows_default();
  command.option("--timeout", submitting->timeout, "seconds to wait for a driver that starts")
      .at_least_zero()
      .shows_default();
  command.does([submitting] { return submit(*submitting); });

  const auto evicting = std::make_shared<EvictArguments>();
  command = app.subcommand("evict", "takes a host out of a job, for good");
  command.option("HOST", evicting->host, "name of the host").required();
  evicting->driver.add_to(command);
  command.option("--reason", evicting->reason, "why, for the job's record");
  command.flag("--allow", evicting->allow, "the other way: the host may have ranks again");
  command.does([evicting] { return evict(*evicting); });

  const auto driver = std::make_shared<DriverArguments>();
  command = app.subcommand("stop", "lets a job on several hosts save and end");
  driver->add_to(command);
  command.does([driver] { return stop(*driver); });
}

}  // namespace megascale::cli
