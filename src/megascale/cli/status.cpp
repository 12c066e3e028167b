// `megascale status`: where a job stands. It reads the job record, also of a job whose driver is dead,
// or asks the driver.
#include <fmt/format.h>

#include "megascale/base/clock.h"
#include "megascale/base/run_directory.h"
#include "megascale/cli/command.h"
#include "megascale/cli/driver_arguments.h"
#include "megascale/control/invariants.h"
#include "megascale/control/job_status.h"
#include "megascale/control/port_watch.h"
#include "megascale/control/remote/control_messages.h"

namespace megascale::cli {
namespace {

struct StatusArguments {
  std::filesystem::path run_dir;
  DriverArguments driver;
  bool check = false, ports = false;
};

using Json = nlohmann::ordered_json;

std::string phase_of(const Json& status) {
  const int exit_code = status.value("exit_code", -1);
  if (exit_code == 0) return "ended";
  if (exit_code > 0)
    return fmt::format("ended with exit code {}: {}", exit_code, status.value("end", ""));
  std::string phase = status.at("phase");
  if (status.at("driver_lives").get<bool>()) return phase;
  return fmt::format("{}; its driver is dead or stopped, last seen {:.0f} s ago", phase,
                     status.at("silent_seconds").get<double>());
}

void show_times(const Json& status) {
  const Json& seconds = status.at("seconds");
  fmt::print("time        {:.1f} s, {:.1f} % effective training\n",
             seconds.at("wall").get<double>(), 100 * status.at("effective").get<double>());
  for (const auto& [bucket, time] : seconds.items())
    if (bucket != "wall") fmt::print("  {:<17} {:.1f} s\n", bucket, time.get<double>());
}

// Checks the record against what must be true of every job.
void check(control::JobRecord& record, Outcome& outcome) {
  outcome.json["violations"] = nlohmann::ordered_json::array();
  for (const auto& [invariant, what] :
       control::check_invariants(record.events(), record.incidents(), std::nullopt)) {
    fmt::print("invariant {} is violated: {}\n", invariant, what);
    outcome.json["violations"].push_back(fmt::format("{}: {}", invariant, what));
    outcome.exit_code = 1;
  }
}

void show(const Json& status) {
  const auto text = [&](const char* key) { return status.at(key).dump(); };
  const bool has_fewer = status.value("ranks_now", status.at("ranks")) != status.at("ranks");
  fmt::print("job         {} ({} ranks{})\n", status.at("job").get<std::string>(), text("ranks"),
             has_fewer ? fmt::format(", {} now", text("ranks_now")) : std::string());
  fmt::print("state       {}\n", phase_of(status));
  fmt::print("attempt     {} (session {})\n", text("attempt"), text("session"));
  fmt::print("steps       {}\n", text("steps_done"));
  fmt::print("checkpoint  {}\n",
             status.contains("checkpoint") ? text("checkpoint") : std::string("none"));
  fmt::print("incidents   {}, {} open\n", text("incidents"), text("open_incidents"));
  for (const Json& host : status.at("hosts"))
    fmt::print("host        {}: {}\n", host.at("host").get<std::string>(),
               host.at("state").get<std::string>());
  show_times(status);
}

void show_ports(const Json& status) {
  for (const Json& port : status.at("ports")) {
    const std::string rank =
        port.contains("rank") ? fmt::format("rank {}, ", port["rank"].dump()) : std::string();
    fmt::print("port        {}: {} ({}process {}): {} {} port {}, interface {}\n",
               port.at("host").get<std::string>(), port.at("purpose").get<std::string>(), rank,
               port.at("process").dump(), port.at("protocol").get<std::string>(),
               port.at("address").get<std::string>(), port.at("port").dump(),
               port.at("interface").get<std::string>());
  }
}

Outcome report(const StatusArguments& arguments) {
  const bool remote = !arguments.driver.driver.empty();
  if (remote == !arguments.run_dir.empty())
    throw Error(ErrorCode::bad_usage, "status: expected either RUN_DIR or --driver HOST:PORT");
  Outcome outcome;
  if (remote) {
    const control::StatusRequest request{.with_ports = arguments.ports};
    outcome.json = Json::parse(arguments.driver.call(control::kStatusVerb, to_text(request)));
    show(outcome.json);
    if (arguments.ports) show_ports(outcome.json);
    return outcome;
  }
  control::JobRecord record(RunDirectory(arguments.run_dir).job_record(),
                            control::Database::Access::read);
  const control::JobStatus status = control::read_status(record, monotonic_ns());
  outcome.json = to_json(status);
  show(outcome.json);
  if (arguments.ports) {
    outcome.json["ports"] = control::read_ports(arguments.run_dir, status.present);
    show_ports(outcome.json);
  }
  if (arguments.check) check(record, outcome);
  return outcome;
}

}  // namespace

void add_status(Command& app) {
  const auto arguments = std::make_shared<StatusArguments>();
  Command command =
      app.subcommand("status", "shows where a job with --robust or of a driver stands");
  command.option("RUN_DIR", arguments->run_dir, "run directory");
  arguments->driver.add_to(command);
  command.flag("--ports", arguments->ports,
               "also every port at which a process of the job can be reached");
  command.flag("--check", arguments->check,
               "also check the record: epochs, restarts and checkpoints (docs/robust.md)");
  command.does([arguments] { return report(*arguments); });
}

}  // namespace megascale::cli
