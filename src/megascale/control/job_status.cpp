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

// "member", "spare", "silent", "blocked: WHY" or "quarantine".
std::string state_of(const std::string& host, const DriverState& state, std::int64_t now_ns) {
  const auto blocked = state.blocked.find(host);
  if (blocked != state.blocked.end()) return "blocked: " + blocked->second;
  if (state.silent_hosts.contains(host)) return "silent";
  const auto quarantine = state.quarantined.find(host);
  if (quarantine != state.quarantined.end() && quarantine->second.until_ns > now_ns)
    return "quarantine";
  const bool is_member = std::any_of(state.members.begin(), state.members.end(),
                                     [&](const Member& member) { return member.host == host; });
  return is_member ? "member" : "spare";
}

}  // namespace

JobStatus read_status(JobRecord& record, std::int64_t now_ns) {
  const JobRow job = record.job();
  JobStatus status{.job = job.name, .phase = "not started", .session = job.session};
  DriverSettings settings;
  if (!job.settings.empty()) settings = parse_driver_settings(job.settings);
  if (!job.settings.empty()) status.ranks = status.ranks_now = settings.world_size;
  const auto incidents = record.incidents();
  status.incidents = static_cast<std::int64_t>(incidents.size());
  status.open_incidents = std::count_if(incidents.begin(), incidents.end(),
                                        [](const Incident& one) { return one.closed_ns == 0; });
  status.nodes = record.nodes();
  if (job.state.empty()) return status;
  const DriverState state = parse_driver_state(job.state);
  status.phase = to_string(state.phase);
  if (!state.members.empty()) {
    status.ranks_now =
        static_cast<std::uint32_t>(state.members.size()) * (settings.world_size / settings.hosts);
  }
  now_ns += state.clock_ns;
  status.driver_host = job.driver_host;
  status.term = state.term;
  status.silent_seconds = static_cast<double>(now_ns - job.alive_ns) * 1e-9;
  const auto process =
      launch::process_state(job.driver_host, static_cast<std::uint32_t>(job.driver_process));
  status.driver_lives = state.phase != Phase::ended && process != launch::ProcessState::gone &&
                        status.silent_seconds >= 0 && status.silent_seconds < kAliveSeconds;
  const auto log = record.events();
  status.ledger = make_ledger(log, status.driver_lives ? now_ns : job.alive_ns);
  for (Node& node : status.nodes) node.state = state_of(node.host, state, now_ns);
  status.present = state.present;
  status.attempt = state.attempt.epoch;
  status.step = state.attempt.steps_done;
  if (!state.committed.empty()) status.checkpoint = state.committed.back();
  if (state.end) {
    status.exit_code = state.end->exit_code;
    status.end = state.end->text;
  }
  return status;
}

Json to_json(const JobStatus& status) {
  Json hosts = Json::array(), seconds{{"wall", static_cast<double>(status.ledger.wall_ns) * 1e-9}};
  for (const Node& node : status.nodes)
    hosts.push_back({{"host", node.host}, {"cores", node.cores}, {"state", node.state}});
  for (std::size_t i = 0; i < kBuckets; ++i) {
    const auto bucket = static_cast<Bucket>(i);
    seconds[std::string(to_string(bucket))] = status.ledger.seconds(bucket);
  }
  Json json{{"job", status.job},
            {"ranks", status.ranks},
            {"ranks_now", status.ranks_now},
            {"phase", status.phase},
            {"driver_lives", status.driver_lives},
            {"silent_seconds", status.silent_seconds},
            {"driver_host", status.driver_host},
            {"term", status.term},
            {"session", status.session},
            {"attempt", status.attempt},
            {"steps_done", std::max<std::int64_t>(status.step, 0)},
            {"incidents", status.incidents},
            {"open_incidents", status.open_incidents},
            {"hosts", std::move(hosts)}};
  if (status.checkpoint >= 0) json["checkpoint"] = status.checkpoint;
  if (status.exit_code >= 0) json["exit_code"] = status.exit_code;
  if (!status.end.empty()) json["end"] = status.end;
  json["seconds"] = std::move(seconds);
  json["effective"] = status.ledger.effective();
  return json;
}

}  // namespace megascale::control
