// Decides about hosts: which of them get the ranks of an attempt, when a silent one is given up, and
// which ones may not take part. Hosts that the job does not need are spares.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "megascale/control/driver.h"

namespace megascale::control {
namespace {

constexpr double kLongestQuarantine = 3600;  // seconds
// After so many seconds of silence of all hosts, less than that after which one is called silent.
constexpr double kShortestCutOff = 3;
// The incarnation of a member whose executor has said that it ends.
constexpr std::int64_t kHasLeft = -1;

bool has_living_rank(const Heartbeat& heartbeat) {
  return std::any_of(heartbeat.ranks.begin(), heartbeat.ranks.end(),
                     [](const RankReport& rank) { return rank.state != RankState::ended; });
}

std::int64_t to_ns(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

}  // namespace

bool Driver::is_member(const std::string& host) const {
  return std::any_of(state_.members.begin(), state_.members.end(),
                     [&](const Member& member) { return member.host == host; });
}

bool Driver::is_lost(const HostSight& host) const {
  return now_ns_ - host.last_seen_ns >= to_ns(settings_.lease_seconds);
}

// A driver that has come back knows from its state who serves the job. From now on their leases run.
// A spare that was not expected would not be released if the job ended before its next heartbeat.
void Driver::expect_hosts() {
  for (const Member& member : state_.members) hosts_[member.host].last_seen_ns = now_ns_;
  for (const std::string& host : state_.present) hosts_[host].last_seen_ns = now_ns_;
  for (const auto& [host, order] : state_.checking) hosts_[host].last_seen_ns = now_ns_;
}

// Ranks of an attempt that is over must not go on beside those of the newest one. They come back when
// the network was divided, or when their executor was frozen, for longer than the lease.
std::optional<Refusal> Driver::refuse_stale(const Heartbeat& heartbeat) {
  if (heartbeat.epoch == 0 || heartbeat.epoch >= state_.attempt.epoch ||
      is_member(heartbeat.host) || !has_living_rank(heartbeat))
    return std::nullopt;
  step_.reply.refused = fmt::format(
      "host {} has ranks of attempt {}, which is over: it was given up, and attempt {} runs "
      "without "
      "it",
      heartbeat.host, heartbeat.epoch, state_.attempt.epoch);
  if (last_refusal_ != step_.reply.refused) log(EntryKind::refused, {.text = step_.reply.refused});
  last_refusal_ = step_.reply.refused;
  return Refusal::restart;
}

void Driver::note_leaving(const Heartbeat& heartbeat) {
  take_acknowledgements(heartbeat);
  if (is_member(heartbeat.host)) {
    hosts_[heartbeat.host].heartbeat.incarnation = kHasLeft;
  } else {
    forget_host(heartbeat.host);
  }
}

// Several hosts do not fall silent at once: this driver is cut off from all of them. It judges nobody
// until one of them answers, since their ranks go on.
bool Driver::is_cut_off() const {
  constexpr double kBeats = 1.5;
  if (hosts_.size() < 2) return false;
  const double limit = std::max(kShortestCutOff, kBeats * settings_.heartbeat_seconds);
  return std::all_of(hosts_.begin(), hosts_.end(), [&](const auto& host) {
    return now_ns_ - host.second.last_seen_ns >= to_ns(limit);
  });
}

void Driver::notice_contact() {
  if (!says_cut_off_) return;
  says_cut_off_ = false;
  for (auto& [name, host] : hosts_) host.last_seen_ns = now_ns_;
  say("a host answers again; the leases of all hosts begin anew");
}

void Driver::judge_hosts() {
  if (state_.phase == Phase::ended) return;
  if (is_cut_off()) {
    if (!says_cut_off_) {
      say("no host has sent a heartbeat for a while: this driver may be cut off from them; it "
          "gives none up until one answers");
    }
    says_cut_off_ = true;
    return;
  }
  std::vector<std::string> forgotten;
  for (const auto& [name, host] : hosts_) {
    if (host.heartbeat.incarnation == kHasLeft) continue;
    const auto verdict = missing_heartbeat(sight(), name);
    if (!verdict) continue;
    const auto known = state_.silent_hosts.find(name);
    if (known == state_.silent_hosts.end()) {
      const Incident incident = open_incident(
          *verdict, fmt::format("none until the lease of {} s is over", settings_.lease_seconds));
      state_.silent_hosts[name] = incident;
      say(fmt::format("{}: {}", incident.what, incident.evidence));
    }
    if (verdict->action != Action::restart) continue;
    const bool runs = state_.phase == Phase::starting || state_.phase == Phase::training;
    if (is_member(name) && runs) {
      give_host_up(name);
    } else if (!is_member(name)) {
      forgotten.push_back(name);
    }
  }
  for (const std::string& name : forgotten) forget_host(name);
}

// The lease of a silent host is over. Its incident becomes that of the attempt.
void Driver::give_host_up(const std::string& name) {
  if (state_.incident && state_.incident->epoch == state_.attempt.epoch) return;
  Incident& silence = state_.silent_hosts[name];
  if (state_.incident) {
    close_incident(*state_.incident,
                   fmt::format("attempt {} failed too: {}", state_.attempt.epoch, silence.what));
  }
  state_.incident = silence;
  silence.number = 0;
  state_.incident->epoch = state_.attempt.epoch;
  state_.incident->action =
      settings_.acts ? "the lease is over: the ranks are started again where executors answer"
                     : "observe mode: the lease is over, the job would be started again";
  step_.change.incidents.push_back(*state_.incident);
  if (!settings_.acts) return;
  Quarantine& quarantine = state_.quarantined[name];
  if (quarantine.times > 0) {
    const double seconds =
        settings_.lease_seconds * std::exp2(static_cast<double>(quarantine.times - 1));
    quarantine.until_ns = now_ns_ + to_ns(std::min(kLongestQuarantine, seconds));
  }
  ++quarantine.times;
  const std::int64_t silent_ns = now_ns_ - hosts_.at(name).last_seen_ns;
  say(fmt::format("host {} is given up: it was silent for {:.1f} s, the lease is {} s", name,
                  static_cast<double>(silent_ns) * 1e-9, settings_.lease_seconds));
  stop_ranks(static_cast<double>(silent_ns) * 1e-9);
}

// A host that is no member has no ranks, so the job loses nothing.
void Driver::forget_host(const std::string& name) {
  if (is_member(name)) return;
  if (const auto silent = state_.silent_hosts.find(name); silent != state_.silent_hosts.end()) {
    const Incident incident = std::exchange(silent->second, {});
    state_.silent_hosts.erase(silent);
    if (incident.number > 0) close_incident(incident, "the job goes on without it");
  }
  std::erase_if(state_.outstanding, [&](const Order& order) { return order.host == name; });
  state_.present.erase(name);
  hosts_.erase(name);
}

bool Driver::is_usable(const std::string& host) const {
  const auto quarantine = state_.quarantined.find(host);
  const auto sight = hosts_.find(host);
  return sight != hosts_.end() && sight->second.heartbeat.incarnation > 0 &&
         !state_.silent_hosts.contains(host) && !state_.blocked.contains(host) &&
         (quarantine == state_.quarantined.end() || quarantine->second.until_ns <= now_ns_);
}

// Returns `count` hosts for the next attempt in the order of their ranks; empty if there are not enough.
// A host keeps its ranks, and a spare takes the place of a host that cannot be used.
std::vector<std::string> Driver::choose_hosts(std::uint32_t count) const {
  std::vector<std::string> chosen(count), spares;
  for (std::uint32_t i = 0; i < std::min<std::size_t>(count, state_.members.size()); ++i) {
    if (is_usable(state_.members[i].host)) chosen[i] = state_.members[i].host;
  }
  for (const auto& [name, host] : hosts_) {
    if (is_usable(name) && std::find(chosen.begin(), chosen.end(), name) == chosen.end())
      spares.push_back(name);
  }
  auto spare = spares.begin();
  for (std::string& host : chosen) {
    if (!host.empty()) continue;
    if (spare == spares.end()) return {};
    host = *spare++;
  }
  return chosen;
}

// Returns the hosts with which an attempt can start now; empty: it waits. Fewer hosts than the last
// attempt had are taken only after a while, since others may come.
std::vector<std::string> Driver::hosts_to_start() const {
  if (auto all = choose_hosts(settings_.hosts); !all.empty()) return all;
  const std::size_t before = state_.members.empty() ? settings_.hosts : state_.members.size();
  const bool has_waited =
      waits_since_ns_ > 0 && now_ns_ - waits_since_ns_ >= to_ns(settings_.fewer_after_seconds);
  for (const std::uint32_t count : settings_.fewer_hosts) {
    auto some = choose_hosts(count);
    if (!some.empty()) return count >= before || has_waited ? some : std::vector<std::string>{};
  }
  return {};
}

// A job whose hosts have not come yet waits for ever, since schedulers start hosts one by one. One
// that has lost a host ends after some time, so that a scheduler can give it others.
void Driver::wait_for_hosts() {
  if (hosts_.empty() && state_.members.empty()) return;
  std::vector<std::string> usable;
  for (const auto& [name, host] : hosts_) {
    if (is_usable(name)) usable.push_back(name);
  }
  if (waits_since_ns_ == 0) {
    waits_since_ns_ = now_ns_;
    if (settings_.hosts > 1) {
      say(fmt::format(
          "waiting for hosts: the job needs {}, usable are {} ({}){}", settings_.hosts,
          usable.size(), fmt::join(usable, ", "),
          settings_.fewer_hosts.empty()
              ? std::string()
              : fmt::format("; after {} s it goes on with {}", settings_.fewer_after_seconds,
                            fmt::join(settings_.fewer_hosts, " or "))));
    }
  }
  const bool has_run = state_.attempt.epoch > 0 && state_.attempt.session == session_;
  if (!has_run || now_ns_ - waits_since_ns_ < to_ns(settings_.wait_seconds)) return;
  state_.end = JobEnd{
      .exit_code = 1,
      .text = fmt::format("expected {} hosts, found {} for {:.0f} s ({}); the last failure: {}",
                          settings_.hosts, usable.size(), settings_.wait_seconds,
                          fmt::join(usable, ", "), state_.attempt.outcome)};
  finish();
}

void Driver::start_on(const std::vector<std::string>& hosts) {
  waits_since_ns_ = 0;
  heard_before_end_.clear();
  std::erase_if(hosts_, [&](const auto& host) {
    const bool has_left = host.second.heartbeat.incarnation == kHasLeft;
    if (has_left) state_.present.erase(host.first);
    return has_left;
  });
  begin_attempt(state_.attempt.epoch + 1);
  // A host that gets no ranks and comes back is refused.
  std::erase_if(state_.outstanding, [&](const Order& order) {
    return std::find(hosts.begin(), hosts.end(), order.host) == hosts.end();
  });
  state_.members.clear();
  const std::uint32_t ranks = ranks_of_host(),
                      world_size = static_cast<std::uint32_t>(hosts.size()) * ranks;
  if (hosts.size() < settings_.hosts) {
    say(fmt::format("the job has {} of {} hosts, so {} of {} ranks, each with more micro-batches",
                    hosts.size(), settings_.hosts, world_size, settings_.world_size));
  }
  for (const std::string& host : hosts) {
    const Heartbeat& heartbeat = hosts_.at(host).heartbeat;
    const auto first = static_cast<std::uint32_t>(state_.members.size()) * ranks;
    state_.members.push_back({.host = host, .incarnation = heartbeat.incarnation});
    give({.host = host,
          .kind = OrderKind::start,
          .epoch = state_.attempt.epoch,
          .first_rank = first,
          .ranks = ranks,
          .world_size = world_size,
          .arguments = arguments_for(settings_, world_size),
          .listen = first == 0 && hosts.size() > 1 ? heartbeat.address : std::string(),
          .rendezvous = {},
          .load_at_most = state_.load_limit,
          .text = {}});
  }
}

void Driver::begin_attempt(std::int64_t epoch) {
  state_.attempt = {.epoch = epoch, .session = session_, .started_ns = now_ns_, .outcome = {}};
  state_.phase = Phase::starting;
  state_.caught_up = false;
  state_.stall_seconds = 0;
  step_seconds_.clear();
  outcomes_.clear();
  traffic_.clear();
  slow_rank_ = {};
  state_.alerts.clear();
  step_.change.attempts.push_back(state_.attempt);
  log(EntryKind::attempt_started,
      {.incident = state_.incident ? state_.incident->number : 0,
       .text = state_.incident ? state_.incident->what : "the job was started"});
}

// Adds to a start what the host of rank 0 has told. Returns whether the order can be given now.
bool Driver::fill_in(Order& order) const {
  if (order.kind != OrderKind::start || order.first_rank == 0) return true;
  const auto first = hosts_.find(state_.members.front().host);
  if (first == hosts_.end() || first->second.heartbeat.epoch != order.epoch) return false;
  order.rendezvous = first->second.heartbeat.rendezvous;
  return !order.rendezvous.store.empty();
}

Driver::Step Driver::block(const std::string& host, const std::string& why, std::int64_t now_ns) {
  now_ns_ = now_ns;
  notice_own_gap();
  take_out(host, why);
  judge();
  return finish_step();
}

Driver::Step Driver::allow(const std::string& host, std::int64_t now_ns) {
  now_ns_ = now_ns;
  notice_own_gap();
  state_.blocked.erase(host);
  state_.quarantined.erase(host);
  log(EntryKind::host_allowed, {.text = host});
  judge();
  return finish_step();
}

Driver::Step Driver::request_stop(std::int64_t now_ns) {
  now_ns_ = now_ns;
  notice_own_gap();
  state_.stop_requested = true;
  const bool runs = state_.phase == Phase::starting || state_.phase == Phase::training;
  for (const Member& member : state_.members) {
    if (!runs) break;
    give({.host = member.host,
          .kind = OrderKind::save,
          .epoch = state_.attempt.epoch,
          .arguments = {},
          .listen = {},
          .rendezvous = {},
          .text = {}});
  }
  judge();
  return finish_step();
}

bool Driver::is_done(std::int64_t now_ns) const {
  if (state_.phase != Phase::ended) return false;
  return std::none_of(
      state_.outstanding.begin(), state_.outstanding.end(), [&](const Order& order) {
        const auto host = hosts_.find(order.host);
        const std::int64_t seen_ns =
            host == hosts_.end() ? state_.attempt.ended_ns : host->second.last_seen_ns;
        return now_ns - seen_ns < to_ns(settings_.lease_seconds);
      });
}

}  // namespace megascale::control
