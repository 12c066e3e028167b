// Events come in here: what a heartbeat says is taken into the state. driver_attempts.cpp decides
// what follows from it.
#include "megascale/control/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace megascale::control {
namespace {

// The median step time is that of so many last steps.
constexpr std::size_t kStepsOfMedian = 32;
// So many checkpoints are remembered, to find the new ones among those that a heartbeat lists.
constexpr std::size_t kCommittedKept = 32;

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) * 1e-9;
}

}  // namespace

Driver::Driver(std::string job, std::int64_t session, DriverSettings settings,
               std::optional<DriverState> before)
    : settings_(std::move(settings)), session_(session), gate_(std::move(job)) {
  if (before) state_ = std::move(*before);
  for (const auto& [host, incarnation] : state_.incarnations) gate_.remember(host, incarnation);
}

Driver::Step Driver::begin(std::int64_t now_ns) {
  now_ns_ = before_ns_ = now_ns;
  if (state_.session == session_) {
    log(EntryKind::driver_started);
    return finish_step();
  }
  const bool was_running = state_.attempt.epoch > 0 && state_.attempt.ended_ns == 0;
  state_.session = session_;
  log(EntryKind::session_started);
  if (was_running) {
    state_.attempt.ended_ns = now_ns;
    state_.attempt.outcome = "its session ended without a record of it";
    step_.change.attempts.push_back(state_.attempt);
    log(EntryKind::attempt_ended,
        {.step = state_.attempt.steps_done, .text = state_.attempt.outcome});
  }
  const std::string outcome = "the job was started again";
  if (state_.incident) close_incident(*std::exchange(state_.incident, std::nullopt), outcome);
  for (const auto& [host, incident] : std::exchange(state_.silent_hosts, {})) {
    if (incident.number > 0) close_incident(incident, outcome);
  }
  state_.furthest_step = std::max(state_.furthest_step, state_.attempt.steps_done);
  state_.newest_resume = -1;
  state_.fruitless = 0;
  state_.restarts_ns.clear();
  state_.outstanding.clear();
  state_.stop_requested = false;
  state_.end.reset();
  state_.phase = Phase::waiting;
  state_.not_before_ns = now_ns;
  return finish_step();
}

Driver::Step Driver::tick(std::int64_t now_ns) {
  now_ns_ = now_ns;
  notice_own_gap();
  judge();
  return finish_step();
}

Driver::Step Driver::leave(std::int64_t now_ns) {
  now_ns_ = now_ns;
  if (state_.phase != Phase::ended)
    log(EntryKind::session_ended, {.text = "its executors have ended before the job"});
  return finish_step();
}

Driver::Step Driver::heartbeat(const Heartbeat& heartbeat, std::int64_t now_ns) {
  now_ns_ = now_ns;
  notice_own_gap();
  const HeartbeatGate::Verdict verdict = gate_.check(heartbeat, state_.attempt.epoch);
  if (verdict.answer == HeartbeatGate::Answer::refuse) {
    if (last_refusal_ != verdict.reason)  // a sender that repeats itself does not fill the log
      log(EntryKind::refused, {.text = verdict.reason});
    last_refusal_ = verdict.reason;
    step_.reply.refused = verdict.reason;
  } else {
    if (verdict.answer == HeartbeatGate::Answer::take) take(heartbeat);
    judge();
    for (const Order& order : state_.outstanding) {
      if (order.host == heartbeat.host && order.number > heartbeat.acknowledged)
        step_.reply.orders.push_back(order);
    }
  }
  step_.reply.sequence = heartbeat.sequence;
  step_.reply.epoch = state_.attempt.epoch;
  return finish_step();
}

// This process itself may have been stopped, or the machine. Then heartbeats are late by no fault of
// their senders.
void Driver::notice_own_gap() {
  constexpr std::int64_t kGapNs = 2'000'000'000;
  const std::int64_t gap = now_ns_ - before_ns_;
  if (gap < kGapNs) return;
  for (auto& [name, host] : hosts_) host.last_seen_ns += gap;
}

void Driver::take(const Heartbeat& heartbeat) {
  const auto known = hosts_.find(heartbeat.host);
  if (known == hosts_.end() || known->second.heartbeat.incarnation != heartbeat.incarnation) {
    step_.change.nodes.push_back({.host = heartbeat.host,
                                  .incarnation = heartbeat.incarnation,
                                  .cores = heartbeat.facts.cores,
                                  .memory_bytes = heartbeat.facts.memory_bytes,
                                  .state = "connected"});
    if (state_.incarnations[heartbeat.host] != heartbeat.incarnation)
      log(EntryKind::host_seen, {.text = heartbeat.host});
    state_.incarnations[heartbeat.host] = heartbeat.incarnation;
  }
  HostSight& host = hosts_[heartbeat.host];
  if (const auto silent = state_.silent_hosts.find(heartbeat.host);
      silent != state_.silent_hosts.end()) {
    Incident incident = std::move(silent->second);
    state_.silent_hosts.erase(silent);
    if (incident.number > 0) {
      close_incident(std::move(incident), fmt::format("its heartbeats came back after {:.1f} s",
                                                      seconds_between(host.last_seen_ns, now_ns_)));
    }
  }
  host.last_seen_ns = now_ns_;
  host.heartbeat = heartbeat;
  state_.stop_requested = state_.stop_requested || heartbeat.stop_requested;
  take_acknowledgements(heartbeat);
  take_checkpoints(heartbeat);
  if (heartbeat.epoch == state_.attempt.epoch) take_progress(heartbeat);
}

