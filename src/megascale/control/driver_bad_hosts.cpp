// Takes a host out of the job after a replay has shown that its hardware was at fault. Without a spare
// the host keeps its ranks, since a job on a host in doubt is better than none; people are told. The
// same holds if a person has decided so (control.block_bad_hosts).
#include <fmt/format.h>

#include <algorithm>

#include "megascale/control/driver.h"

namespace megascale::control {

// Returns the host that had the rank in the attempt whose step was in doubt; empty if it is unknown.
std::string Driver::host_in_doubt(std::int64_t rank) const {
  const auto& hosts = state_.replay->hosts;
  if (hosts.empty()) return {};
  if (hosts.size() == 1) return hosts.front();
  const auto place = static_cast<std::size_t>(rank) / ranks_of_host();
  return rank < 0 || place >= hosts.size() ? std::string() : hosts[place];
}

void Driver::block_bad_host(const std::string& host, const std::string& why) {
  if (host.empty() || is_embedded() || state_.blocked.contains(host)) return;
  const bool has_spare = std::any_of(hosts_.begin(), hosts_.end(), [&](const auto& one) {
    return is_usable(one.first) && !is_member(one.first);
  });
  if (settings_.block_bad_hosts && (!is_member(host) || has_spare)) return take_out(host, why);
  say(fmt::format(
      "host {} may have bad hardware ({}); it keeps its ranks, since {}", host, why,
      settings_.block_bad_hosts ? "no spare is there" : "control.block_bad_hosts is false"));
}

void Driver::take_out(const std::string& host, const std::string& why) {
  state_.blocked[host] = why;
  log(EntryKind::host_blocked, {.text = fmt::format("{}: {}", host, why)});
  const bool runs = state_.phase == Phase::starting || state_.phase == Phase::training;
  if (!is_member(host) || !runs) return;
  act({.rule = "blocked_host",
       .host = host,
       .step = state_.attempt.steps_done,
       .what = fmt::format("host {} was blocked", host),
       .evidence = why});
}

}  // namespace megascale::control
