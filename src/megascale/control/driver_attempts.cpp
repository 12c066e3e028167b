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
  judge_hosts();
  if (state_.phase == Phase::starting || state_.phase == Phase::training) judge_ranks();
  if (state_.phase == Phase::stopping && all_ranks_ended(/*with_success=*/false)) end_attempt();
  if (state_.phase != Phase::waiting) return;
  if (state_.stop_requested && !state_.end) {
    state_.end = JobEnd{.exit_code = 1, .text = kStoppedBeforeStart};
    return finish();
  }
  if (now_ns_ >= state_.not_before_ns && !present_hosts().empty()) start_attempt();
}

void Driver::judge_hosts() {
  if (state_.phase == Phase::ended) return;
  for (const auto& [name, host] : hosts_) {
    const auto verdict = missing_heartbeat(sight(), name);
    if (!verdict) continue;
    const auto known = state_.silent_hosts.find(name);
    if (known == state_.silent_hosts.end()) {
      const Incident incident = open_incident(
          *verdict, fmt::format("none until the lease of {} s is over", settings_.lease_seconds));
      state_.silent_hosts[name] = incident;
      say(fmt::format("{}: {}", incident.what, incident.evidence));
    }
    const bool runs = state_.phase == Phase::starting || state_.phase == Phase::training;
    if (verdict->action == Action::restart && runs) give_host_up(name);
  }
}

// The lease of a silent host is over. Its incident becomes that of the attempt.
void Driver::give_host_up(const std::string& name) {
  if (state_.incident) return;
  Incident& silence = state_.silent_hosts[name];
  state_.incident = silence;
  silence.number = 0;
  state_.incident->action =
      settings_.acts ? "the lease is over: the ranks are started again where an executor answers"
                     : "observe mode: the lease is over, the job would be started again";
  step_.change.incidents.push_back(*state_.incident);
  if (settings_.acts) {
    const std::int64_t silent_ns = now_ns_ - hosts_.at(name).last_seen_ns;
    stop_ranks(static_cast<double>(silent_ns) * 1e-9);
  }
}

void Driver::judge_ranks() {
  if (all_ranks_ended(/*with_success=*/true)) {
    state_.end = JobEnd{};
    return end_attempt();
  }
  if (state_.stop_requested && no_rank_was_started()) {
    state_.end = JobEnd{.exit_code = 1, .text = kStoppedBeforeStart};
    return end_attempt();
  }
  auto verdict = dead_process(sight());
  if (verdict) return act(*verdict);
  if (!state_.silent_hosts.empty()) return;  // what their ranks do is not known
  verdict = frozen_process(sight());
  const bool is_known = state_.incident && state_.incident->epoch == state_.attempt.epoch;
  if (verdict && !is_known) return act(*verdict);
  if (verdict || !is_known) return;
  // Observe mode left the job alone, and it goes on.
  close_incident(*std::exchange(state_.incident, std::nullopt), "the ranks went on by themselves");
}

bool Driver::all_ranks_ended(bool with_success) const {
  if (hosts_.empty()) return false;  // a driver that has come back has not heard of them yet
  std::uint32_t ended = 0;
  bool all = true;
  for (const auto& [name, host] : hosts_) {
    if (!with_success && state_.silent_hosts.contains(name) &&
        now_ns_ - host.last_seen_ns >= static_cast<std::int64_t>(settings_.lease_seconds * 1e9))
      continue;  // it is lost; if it comes back, its ranks are ended before others start
    if (host.heartbeat.epoch != state_.attempt.epoch) return false;
    for (const RankReport& rank : host.heartbeat.ranks) {
      const bool success = rank.signal == 0 && rank.exit_code == 0;
      all = all && rank.state == RankState::ended && (success || !with_success);
      ++ended;
    }
  }
  return all && (!with_success || ended == settings_.world_size);
}

// An executor that is asked to stop accepts a new epoch, but starts no rank of it.
bool Driver::no_rank_was_started() const {
  return !hosts_.empty() && std::all_of(hosts_.begin(), hosts_.end(), [&](const auto& host) {
    const Heartbeat& heartbeat = host.second.heartbeat;
    return heartbeat.epoch == state_.attempt.epoch && heartbeat.ranks.empty();
  });
}

std::vector<std::string> Driver::present_hosts() const {
  std::vector<std::string> present;
  for (const auto& [name, host] : hosts_) {
    if (!state_.silent_hosts.contains(name)) present.push_back(name);
  }
  return present;
}

void Driver::start_attempt() {
  const std::string host = present_hosts().front();
  state_.attempt = {
      .epoch = state_.attempt.epoch + 1, .session = session_, .started_ns = now_ns_, .outcome = {}};
  state_.phase = Phase::starting;
  state_.caught_up = false;
  state_.stall_seconds = 0;
  step_seconds_.clear();
  step_.change.attempts.push_back(state_.attempt);
  log(EntryKind::attempt_started,
      {.incident = state_.incident ? state_.incident->number : 0,
       .text = state_.incident ? state_.incident->what : "the job was started"});
  give({.host = host,
        .kind = OrderKind::start,
        .epoch = state_.attempt.epoch,
        .ranks = settings_.world_size,
        .world_size = settings_.world_size,
        .arguments = settings_.arguments,
        .text = {}});
}

void Driver::act(const Verdict& verdict) {
  const bool dead = verdict.rank >= 0 && verdict.rule == "dead_process";
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
  open("all ranks are ended and started again from the newest checkpoint");
  say(fmt::format("{} ({}); the other ranks are stopped", where, verdict.evidence));
  stop_ranks(verdict.idle_seconds);
}

void Driver::stop_ranks(double idle_seconds) {
  state_.phase = Phase::stopping;
  log(EntryKind::attempt_stopping, {.seconds = idle_seconds, .text = {}});
  for (const auto& [name, host] : hosts_) {
    give({.host = name,
          .kind = OrderKind::stop,
          .epoch = state_.attempt.epoch,
          .arguments = {},
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
}

void Driver::finish() {
  if (state_.incident) {
    close_incident(*std::exchange(state_.incident, std::nullopt),
                   fmt::format("the job ended with exit code {}", state_.end->exit_code));
  }
  state_.phase = Phase::ended;
  for (const auto& [name, host] : hosts_) {
    give({.host = name,
          .kind = OrderKind::release,
          .epoch = state_.attempt.epoch,
          .arguments = {},
          .exit_code = state_.end->exit_code,
          .text = state_.end->text});
  }
  log(EntryKind::session_ended, {.text = state_.end->text});
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
  if (incident.evidence.size() > kMostEvidenceBytes) incident.evidence.resize(kMostEvidenceBytes);
  step_.change.incidents.push_back(incident);
  log(EntryKind::incident_opened, {.rank = incident.rank,
                                   .step = incident.step,
                                   .incident = incident.number,
                                   .seconds = verdict.idle_seconds,
                                   .text = incident.what});
  return incident;
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
