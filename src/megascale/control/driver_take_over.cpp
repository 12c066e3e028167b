// A driver in the place of another one, whose host is lost. It goes on with what the record holds. If
// the record is behind, or was lost, executors report an attempt that the record does not know. Then
// their heartbeats are the truth: if they have all ranks of that attempt, it goes on with them, and
// otherwise the ranks that were found are ended and the job starts again. A number, the term, tells
// the newest driver from those before it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "megascale/control/driver.h"

namespace megascale::control {
namespace {

// The driver before may have given orders that the record does not know, and executors carry out
// only orders with higher numbers than before.
constexpr int kOrdersOfTermBits = 32;

}  // namespace

void Driver::begin_term() {
  state_.clock_ns = tenure_.clock_ns;
  state_.term = std::max(state_.term + (tenure_.takes_over ? 1 : 0), tenure_.term);
  if (!tenure_.takes_over) return;
  state_.orders = std::max(state_.orders, state_.term << kOrdersOfTermBits);
  say(fmt::format("takes the job over (term {})", state_.term));
}

// An executor that has heard of a newer driver: the job is not this one's any more.
std::optional<Refusal> Driver::refuse_newer_term(const Heartbeat& heartbeat) {
  if (state_.term == 0 || heartbeat.term <= state_.term) return std::nullopt;
  step_.reply.refused =
      fmt::format("this driver (term {}) was replaced by another one (term {}), as host {} says",
                  state_.term, heartbeat.term, heartbeat.host);
  replaced_ = step_.reply.refused;
  return Refusal::ignore;
}

void Driver::note_unknown_attempt(const Heartbeat& heartbeat) {
  if (heartbeat.epoch <= state_.attempt.epoch) return;
  if (!unknown_) {
    unknown_ = {.epoch = heartbeat.epoch, .since_ns = now_ns_};
    say(
        fmt::format("host {} reports attempt {}, which the record does not know; waiting for the "
                    "other hosts",
                    heartbeat.host, heartbeat.epoch));
  }
  unknown_->epoch = std::max(unknown_->epoch, heartbeat.epoch);
}

// Waits until executors have told of all ranks of the attempt, at most for the lease.
void Driver::judge_unknown_attempt() {
  std::map<std::uint32_t, Member> found;  // by first rank
  std::uint32_t ranks = 0;
  for (const auto& [name, host] : hosts_) {
    const Heartbeat& heartbeat = host.heartbeat;
    if (heartbeat.epoch != unknown_->epoch || heartbeat.ranks.empty()) continue;
    found[heartbeat.ranks.front().rank] = {.host = name, .incarnation = heartbeat.incarnation};
    ranks += static_cast<std::uint32_t>(heartbeat.ranks.size());
  }
  std::vector<Member> members;
  for (const auto& [rank, member] : found) members.push_back(member);
  const bool is_whole = ranks == settings_.world_size && members.size() == settings_.hosts;
  const double waited = static_cast<double>(now_ns_ - unknown_->since_ns) * 1e-9;
  if (is_whole || waited >= settings_.lease_seconds)
    take_up(unknown_->epoch, std::move(members), is_whole);
}

// Begins the attempt in the state, with the members that have told of it. Ends it if that is not the
// whole attempt.
void Driver::take_up(std::int64_t epoch, std::vector<Member> members, bool is_whole) {
  unknown_.reset();
  Attempt& before = state_.attempt;
  const std::string outcome = fmt::format("the record ends before attempt {}", epoch);
  if (before.epoch > 0 && before.ended_ns == 0) {
    before.ended_ns = now_ns_;
    before.outcome = outcome;
    step_.change.attempts.push_back(before);
    log(EntryKind::attempt_ended, {.step = before.steps_done, .text = outcome});
  }
  state_.furthest_step = std::max(state_.furthest_step, before.steps_done);
  if (state_.incident) close_incident(*std::exchange(state_.incident, std::nullopt), outcome);
  std::vector<std::string> names;
  for (const Member& member : members) names.push_back(member.host);
  const std::string found = fmt::format("attempt {} runs on {}", epoch, fmt::join(names, ", "));
  state_.incident = open_incident(
      {.rule = "lost_record",
       .step = before.steps_done,
       .what = fmt::format("the record does not know attempt {}", epoch),
       .evidence = fmt::format("{}; the record ends with attempt {}", found, before.epoch)},
      is_whole ? "the ranks go on" : "the ranks are ended and started again");
  // Hosts of the record that have not been heard are not those of this attempt.
  std::erase_if(hosts_, [&](const auto& host) {
    const bool is_unheard = host.second.heartbeat.incarnation == 0;
    if (is_unheard) state_.present.erase(host.first);
    return is_unheard;
  });
  state_.members = std::move(members);
  state_.outstanding.clear();
  state_.checking.clear();
  state_.replay.reset();
  before.epoch = epoch;  // of the log entry
  log(EntryKind::attempt_found, {.text = found});
  begin_attempt(epoch);
  if (is_whole) {
    say(fmt::format("{}, with all ranks: they go on", found));
    return close_incident(*std::exchange(state_.incident, std::nullopt), "all ranks were found");
  }
  say(fmt::format("{}, not with all ranks: they are started again", found));
  if (!settings_.acts) state_.end = JobEnd{.exit_code = 1, .text = state_.incident->what};
  stop_ranks(0);
}

}  // namespace megascale::control
