// Self-checks: before ranks start, every host that may get some proves that it is fit. Hosts are
// checked once in a session, and again after each failure that hardware may have caused. A host
// that fails gets no ranks any more.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "megascale/control/driver.h"
#include "megascale/diagnose/neighbours.h"

namespace megascale::control {
namespace {

// Rules that tell of a decision or of another program, not of a fault.
bool may_be_hardware(const Incident& incident) {
  return incident.rule != "blocked_host" && incident.rule != "new_executor";
}

}  // namespace

// After a failure what was known about hosts does not count any more.
void Driver::doubt_hosts() {
  if (!state_.incident || may_be_hardware(*state_.incident)) state_.checked.clear();
}

// Returns whether all hosts of the next attempt have passed. Otherwise the checks of all hosts that
// may be used begin.
bool Driver::hosts_are_fit(const std::vector<std::string>& chosen) {
  const auto is_fit = [&](const std::string& host) {
    const auto known = state_.checked.find(host);
    return known != state_.checked.end() && known->second == hosts_.at(host).heartbeat.incarnation;
  };
  if (!settings_.checks || !settings_.acts || std::all_of(chosen.begin(), chosen.end(), is_fit))
    return true;
  std::vector<std::string> names;
  for (const auto& [name, host] : hosts_) {
    if (!is_usable(name) || is_fit(name)) continue;
    names.push_back(name);
    state_.checking[name] = state_.orders + 1;
    give({.host = name,
          .kind = OrderKind::check,
          .epoch = state_.attempt.epoch,
          .arguments = {"--least-share", fmt::format("{}", settings_.check_least_share)},
          .listen = {},
          .rendezvous = {},
          .text = {}});
  }
  state_.phase = Phase::checking;
  log(EntryKind::checks_started, {.text = fmt::format("{}", fmt::join(names, ", "))});
  return false;
}

// Ends the checks when all hosts have told their results. A host that does not answer any more, or
// whose executor was started again, is checked when it is needed.
void Driver::judge_checks() {
  std::erase_if(state_.checking, [&](const auto& entry) {
    const auto host = hosts_.find(entry.first);
    if (host == hosts_.end() || is_lost(host->second)) return true;
    if (host->second.heartbeat.incarnation == 0) return false;  // a driver that has come back waits
    if (!is_usable(entry.first)) return true;
    const bool was_asked =
        std::any_of(state_.outstanding.begin(), state_.outstanding.end(),
                    [&](const Order& order) { return order.number == entry.second; });
    return !was_asked && host->second.heartbeat.acknowledged < entry.second;
  });
  const bool all_have_told =
      std::all_of(state_.checking.begin(), state_.checking.end(), [&](const auto& entry) {
        return hosts_.at(entry.first).heartbeat.check.order == entry.second;
      });
  if (!all_have_told && !state_.stop_requested) return;
  if (all_have_told) take_check_results();
  state_.checking.clear();
  if (state_.phase == Phase::checking) state_.phase = Phase::waiting;
}

void Driver::take_check_results() {
  std::vector<diagnose::HostSummary> hosts;
  for (const auto& [name, order] : state_.checking) {
    const CheckResult& check = hosts_.at(name).heartbeat.check;
    hosts.push_back({.host = name,
                     .compute_kind = check.kind,
                     .compute_digest = check.digest,
                     .passed = check.passed});
  }
  const auto differences = diagnose::compare_hosts(hosts);
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& name = hosts[i].host;
    std::string why = hosts[i].passed ? std::string() : hosts_.at(name).heartbeat.check.text;
    if (!differences[i].text.empty() && differences[i].certain)
      why += (why.empty() ? "" : "; ") + differences[i].text;
    if (why.empty()) {
      state_.checked[name] = hosts_.at(name).heartbeat.incarnation;
      if (!differences[i].text.empty()) say(fmt::format("host {}: {}", name, differences[i].text));
      continue;
    }
    failures.push_back(fmt::format("host {} failed its self-checks: {}", name, why));
    say(failures.back());
    if (is_embedded()) continue;
    state_.blocked[name] = "self-checks: " + why;
    log(EntryKind::host_blocked, {.text = fmt::format("{}: {}", name, state_.blocked[name])});
  }
  const std::string text = failures.empty() ? fmt::format("{} {} passed", hosts.size(),
                                                          hosts.size() == 1 ? "host" : "hosts")
                                            : fmt::format("{}", fmt::join(failures, "; "));
  log(EntryKind::checks_ended, {.text = text});
  if (state_.incident) {
    state_.incident->evidence += "; self-checks: " + text;
    limit_evidence(*state_.incident);
    step_.change.incidents.push_back(*state_.incident);
  }
  // No other host can take the place of the only one.
  if (!failures.empty() && is_embedded()) {
    state_.end = JobEnd{.exit_code = 1, .text = failures.front()};
    finish();
  }
}

}  // namespace megascale::control
