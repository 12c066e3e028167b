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
               std::optional<DriverState> before, Tenure tenure)
    : settings_(std::move(settings)), tenure_(tenure), session_(session), gate_(std::move(job)) {
  if (before) state_ = std::move(*before);
  for (const auto& [host, incarnation] : state_.incarnations) gate_.remember(host, incarnation);
}

Driver::Step Driver::begin(std::int64_t now_ns) {
  now_ns_ = before_ns_ = now_ns;
  begin_term();
  if (state_.session == session_) {
    expect_hosts();
    log(EntryKind::driver_started, {.text = fmt::format("term {}", state_.term)});
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
  state_.own_jumps = 0;
  state_.restarts_ns.clear();
  state_.outstanding.clear();
  state_.members.clear();
  state_.present.clear();
  state_.quarantined.clear();
  state_.checked.clear();
  state_.checking.clear();
  state_.stop_requested = false;
  state_.end.reset();
  state_.phase = Phase::waiting;
  // Executors may have ranks of which this driver knows nothing: they are heard first.
  state_.not_before_ns =
      now_ns + (tenure_.takes_over ? static_cast<std::int64_t>(settings_.lease_seconds * 1e9) : 0);
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
  const HeartbeatGate::Verdict verdict =
      gate_.check(heartbeat, state_.term > 0 ? heartbeat.epoch : state_.attempt.epoch);
  if (verdict.answer == HeartbeatGate::Answer::refuse) {
    if (last_refusal_ != verdict.reason)  // a sender that repeats itself does not fill the log
      log(EntryKind::refused, {.text = verdict.reason});
    last_refusal_ = verdict.reason;
    step_.reply.refused = verdict.reason;
    step_.reply.refusal = verdict.refusal;
  } else if (const auto newer = refuse_newer_term(heartbeat)) {
    step_.reply.refusal = *newer;
  } else if (const auto refusal = refuse_stale(heartbeat)) {
    step_.reply.refusal = *refusal;
  } else {
    notice_contact();
    if (verdict.answer == HeartbeatGate::Answer::take) take(heartbeat);
    judge();
    for (Order order : state_.outstanding) {
      if (!unknown_ && order.host == heartbeat.host && order.number > heartbeat.acknowledged &&
          fill_in(order))
        step_.reply.orders.push_back(std::move(order));
    }
  }
  step_.reply.sequence = heartbeat.sequence;
  step_.reply.term = state_.term;
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
    if (state_.incarnations[heartbeat.host] != heartbeat.incarnation) {
      log(EntryKind::host_seen, {.text = heartbeat.host});
      // They were for the executor before it.
      std::erase_if(state_.outstanding,
                    [&](const Order& order) { return order.host == heartbeat.host; });
      if (state_.phase == Phase::ended) release(heartbeat.host);
    }
    state_.incarnations[heartbeat.host] = heartbeat.incarnation;
    state_.present.insert(heartbeat.host);
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
  if (heartbeat.leaving) return note_leaving(heartbeat);
  note_unknown_attempt(heartbeat);
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
  const auto take = [&](std::vector<std::int64_t> steps, std::vector<std::int64_t>& known,
                        EntryKind kind) {
    std::sort(steps.begin(), steps.end());
    for (const std::int64_t step : steps) {
      const auto place = std::lower_bound(known.begin(), known.end(), step);
      if (place != known.end() && *place == step) continue;
      known.insert(place, step);
      log(kind, {.step = step});
    }
    if (known.size() > kCommittedKept)
      known.erase(known.begin(), known.end() - static_cast<std::ptrdiff_t>(kCommittedKept));
  };
  // The hosts list the same directory, at different times. So one of them tells the order of commits.
  if (state_.members.empty() || heartbeat.host == state_.members.front().host)
    take(heartbeat.checkpoints, state_.committed, EntryKind::checkpoint_committed);
  take(heartbeat.copies, state_.copied, EntryKind::copy_committed);
}

void Driver::take_progress(const Heartbeat& heartbeat) {
  if (state_.phase != Phase::starting && state_.phase != Phase::training &&
      state_.phase != Phase::stopping)
    return;
  Attempt& attempt = state_.attempt;
  traffic_.take(heartbeat);
  if (state_.phase == Phase::training) outcomes_.trim();  // those of earlier heartbeats were judged
  const std::int64_t before = attempt.steps_done;
  for (const RankReport& rank : heartbeat.ranks) {
    attempt.steps_done = std::max(attempt.steps_done, rank.steps_done);
    outcomes_.take(rank);
  }
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
  if (loaded < ranks_of_attempt()) return;
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
  state_.load_limit = -1;  // later states were set aside
  if (!state_.incident) return;
  const Incident incident = *state_.incident;
  const double seconds = seconds_between(incident.opened_ns, now_ns_);
  std::string outcome =
      fmt::format("attempt {} resumed at step {} after {:.1f} s", attempt.epoch, step, seconds);
  if (state_.members.size() < settings_.hosts)
    outcome += fmt::format(" on {} of {} hosts", state_.members.size(), settings_.hosts);
  if (state_.replay && state_.replay->incident == incident.number) {
    state_.replay->resumed = std::move(outcome);  // the incident stays open until the replay
  } else {
    state_.incident.reset();
    close_incident(incident, std::move(outcome));
  }
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
          .step_seconds = median,
          .outcomes = &outcomes_,
          .traffic = &traffic_};
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
