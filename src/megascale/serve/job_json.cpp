// Converts the job record of a driver to JSON.
#include <filesystem>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/control/job_record.h"
#include "megascale/control/job_status.h"
#include "megascale/serve/run_view.h"

namespace megascale::serve {
namespace {

Json incident_json(const control::Incident& incident) {
  Json json{
      {"number", incident.number},   {"attempt", incident.epoch},      {"rule", incident.rule},
      {"host", incident.host},       {"rank", incident.rank},          {"step", incident.step},
      {"what", incident.what},       {"evidence", incident.evidence},  {"action", incident.action},
      {"outcome", incident.outcome}, {"open", incident.closed_ns == 0}};
  if (incident.closed_ns != 0)
    json["seconds"] = static_cast<double>(incident.closed_ns - incident.opened_ns) * 1e-9;
  return json;
}

Json attempt_json(const control::Attempt& attempt) {
  return {{"number", attempt.epoch},
          {"session", attempt.session},
          {"resumed_step", attempt.resumed_step},
          {"steps_done", attempt.steps_done},
          {"runs", attempt.ended_ns == 0},
          {"outcome", attempt.outcome}};
}

}  // namespace

Json RunView::job() {
  if (!std::filesystem::exists(run_.job_record())) {
    throw Error(ErrorCode::bad_usage,
                "this run has no driver: start it with megascale train --robust, or with a driver "
                "and executors, to have incidents and restarts recorded");
  }
  control::JobRecord record(run_.job_record(), control::Database::Access::read);
  Json json{{"status", to_json(control::read_status(record, monotonic_ns()))},
            {"incidents", Json::array()},
            {"attempts", Json::array()},
            {"can_evict", can_evict_}};
  for (const control::Incident& incident : record.incidents())
    json["incidents"].push_back(incident_json(incident));
  for (const control::Attempt& attempt : record.attempts())
    json["attempts"].push_back(attempt_json(attempt));
  return json;
}

}  // namespace megascale::serve
