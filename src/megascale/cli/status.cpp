// `megascale status`: where a job with --robust stands. It reads the job record, also of a job whose
// driver is dead.
#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/clock.h"
#include "megascale/base/run_directory.h"
#include "megascale/cli/command.h"
#include "megascale/control/invariants.h"
#include "megascale/control/job_status.h"

namespace megascale::cli {
namespace {

struct StatusArguments {
  std::filesystem::path run_dir;
  bool check = false;
};

std::string phase_of(const control::JobStatus& status) {
  if (status.exit_code == 0) return "ended";
  if (status.exit_code > 0)
    return fmt::format("ended with exit code {}: {}", status.exit_code, status.end);
  if (status.driver_lives) return status.phase;
  return fmt::format("{}; its driver is dead or stopped, last seen {:.0f} s ago", status.phase,
                     status.silent_seconds);
}

void show_ledger(const control::Ledger& ledger, Outcome& outcome) {
  const double wall = static_cast<double>(ledger.wall_ns) * 1e-9;
  fmt::print("time        {:.1f} s, {:.1f} % effective training\n", wall, 100 * ledger.effective());
  nlohmann::ordered_json json{{"wall", wall}};
  for (std::size_t i = 0; i < control::kBuckets; ++i) {
    const auto bucket = static_cast<control::Bucket>(i);
    fmt::print("  {:<17} {:.1f} s\n", control::to_string(bucket), ledger.seconds(bucket));
    json[std::string(control::to_string(bucket))] = ledger.seconds(bucket);
  }
  outcome.json["seconds"] = std::move(json);
  outcome.json["effective"] = ledger.effective();
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

Outcome show(const StatusArguments& arguments) {
  control::JobRecord record(RunDirectory(arguments.run_dir).job_record(),
                            control::Database::Access::read);
  const control::JobStatus status = control::read_status(record, monotonic_ns());
  const auto or_none = [](std::int64_t step) {
    return step >= 0 ? std::to_string(step) : std::string("none");
  };
  fmt::print("job         {} ({} ranks)\n", status.job, status.ranks);
  fmt::print("state       {}\n", phase_of(status));
  fmt::print("attempt     {} (session {})\n", status.attempt, status.session);
  fmt::print("steps       {}\n", or_none(status.step));
  fmt::print("checkpoint  {}\n", or_none(status.checkpoint));
  fmt::print("incidents   {}, {} open\n", status.incidents, status.open_incidents);
  Outcome outcome{.json = {{"job", status.job},
                           {"ranks", status.ranks},
                           {"phase", status.phase},
                           {"driver_lives", status.driver_lives},
                           {"session", status.session},
                           {"attempt", status.attempt},
                           {"steps_done", std::max<std::int64_t>(status.step, 0)},
                           {"incidents", status.incidents},
                           {"open_incidents", status.open_incidents},
                           {"hosts", nlohmann::ordered_json::array()}}};
  if (status.checkpoint >= 0) outcome.json["checkpoint"] = status.checkpoint;
  if (status.exit_code >= 0) outcome.json["exit_code"] = status.exit_code;
  for (const control::Node& node : status.nodes) {
    outcome.json["hosts"].push_back(
        {{"host", node.host}, {"cores", node.cores}, {"state", node.state}});
  }
  show_ledger(status.ledger, outcome);
  if (arguments.check) check(record, outcome);
  return outcome;
}

}  // namespace

void add_status(Command& app) {
  const auto arguments = std::make_shared<StatusArguments>();
  Command command = app.subcommand("status", "shows where a job with --robust stands");
  command.option("RUN_DIR", arguments->run_dir, "run directory").required();
  command.flag("--check", arguments->check,
               "also check the record: epochs, restarts and checkpoints (docs/robust.md)");
  command.does([arguments] { return show(*arguments); });
}

}  // namespace megascale::cli
