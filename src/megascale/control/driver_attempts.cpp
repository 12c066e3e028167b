// Decides about attempts: when one starts, what ends it, whether another one follows, and how the
// job ends.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "megascale/control/driver.h"

namespace megascale::control {
namespace {

constexpr std::int64_t kHourNs = 3'600'000'000'000;
constexpr double kLongestBackoff = 60;  // seconds
constexpr const char* kStoppedBeforeStart = "the job was stopped before its ranks had started";
constexpr std::size_t kMostEndsInText = 16;
constexpr std::size_t kMostEvidenceBytes = 4000;  // a text of a message may have some more

std::string end_of(const RankReport& rank) {
  return rank.signal != 0 ? fmt::format("rank {}: signal {}", rank.rank, rank.signal)
                          : fmt::format("rank {}: exit code {}", rank.rank, rank.exit_code);
}

}  // namespace

void Driver::judge() {
  if (unknown_) return judge_unknown_attempt();
  judge_hosts();
  if (state_.phase == Phase::starting || state_.phase == Phase::training) judge_ranks();
  if (state_.phase == Phase::stopping && all_ranks_ended(/*with_success=*/false)) end_attempt();
  if (state_.phase == Phase::checking) judge_checks();
  if (state_.phase != Phase::waiting) return;
  if (state_.stop_requested && !state_.end) {
    state_.end = JobEnd{.exit_code = 1, .text = kStoppedBeforeStart};
    return finish();
  }
  if (now_ns_ < state_.not_before_ns) return;
  const auto hosts = hosts_to_start();
  if (hosts.empty()) return wait_for_hosts();
  if (hosts_are_fit(hosts)) start_on(hosts);
}

void Driver::judge_ranks() {
  if (all_ranks_ended(/*with_success=*/true)) {
    state_.end = JobEnd{};
    return end_attempt();
  }
  if (state_.stop_requested && ranks_were_not_started()) {
    state_.end = JobEnd{.exit_code = 1, .text = kStoppedBeforeStart};
    return all_ranks_ended(/*with_success=*/false) ? end_attempt() : stop_ranks(0);
  }
  auto verdict = new_executor(sight());
  if (!verdict) verdict = wire_damage(sight());
  if (!verdict) verdict = two_results(sight());
  if (!verdict) verdict = dead_process(sight());
  if (verdict && may_be_a_consequence(*verdict)) return;
  if (verdict) {
    act(*verdict);
    if (verdict->blames_host && settings_.acts) block_bad_host(verdict->host, verdict->what);
    return;
  }
  if (judge_outcomes()) return;
  if (!state_.silent_hosts.empty()) return;  // what their ranks do is not known
  verdict = frozen_process(sight());
  const bool is_known = state_.incident && state_.incident->epoch == state_.attempt.epoch;
  if (verdict && !is_known) return act(name_culprit(*std::move(verdict)));
  if (verdict || !is_known) return;
  // Observe mode left the job alone, and it goes on.
  close_incident(*std::exchange(state_.incident, std::nullopt), "the ranks went on by themselves");
}

bool Driver::all_ranks_ended(bool with_success) const {
  std::uint32_t ended = 0;
  bool all = !state_.members.empty();
  for (const Member& member : state_.members) {
    const HostSight& host = hosts_.at(member.host);
    if (!with_success && is_lost(host))
      continue;  // if it comes back, its ranks are ended before others start
    const Heartbeat& heartbeat = host.heartbeat;
    if (heartbeat.incarnation == 0) return false;  // this driver has not heard of it yet
    if (!with_success && heartbeat.incarnation != member.incarnation)
      continue;  // they ended with it
    if (heartbeat.epoch != state_.attempt.epoch) {
      const bool is_told =
          std::any_of(state_.outstanding.begin(), state_.outstanding.end(),
                      [&](const Order& order) { return order.host == member.host; });
      if (with_success || is_told) return false;
      continue;  // it was told to end before it was told to start
    }
    for (const RankReport& rank : heartbeat.ranks) {
      const bool success = rank.signal == 0 && rank.exit_code == 0;
      all = all && rank.state == RankState::ended && (success || !with_success);
      ++ended;
    }
  }
  return all && (!with_success || ended == ranks_of_attempt());
}

// An executor that is asked to stop accepts a new epoch, but starts no rank of it.
bool Driver::ranks_were_not_started() const {
  const auto& members = state_.members;
  return std::any_of(members.begin(), members.end(), [&](const Member& member) {
    const Heartbeat& heartbeat = hosts_.at(member.host).heartbeat;
    return heartbeat.epoch == state_.attempt.epoch && heartbeat.ranks.empty();
  });
}

// A rank that has lost a peer on another host ends too. Its end is judged when all other hosts were
// heard since: then the cause is known, or one of them is silent, and that is the cause. Two
// heartbeats are needed: the first one may have been written before the cause happened.
bool Driver::may_be_a_consequence(const Verdict& verdict) {
  if (!verdict.may_be_a_consequence) return false;
  if (heard_before_end_.empty()) {
    for (const Member& member : state_.members) {
      const Heartbeat& heartbeat = hosts_.at(member.host).heartbeat;
      heard_before_end_[member.host] = {heartbeat.incarnation, heartbeat.sequence};
    }
  }
  return std::any_of(state_.members.begin(), state_.members.end(), [&](const Member& member) {
    const Heartbeat& heartbeat = hosts_.at(member.host).heartbeat;
    const auto [incarnation, sequence] = heard_before_end_.at(member.host);
    return member.host != verdict.host && heartbeat.incarnation == incarnation &&
           heartbeat.sequence < sequence + 2;
  });
}

void Driver::act(const Verdict& verdict) {
  // Ranks are gone, or end by themselves.
  const bool dead = (verdict.rank >= 0 && verdict.rule == "dead_process") ||
                    verdict.rule == "new_executor" || verdict.rule == "wire_damage" ||
                    verdict.rule == "two_results";
  if (state_.stop_requested && dead) {  // a rank that is asked to stop while it starts just ends
    state_.end =
        JobEnd{.exit_code = 1, .text = fmt::format("stopped as asked, but {}", verdict.what)};
    return stop_ranks(verdict.idle_seconds);
  }
  const auto open = [&](std::string action) {
    if (state_.incident) {  // of the attempt before, which this one was to recover from
      close_incident(*state_.incident,
                     fmt::format("attempt {} failed too: {}", state_.attempt.epoch, verdict.what));
    }
    state_.incident = open_incident(verdict, std::move(action));
  };
  const std::string where =
      fmt::format("{} at step {}", verdict.what, std::max<std::int64_t>(verdict.step, 0));
  if (verdict.action == Action::give_up) {
    open("the job ends: a restart cannot help");
    state_.end = JobEnd{.exit_code = verdict.exit_code, .text = verdict.what};
    return stop_ranks(verdict.idle_seconds);
  }
  if (!settings_.acts) {
    open("observe mode: the job would be restarted from the newest checkpoint");
    say(fmt::format("{} ({}); observe mode: nothing is restarted", where, verdict.evidence));
    if (!dead) return;
    state_.end = JobEnd{.exit_code = 1, .text = verdict.what};
    return stop_ranks(verdict.idle_seconds);
  }
  open(verdict.bad_step < 0
           ? "all ranks are ended and started again from the newest checkpoint"
           : fmt::format("all ranks are ended and started again from a state of at most {} steps; "
                         "step {} is replayed",
                         state_.load_limit, verdict.bad_step + 1));
  say(fmt::format("{} ({}); the other ranks are stopped", where, verdict.evidence));
  stop_ranks(verdict.idle_seconds);
}

void Driver::stop_ranks(double idle_seconds) {
  state_.phase = Phase::stopping;
  log(EntryKind::attempt_stopping, {.seconds = idle_seconds, .text = {}});
  // A start that no executor can have got yet is taken back.
  std::erase_if(state_.outstanding,
                [&](Order order) { return order.kind == OrderKind::start && !fill_in(order); });
  for (const Member& member : state_.members) {
    give({.host = member.host,
          .kind = OrderKind::stop,
          .epoch = state_.attempt.epoch,
          .arguments = {},
          .listen = {},
          .rendezvous = {},
          .grace_seconds = settings_.grace_seconds,
          .text = {}});
  }
}

void Driver::end_attempt() {
  Attempt& attempt = state_.attempt;
  attempt.ended_ns = now_ns_;
  attempt.outcome = state_.incident                           ? state_.incident->what
                    : state_.end && !state_.end->text.empty() ? state_.end->text
                                                              : "all ranks have ended with success";
  if (state_.incident) {
    std::vector<std::string> ends;
    for_each_rank(sight(), [&](const std::string&, const RankReport& rank) {
      if (rank.rank != state_.incident->rank && ends.size() < kMostEndsInText)
        ends.push_back(end_of(rank));
    });
    log(EntryKind::consequence,
        {.incident = state_.incident->number, .text = fmt::format("{}", fmt::join(ends, "; "))});
  }
  if (state_.stall_seconds > 0)
    log(EntryKind::stall, {.seconds = state_.stall_seconds, .text = {}});
  step_.change.attempts.push_back(attempt);
  log(EntryKind::attempt_ended, {.step = attempt.steps_done, .text = attempt.outcome});
  const bool progressed =
      attempt.resumed_step > state_.newest_resume || attempt.steps_done > state_.furthest_step;
  state_.fruitless = progressed ? 0 : state_.fruitless + 1;
  state_.newest_resume = std::max(state_.newest_resume, attempt.resumed_step);
  state_.furthest_step = std::max(state_.furthest_step, attempt.steps_done);
  if (!state_.end) {
    auto refusal = crash_loop(sight());
    if (!refusal) refusal = too_many_restarts(sight());
    if (refusal) {
      state_.end =
          JobEnd{.exit_code = kRestartsDoNotHelp,
                 .text = fmt::format("{}; the last failure: {}", *refusal, attempt.outcome)};
    }
  }
  if (state_.end) return finish();
  std::erase_if(state_.restarts_ns,
                [&](std::int64_t restart) { return now_ns_ - restart >= kHourNs; });
  state_.restarts_ns.push_back(now_ns_);
  const double backoff =
      state_.fruitless == 0
          ? 0
          : std::min(kLongestBackoff, settings_.backoff_seconds *
                                          std::exp2(static_cast<double>(state_.fruitless - 1)));
  state_.not_before_ns = now_ns_ + static_cast<std::int64_t>(backoff * 1e9);
  state_.phase = Phase::waiting;
  doubt_hosts();
}

void Driver::finish() {
  if (state_.incident) {
    close_incident(*std::exchange(state_.incident, std::nullopt),
                   fmt::format("the job ended with exit code {}", state_.end->exit_code));
  }
  state_.phase = Phase::ended;
  for (const auto& [name, host] : hosts_) release(name);
  log(EntryKind::session_ended, {.text = state_.end->text});
}

void Driver::release(const std::string& host) {
  give({.host = host,
        .kind = OrderKind::release,
        .epoch = state_.attempt.epoch,
        .arguments = {},
        .listen = {},
        .rendezvous = {},
        .exit_code = state_.end->exit_code,
        .text = state_.end->text});
}

Incident Driver::open_incident(const Verdict& verdict, std::string action) {
  Incident incident{.number = ++state_.incidents,
                    .session = session_,
                    .epoch = state_.attempt.epoch,
                    .opened_ns = now_ns_,
                    .rule = std::string(verdict.rule),
                    .rank = verdict.rank,
                    .host = verdict.host,
                    .step = verdict.step,
                    .what = verdict.what,
                    .evidence = verdict.evidence,
                    .action = std::move(action),
                    .outcome = {}};
  // What the rank itself has said about its end.
  for (const auto& [name, host] : hosts_) {
    for (const Finding& finding : host.heartbeat.findings) {
      if (finding.rank == verdict.rank)
        incident.evidence += fmt::format("; it said ({}): {}", finding.keyword, finding.line);
    }
  }
  limit_evidence(incident);
  if (!verdict.file.empty()) {
    step_.evidence.push_back({.incident = incident.number, .text = verdict.file});
    incident.evidence +=
        fmt::format("; where every rank stands is in control/incident-{}.json", incident.number);
  }
  step_.change.incidents.push_back(incident);
  log(EntryKind::incident_opened, {.rank = incident.rank,
                                   .step = incident.step,
                                   .incident = incident.number,
                                   .seconds = verdict.idle_seconds,
                                   .text = incident.what});
  return incident;
}

void Driver::limit_evidence(Incident& incident) {
  if (incident.evidence.size() > kMostEvidenceBytes) incident.evidence.resize(kMostEvidenceBytes);
}

void Driver::close_incident(Incident incident, std::string outcome) {
  incident.closed_ns = now_ns_;
  incident.outcome = std::move(outcome);
  log(EntryKind::incident_closed, {.rank = incident.rank,
                                   .step = incident.step,
                                   .incident = incident.number,
                                   .text = incident.outcome});
  step_.change.incidents.push_back(std::move(incident));
}

void Driver::give(Order order) {
  order.number = ++state_.orders;
  log(EntryKind::order_given,
      {.text = fmt::format("{} {} to {}", order.number, to_string(order.kind), order.host)});
  state_.outstanding.push_back(std::move(order));
}

}  // namespace megascale::control
