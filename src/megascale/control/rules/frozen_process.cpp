// Rule frozen_process: the job makes no progress, although its processes exist.
//
// The time without progress is that of the rank that has moved last: while one rank moves, the
// others may only wait for it. The limit follows from the job's own step time: frozen_multiple times
// the median step, at least 1.5 times frozen_seconds, since a process that runs may be short of
// processor time. Between two steps, when a job may evaluate or save, and
// while ranks load their state, only the larger start_seconds applies.
//
// A process that SIGSTOP or a debugger has stopped is known to be the cause; then frozen_seconds
// alone is the limit. Otherwise the rank that has been silent for the longest time is a guess: the others
// have gone on until they needed it. The driver then asks the plan (driver_hang.cpp).
#include <fmt/format.h>

#include <algorithm>

#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

constexpr double kPatience = 1.5;  // with processes that run, in frozen_seconds

struct Candidate {
  const RankReport* rank = nullptr;
  const std::string* host = nullptr;
};

}  // namespace

std::optional<Verdict> frozen_process(const JobSight& sight) {
  Candidate stopped, silent;
  double least_idle = -1;
  bool in_step = false;
  for_each_rank(sight, [&](const std::string& host, const RankReport& rank) {
    if (rank.state == RankState::ended) return;
    least_idle = least_idle < 0 ? rank.idle_seconds : std::min(least_idle, rank.idle_seconds);
    in_step = in_step || rank.in_step;
    Candidate& candidate = rank.state == RankState::stopped ? stopped : silent;
    if (candidate.rank == nullptr || rank.idle_seconds > candidate.rank->idle_seconds)
      candidate = {&rank, &host};
  });
  if (least_idle < 0) return std::nullopt;
  const double by_steps = sight.settings.frozen_multiple * sight.step_seconds;
  const double in_steps = std::max(kPatience * sight.settings.frozen_seconds, by_steps);
  const bool steps = in_step && sight.state.phase == Phase::training && sight.step_seconds > 0;
  const double limit = stopped.rank != nullptr ? sight.settings.frozen_seconds
                       : steps                 ? in_steps
                                               : std::max(in_steps, sight.settings.start_seconds);
  // A stopped rank is a culprit even if others still wait actively.
  const double idle = stopped.rank != nullptr ? stopped.rank->idle_seconds : least_idle;
  if (idle < limit) return std::nullopt;
  const Candidate& found = stopped.rank != nullptr ? stopped : silent;
  return Verdict{
      .rule = "frozen_process",
      .rank = found.rank->rank,
      .host = *found.host,
      .step = found.rank->steps_done,
      .idle_seconds = idle,
      .what = stopped.rank != nullptr
                  ? fmt::format("rank {} was stopped by a signal or a debugger", found.rank->rank)
                  : fmt::format("no rank makes progress, rank {} is silent for the longest time",
                                found.rank->rank),
      .evidence = fmt::format("process {} is {}; no progress for {:.1f} s, the limit is {:.1f} s "
                              "(median step {:.3f} s)",
                              found.rank->process_id, to_string(found.rank->state), idle, limit,
                              sight.step_seconds),
      .is_guess = stopped.rank == nullptr,
      .file = {}};
}

}  // namespace megascale::control
