// `megascale diagnose`: checks this host, and with a launcher also compares hosts and tests the
// network between them.
#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/cli/command.h"
#include "megascale/comm/process/before_start.h"
#include "megascale/diagnose/host_checks.h"
#include "megascale/diagnose/neighbours.h"
#include "megascale/diagnose/report_text.h"

namespace megascale::cli {
namespace {

struct DiagnoseArguments {
  diagnose::HostOptions host;
  std::string baseline, report;
};

Outcome show(const std::vector<diagnose::HostReport>& reports) {
  Outcome outcome{.json = {{"passed", true}, {"hosts", nlohmann::ordered_json::array()}}};
  for (const diagnose::HostReport& report : reports) {
    fmt::print("{}", diagnose::to_table(report));
    outcome.json["hosts"].push_back(diagnose::to_json(report));
    if (report.passed()) continue;
    outcome.exit_code = 1;
    outcome.json["passed"] = false;
    const std::string failures = fmt::format("host {} failed: {}", report.host, report.failures());
    outcome.json["errors"].push_back(failures);
    say("megascale: " + failures);
  }
  return outcome;
}

Outcome check(const DiagnoseArguments& arguments) {
  auto process = comm::ProcessLaunch::from_environment();
  if (process && process->environment.local_world_size > 1) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("diagnose: expected one process of the launcher on each host, found {} "
                            "(srun --ntasks-per-node=1)",
                            process->environment.local_world_size));
  }
  diagnose::HostOptions options = arguments.host;
  if (!arguments.baseline.empty()) options.baseline = arguments.baseline;
  diagnose::HostReport report = comm::before_start(process ? &*process : nullptr,
                                                   [&] { return diagnose::check_host(options); });
  Outcome outcome = process ? show(diagnose::check_neighbours(*process, std::move(report)))
                            : show({std::move(report)});
  if (!arguments.report.empty())
    write_text_atomically(arguments.report, outcome.json.dump(2) + "\n");
  return outcome;
}

}  // namespace

void add_diagnose(Command& app) {
  const auto arguments = std::make_shared<DiagnoseArguments>();
  diagnose::HostOptions& host = arguments->host;
  Command command = app.subcommand(
      "diagnose",
      "checks whether this host is fit to train; with a launcher, also the hosts together");
  command.option("DIRECTORY", host.directory, "run directory, whose disk is checked")
      .shows_default();
  command.option("--baseline", arguments->baseline,
                 "file, or directory with a file for each host, of the rates of the healthy "
                 "machine; written by the first run that passes");
  command.option("--report", arguments->report,
                 "file to which the report is also written, as JSON");
  command
      .option("--least-share", host.least_share, "a rate below this share of the baseline's fails")
      .from_0_to_1()
      .shows_default();
  command.option("--free-disk", host.free_disk_nbytes, "bytes that must be free on the disk: 10g")
      .in_bytes()
      .shows_default();
  command.option("--free-memory", host.free_memory_nbytes, "bytes of memory that must be free")
      .in_bytes()
      .shows_default();
  command.option("--ranks", host.ranks, "processes of all_to_all; 0: one for each core, at most 16")
      .between(0, 64)
      .shows_default();
  command.option("--only", host.only, "names of checks, such as compute,disk (default: all)")
      .separated_by_commas();
  command.does([arguments] { return check(*arguments); });
}

}  // namespace megascale::cli
