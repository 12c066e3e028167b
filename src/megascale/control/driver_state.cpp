// The state as JSON, member by member.
#include "megascale/control/driver_state.h"

#include <array>
#include <limits>

#include "megascale/control/message_text.h"
#include "megascale/control/outcome_text.h"

namespace megascale::control {
namespace {

constexpr std::array<std::string_view, 6> kPhases{"waiting",  "checking", "starting",
                                                  "training", "stopping", "ended"};
constexpr const char* kWhat = "the state of a driver";

Json to_json(const Incident& incident) {
  return {{"number", incident.number},       {"session", incident.session},
          {"epoch", incident.epoch},         {"opened_ns", incident.opened_ns},
          {"closed_ns", incident.closed_ns}, {"rule", incident.rule},
          {"rank", incident.rank},           {"host", incident.host},
          {"step", incident.step},           {"what", incident.what},
          {"evidence", incident.evidence},   {"action", incident.action},
          {"outcome", incident.outcome}};
}

Incident incident_from_json(const Parsed& object) {
  const Fields fields(object, "an incident of a driver's state");
  Incident incident;
  incident.number = fields.at_least("number", 0);
  incident.session = fields.at_least("session", 0);
  incident.epoch = fields.at_least("epoch", 0);
  incident.opened_ns = fields.at_least("opened_ns", 0);
  incident.closed_ns = fields.at_least("closed_ns", 0);
  incident.rule = fields.text("rule");
  incident.rank = fields.at_least("rank", -1);
  incident.host = fields.text("host");
  incident.step = fields.at_least("step", -1);
  incident.what = fields.text("what");
  incident.evidence = fields.text("evidence");
  incident.action = fields.text("action");
  incident.outcome = fields.text("outcome");
  return incident;
}

Json to_json(const Replay& replay) {
  Json outcomes = Json::array();
  for (const auto& [rank, outcome] : replay.outcomes)
    outcomes.push_back({{"rank", rank}, {"outcome", outcome_to_text(outcome)}});
  return {{"step", replay.step},
          {"epoch", replay.epoch},
          {"hosts", replay.hosts},
          {"incident", replay.incident},
          {"of_state", replay.of_state},
          {"resumed", replay.resumed},
          {"outcomes", std::move(outcomes)}};
}

Replay replay_from_json(const Parsed& object) {
  const Fields fields(object, "the replay of a driver's state");
  Replay replay{.step = fields.at_least("step", 0),
                .epoch = fields.at_least("epoch", 0),
                .incident = fields.at_least("incident", 0),
                .of_state = fields.boolean("of_state"),
                .outcomes = {},
                .hosts = fields.has("hosts") ? fields.texts("hosts") : std::vector<std::string>(),
                .resumed = fields.text("resumed")};
  for (const Parsed& item : fields.list("outcomes")) {
    const Fields one(item, "an outcome of a driver's replay");
    replay.outcomes[static_cast<std::uint32_t>(one.integer("rank", 0, 1 << 24))] =
        outcome_from_text(one.text("outcome"));
  }
  return replay;
}

Json to_json(const Attempt& attempt) {
  return {{"epoch", attempt.epoch},
          {"session", attempt.session},
          {"started_ns", attempt.started_ns},
          {"ended_ns", attempt.ended_ns},
          {"resumed_step", attempt.resumed_step},
          {"steps_done", attempt.steps_done},
          {"outcome", attempt.outcome}};
}

Attempt attempt_from_json(const Parsed& object) {
  const Fields fields(object, "the attempt of a driver's state");
  Attempt attempt;
  attempt.epoch = fields.at_least("epoch", 0);
  attempt.session = fields.at_least("session", 0);
  attempt.started_ns = fields.at_least("started_ns", 0);
  attempt.ended_ns = fields.at_least("ended_ns", 0);
  attempt.resumed_step = fields.at_least("resumed_step", -1);
  attempt.steps_done = fields.at_least("steps_done", -1);
  attempt.outcome = fields.text("outcome");
  return attempt;
}

// Which hosts have ranks and which may not have any. A record of an older version has none of it.
void parse_hosts(const Fields& fields, DriverState& state) {
  if (!fields.has("members")) return;
  for (const Parsed& item : fields.list("members")) {
    const Fields member(item, "a member in a driver's state");
    state.members.push_back(
        {.host = member.text("host"), .incarnation = member.at_least("incarnation", 0)});
  }
  for (const Parsed& item : fields.list("blocked")) {
    const Fields host(item, "a blocked host in a driver's state");
    state.blocked[host.text("host")] = host.text("why");
  }
  for (const Parsed& item : fields.list("quarantined")) {
    const Fields host(item, "a host in quarantine in a driver's state");
    state.quarantined[host.text("host")] = {.times = host.at_least("times", 0),
                                            .until_ns = host.at_least("until_ns", 0)};
  }
}

Json to_json(const std::map<std::string, std::int64_t>& numbers) {
  Json json = Json::array();
  for (const auto& [host, number] : numbers) json.push_back({{"host", host}, {"number", number}});
  return json;
}

// A record of an older version does not have the member.
std::map<std::string, std::int64_t> numbers_of_hosts(const Fields& fields, const char* key) {
  std::map<std::string, std::int64_t> numbers;
  if (!fields.has(key)) return numbers;
  for (const Parsed& item : fields.list(key)) {
    const Fields host(item, "a checked host in a driver's state");
    numbers[host.text("host")] = host.at_least("number", 0);
  }
  return numbers;
}

}  // namespace

std::string_view to_string(Phase phase) noexcept {
  return kPhases[static_cast<std::size_t>(phase)];
}

std::string to_text(const DriverState& state) {
  Json silent = Json::array(), orders = Json::array(), incarnations = Json::array();
  Json members = Json::array(), blocked = Json::array(), quarantined = Json::array();
  for (const auto& [host, incarnation] : state.members)
    members.push_back({{"host", host}, {"incarnation", incarnation}});
  for (const auto& [host, why] : state.blocked) blocked.push_back({{"host", host}, {"why", why}});
  for (const auto& [host, one] : state.quarantined) {
    quarantined.push_back({{"host", host}, {"times", one.times}, {"until_ns", one.until_ns}});
  }
  for (const auto& [host, incarnation] : state.incarnations)
    incarnations.push_back({{"host", host}, {"incarnation", incarnation}});
  for (const auto& [host, incident] : state.silent_hosts) silent.push_back(to_json(incident));
  for (const Order& order : state.outstanding) orders.push_back(order_to_json(order));
  Json json{{"session", state.session},
            {"term", state.term},
            {"clock_ns", state.clock_ns},
            {"phase", to_string(state.phase)},
            {"attempt", to_json(state.attempt)},
            {"not_before_ns", state.not_before_ns},
            {"furthest_step", state.furthest_step},
            {"caught_up", state.caught_up},
            {"newest_resume", state.newest_resume},
            {"fruitless", state.fruitless},
            {"restarts_ns", state.restarts_ns},
            {"committed", state.committed},
            {"copied", state.copied},
            {"stall_seconds", state.stall_seconds},
            {"silent_hosts", std::move(silent)},
            {"incarnations", std::move(incarnations)},
            {"present", state.present},
            {"members", std::move(members)},
            {"blocked", std::move(blocked)},
            {"quarantined", std::move(quarantined)},
            {"checked", to_json(state.checked)},
            {"checking", to_json(state.checking)},
            {"incidents", state.incidents},
            {"orders", state.orders},
            {"outstanding", std::move(orders)},
            {"load_limit", state.load_limit},
            {"accepted_step", state.accepted_step},
            {"accepted_is_bad", state.accepted_is_bad},
            {"own_jumps", state.own_jumps},
            {"observed_epoch", state.observed_epoch},
            {"alerts", state.alerts},
            {"stop_requested", state.stop_requested}};
  if (state.replay) json["replay"] = to_json(*state.replay);
  if (state.incident) json["incident"] = to_json(*state.incident);
  if (state.end) json["end"] = {{"exit_code", state.end->exit_code}, {"text", state.end->text}};
  return to_text(json);
}

DriverState parse_driver_state(std::string_view text) {
  const Parsed object = parse_object(text, kWhat);
  const Fields fields(object, kWhat);
  DriverState state;
  state.session = fields.at_least("session", 0);
  if (fields.has("term")) {  // a record of an earlier version lacks them
    state.term = fields.at_least("term", 0);
    state.clock_ns = fields.at_least("clock_ns", std::numeric_limits<std::int64_t>::min());
  }
  state.phase = static_cast<Phase>(fields.word("phase", kPhases));
  state.attempt = attempt_from_json(object.value("attempt", Parsed()));
  state.not_before_ns = fields.at_least("not_before_ns", 0);
  state.furthest_step = fields.at_least("furthest_step", 0);
  state.caught_up = fields.boolean("caught_up");
  state.newest_resume = fields.at_least("newest_resume", -1);
  state.fruitless = fields.at_least("fruitless", 0);
  state.restarts_ns = fields.integers("restarts_ns", 0);
  state.committed = fields.integers("committed", 0);
  if (fields.has("copied")) state.copied = fields.integers("copied", 0);
  state.stall_seconds = fields.real("stall_seconds");
  for (const Parsed& item : fields.list("silent_hosts")) {
    const Incident incident = incident_from_json(item);
    state.silent_hosts[incident.host] = incident;
  }
  for (const Parsed& item : fields.list("incarnations")) {
    const Fields host(item, "an executor in a driver's state");
    state.incarnations[host.text("host")] = host.at_least("incarnation", 0);
  }
  parse_hosts(fields, state);
  state.checked = numbers_of_hosts(fields, "checked");
  state.checking = numbers_of_hosts(fields, "checking");
  state.incidents = fields.at_least("incidents", 0);
  state.orders = fields.at_least("orders", 0);
  for (const Parsed& order : fields.list("outstanding"))
    state.outstanding.push_back(order_from_json(order));
  // A record of an earlier version lacks these.
  if (object.contains("load_limit")) {
    state.load_limit = fields.at_least("load_limit", -1);
    state.accepted_step = fields.at_least("accepted_step", -1);
    state.observed_epoch = fields.at_least("observed_epoch", -1);
  }
  if (object.contains("present")) {
    const auto present = fields.texts("present");
    state.present = {present.begin(), present.end()};
  }
  if (object.contains("own_jumps")) state.own_jumps = fields.at_least("own_jumps", 0);
  if (object.contains("accepted_is_bad")) state.accepted_is_bad = fields.boolean("accepted_is_bad");
  if (object.contains("alerts")) state.alerts = fields.texts("alerts");
  if (object.contains("replay")) state.replay = replay_from_json(object["replay"]);
  state.stop_requested = fields.boolean("stop_requested");
  if (object.contains("incident")) state.incident = incident_from_json(object["incident"]);
  if (object.contains("end")) {
    const Fields end(object["end"], "the end in a driver's state");
    state.end = JobEnd{.exit_code = static_cast<std::int32_t>(end.integer("exit_code", 0, 255)),
                       .text = end.text("text")};
  }
  return state;
}

}  // namespace megascale::control
