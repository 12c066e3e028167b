// `megascale incidents`: what went wrong in a job, why, and what was done. It reads the job record,
// also of a job whose driver is dead.
#include <fmt/format.h>

#include "megascale/base/run_directory.h"
#include "megascale/cli/command.h"
#include "megascale/control/job_record.h"

namespace megascale::cli {
namespace {

nlohmann::ordered_json to_json(const control::Incident& incident) {
  nlohmann::ordered_json json{{"number", incident.number},     {"session", incident.session},
                              {"attempt", incident.epoch},     {"rule", incident.rule},
                              {"host", incident.host},         {"what", incident.what},
                              {"evidence", incident.evidence}, {"action", incident.action},
                              {"outcome", incident.outcome},   {"open", incident.closed_ns == 0}};
  if (incident.rank >= 0) json["rank"] = incident.rank;
  if (incident.step >= 0) json["step"] = incident.step;
  if (incident.closed_ns != 0)
    json["seconds"] = static_cast<double>(incident.closed_ns - incident.opened_ns) * 1e-9;
  return json;
}

Outcome show(const std::filesystem::path& run_dir) {
  control::JobRecord record(RunDirectory(run_dir).job_record(), control::Database::Access::read);
  Outcome outcome{.json = {{"incidents", nlohmann::ordered_json::array()}}};
  const auto incidents = record.incidents();
  if (incidents.empty()) fmt::print("no incidents\n");
  for (const control::Incident& incident : incidents) {
    fmt::print(
        "{}. attempt {}: {}{}\n   rule      {}\n   evidence  {}\n   action    {}\n   outcome   "
        "{}\n",
        incident.number, incident.epoch, incident.what,
        incident.step >= 0 ? fmt::format(" (step {})", incident.step) : "", incident.rule,
        incident.evidence, incident.action, incident.closed_ns == 0 ? "open" : incident.outcome);
    outcome.json["incidents"].push_back(to_json(incident));
  }
  return outcome;
}

}  // namespace

void add_incidents(Command& app) {
  const auto run_dir = std::make_shared<std::filesystem::path>();
  Command command = app.subcommand(
      "incidents", "shows what went wrong in a job with --robust, why, and what was done");
  command.option("RUN_DIR", *run_dir, "run directory").required();
  command.does([run_dir] { return show(*run_dir); });
}

}  // namespace megascale::cli