void Driver::take_acknowledgements(const Heartbeat& heartbeat) {
  std::erase_if(state_.outstanding, [&](const Order& order) {
    const bool done = order.host == heartbeat.host && order.number <= heartbeat.acknowledged;
    if (done) {
      log(EntryKind::order_done,
          {.text = fmt::format("{} {}", order.number, to_string(order.kind))});
    }
    return done;
  });
}

void Driver::take_checkpoints(const Heartbeat& heartbeat) {
  auto steps = heartbeat.checkpoints;
  std::sort(steps.begin(), steps.end());
  for (const std::int64_t step : steps) {
    const auto place = std::lower_bound(state_.committed.begin(), state_.committed.end(), step);
    if (place != state_.committed.end() && *place == step) continue;
    state_.committed.insert(place, step);
    log(EntryKind::checkpoint_committed, {.step = step});
  }
  if (state_.committed.size() > kCommittedKept) {
    state_.committed.erase(state_.committed.begin(),
                           state_.committed.end() - static_cast<std::ptrdiff_t>(kCommittedKept));
  }
}

void Driver::take_progress(const Heartbeat& heartbeat) {
  if (state_.phase != Phase::starting && state_.phase != Phase::training &&
      state_.phase != Phase::stopping)
    return;
  Attempt& attempt = state_.attempt;
  const std::int64_t before = attempt.steps_done;
  for (const RankReport& rank : heartbeat.ranks)
    attempt.steps_done = std::max(attempt.steps_done, rank.steps_done);
  state_.stall_seconds = std::max(state_.stall_seconds, heartbeat.stall_seconds);
  if (attempt.steps_done > before && !heartbeat.ranks.empty() &&
      heartbeat.ranks.front().step_seconds > 0) {
    step_seconds_.push_back(heartbeat.ranks.front().step_seconds);
    if (step_seconds_.size() > kStepsOfMedian) step_seconds_.pop_front();
  }
  if (state_.phase == Phase::starting) note_training();
  if (attempt.resumed_step >= 0 && !state_.caught_up &&
      std::max(attempt.steps_done, attempt.resumed_step) >= state_.furthest_step) {
    state_.caught_up = true;
    log(EntryKind::attempt_caught_up, {.step = state_.furthest_step});
  }
}

void Driver::note_training() {
  std::uint32_t loaded = 0;
  std::int64_t step = -1;
  for_each_rank(sight(), [&](const std::string&, const RankReport& rank) {
    if (rank.resumed_step < 0) return;
    ++loaded;
    step = rank.resumed_step;
  });
  if (loaded < settings_.world_size) return;
  state_.phase = Phase::training;
  Attempt& attempt = state_.attempt;
  attempt.resumed_step = step;
  attempt.steps_done = std::max(attempt.steps_done, step);
  step_.change.attempts.push_back(attempt);
  log(EntryKind::attempt_training, {.step = step});
  if (!state_.committed.empty() && step < state_.committed.back()) {
    log(EntryKind::rolled_back,
        {.step = step,
         .text = fmt::format("from the checkpoint of step {}", state_.committed.back())});
    // Later ones were passed over, and the attempt will commit them anew.
    std::erase_if(state_.committed, [&](std::int64_t one) { return one > step; });
  }
  if (!state_.incident) return;
  const Incident incident = *std::exchange(state_.incident, std::nullopt);
  const double seconds = seconds_between(incident.opened_ns, now_ns_);
  close_incident(incident, fmt::format("attempt {} resumed at step {} after {:.1f} s",
                                       attempt.epoch, step, seconds));
  say(fmt::format("{} (step {}); attempt {} resumes at step {}; {:.1f} s", incident.what,
                  std::max<std::int64_t>(incident.step, 0), attempt.epoch, step, seconds));
}

JobSight Driver::sight() const {
  double median = 0;
  if (!step_seconds_.empty()) {
    std::vector<double> sorted(step_seconds_.begin(), step_seconds_.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    median = *middle;
  }
  return {.settings = settings_,
          .state = state_,
          .hosts = hosts_,
          .now_ns = now_ns_,
          .step_seconds = median};
}

void Driver::log(EntryKind kind, LogEntry entry) {
  entry.session = session_;
  entry.time_ns = now_ns_;
  entry.kind = kind;
  entry.epoch = state_.attempt.epoch;
  step_.change.entries.push_back(std::move(entry));
}

Driver::Step Driver::finish_step() {
  before_ns_ = now_ns_;
  return std::exchange(step_, {});
}

}  // namespace megascale::control
