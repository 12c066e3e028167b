// Judges the outcomes of steps: copies of the state may differ, and losses may go wrong. Both end the
// attempt; the next one begins before the step in doubt and does it again. Training is
// deterministic, so another result means that hardware was at fault, and the same result that data
// or code are the cause.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "megascale/control/driver.h"

namespace megascale::control {
namespace {

constexpr std::size_t kMostRanksKept = 64;

bool same_result(const StepOutcome& a, const StepOutcome& b) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return bits(a.loss) == bits(b.loss) && bits(a.gradient_norm) == bits(b.gradient_norm);
}

}  // namespace

// Returns whether the attempt ends.
bool Driver::judge_outcomes() {
  if (state_.phase != Phase::training) return false;
  judge_replay();
  if (state_.phase != Phase::training) return true;  // a host was blocked
  accept_following_steps();
  alert(slow_rank_.look(slow_rank(sight()), now_ns_));
  for (const auto& [name, host] : hosts_) alert(traffic_fall(sight(), name));
  auto verdict = state_digest(sight());
  // The step that is replayed may be as bad as before; that is no new fault.
  if (!verdict && !state_.replay) verdict = bad_loss(sight());
  if (!verdict || state_.observed_epoch == state_.attempt.epoch) return false;
  if (!settings_.acts) {
    state_.observed_epoch = state_.attempt.epoch;  // once for each attempt
    close_incident(open_incident(*verdict, "observe mode: the step would be replayed"),
                   "observe mode: nothing is done");
    say(fmt::format("{} ({}); observe mode: nothing is restarted", verdict->what,
                    verdict->evidence));
    return false;
  }
  // A state that was copied after the step before may hold the damage already. That of one step
  // earlier was in use in a step without a fault.
  state_.load_limit = std::max<std::int64_t>(verdict->bad_step - 1, 0);
  Replay replay{.step = verdict->bad_step,
                .epoch = state_.attempt.epoch,
                .of_state = verdict->rule == "state_digest"};
  for (const auto& [rank, outcome] : outcomes_.steps().at(verdict->bad_step)) {
    if (replay.outcomes.size() < kMostRanksKept) replay.outcomes[rank] = outcome;
  }
  for (const Member& member : state_.members) replay.hosts.push_back(member.host);
  act(*verdict);
  replay.incident = state_.incident ? state_.incident->number : 0;
  state_.replay = std::move(replay);
  return true;
}

// Tells a verdict that changes nothing, once in an attempt for each rank or host.
void Driver::alert(const std::optional<Verdict>& verdict) {
  if (!verdict) return;
  const std::string name =
      fmt::format("{} {} {}", verdict->rule, verdict->rank, verdict->rank < 0 ? verdict->host : "");
  if (std::find(state_.alerts.begin(), state_.alerts.end(), name) != state_.alerts.end()) return;
  state_.alerts.push_back(name);
  close_incident(open_incident(*verdict, "none: a person should look"), "told");
  say(fmt::format("{} ({}); nothing is restarted", verdict->what, verdict->evidence));
}

// Steps that are not finite and follow an accepted one have the same cause, and are accepted too. The
// step before the first one of the table may be the accepted one, so the state remembers its result.
void Driver::accept_following_steps() {
  bool bad_before = state_.accepted_is_bad;
  for (const auto& [step, outcomes] : outcomes_.steps()) {
    const StepOutcome& outcome = outcomes.begin()->second;
    const bool bad = !std::isfinite(outcome.loss) || !std::isfinite(outcome.gradient_norm);
    if (step > state_.accepted_step) {
      bad_before = bad_before && bad;
      if (!bad_before) break;
      state_.accepted_step = step;
    }
    bad_before = bad;
  }
  state_.accepted_is_bad = bad_before;
}

// Compares the step in doubt with its replay, once that is reported.
void Driver::judge_replay() {
  if (!state_.replay || state_.replay->epoch == state_.attempt.epoch) return;
  const Replay& replay = *state_.replay;
  const auto& steps = outcomes_.steps();
  if (steps.empty() || steps.rbegin()->first < replay.step) return;
  const auto found = steps.find(replay.step);
  ReplayResult result{.text = "its replay was not reported", .bad_host = {}};
  if (found != steps.end()) {
    if (found->second.size() < ranks_of_attempt() && steps.rbegin()->first == replay.step)
      return;  // the other ranks follow
    if (!replay.hosts.empty() && replay.hosts.size() != state_.members.size()) {
      // Sums in another order have other bits.
      state_.accepted_step = replay.step + settings_.loss_window;
      result.text = "it ran on another number of ranks, so its result cannot be compared";
    } else {
      result = replay.of_state ? compare_states(found->second) : compare_losses(found->second);
    }
  }
  say(fmt::format("the replay of step {}: {}", replay.step + 1, result.text));
  if (state_.incident && state_.incident->number == replay.incident) {
    close_incident(*std::exchange(state_.incident, std::nullopt),
                   fmt::format("{}; {}", replay.resumed, result.text));
  }
  const std::string why = fmt::format("step {} was wrong there: {}", replay.step + 1, result.text);
  state_.replay.reset();
  block_bad_host(result.bad_host, why);
}

Driver::ReplayResult Driver::compare_losses(const OutcomeTable::ByRank& again) {
  if (!same_result(state_.replay->outcomes.begin()->second, again.begin()->second)) {
    return {.text =
                "it has another result, so hardware was at fault; which rank is not known, "
                "`megascale diagnose` tests a host",
            .bad_host = state_.replay->hosts.size() == 1 ? host_in_doubt(0) : std::string()};
  }
  state_.accepted_step = state_.replay->step + settings_.loss_window;
  ++state_.own_jumps;
  return {.text = "it has the same result, so data or code are the cause; the job goes on",
          .bad_host = {}};
}

Driver::ReplayResult Driver::compare_states(const OutcomeTable::ByRank& again) {
  std::vector<std::uint32_t> wrong;
  for (const auto& [rank, outcome] : state_.replay->outcomes) {
    const auto found = again.find(rank);
    if (found != again.end() && found->second.digests != outcome.digests) wrong.push_back(rank);
  }
  if (wrong.size() != 1) {
    return {
        .text = wrong.empty()
                    ? "all ranks have the states that they had before"
                    : "the copies agree; the wrong state had changed the gradients of all ranks",
        .bad_host = {}};
  }
  if (state_.incident && state_.incident->number == state_.replay->incident)
    state_.incident->rank = wrong.front();
  return {.text = fmt::format("the state of rank {} was wrong before", wrong.front()),
          .bad_host = host_in_doubt(wrong.front())};
}

}  // namespace megascale::control
