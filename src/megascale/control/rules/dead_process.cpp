// Rule dead_process: a rank's process has ended without success.
//
// When one rank dies, the others lose their peer and soon end too. The first one is the cause. If
// several have ended before the driver hears of any, the order of their ends decides; but a process
// that a signal has ended, or that refused its configuration, comes before one that ended with exit
// code 1, which is how a rank ends that has lost a peer.
//
// A run that has diverged ends by itself (train.max_skipped_steps), and would do so again. Exit code 2
// means that a person must change the command or the configuration: no restart helps.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

constexpr std::int32_t kBadUsage = 2;

bool has_failed(const RankReport& rank) {
  return rank.state == RankState::ended && (rank.signal != 0 || rank.exit_code != 0);
}

bool may_be_a_consequence(const RankReport& rank) {
  return rank.signal == 0 && rank.exit_code == 1;
}

std::string how_it_ended(const RankReport& rank) {
  if (rank.signal == 0)
    return fmt::format("rank {} ended with exit code {}", rank.rank, rank.exit_code);
  if (rank.out_of_memory)
    return fmt::format("rank {} was killed by the system for lack of memory", rank.rank);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the driver has one thread
  return fmt::format("rank {} was killed by signal {} ({})", rank.rank, rank.signal,
                     ::strsignal(rank.signal));
}

// A rank says so before it ends; all ranks then end with exit code 1.
bool has_diverged(const JobSight& sight) {
  return std::any_of(sight.hosts.begin(), sight.hosts.end(), [&](const auto& host) {
    const Heartbeat& heartbeat = host.second.heartbeat;
    return heartbeat.epoch == sight.state.attempt.epoch &&
           std::any_of(heartbeat.findings.begin(), heartbeat.findings.end(),
                       [](const Finding& finding) { return finding.keyword == "diverged"; });
  });
}

}  // namespace

std::optional<Verdict> dead_process(const JobSight& sight) {
  const RankReport* first = nullptr;
  const std::string* host = nullptr;
  const auto order = [](const RankReport& rank) {
    return std::tuple(may_be_a_consequence(rank), rank.end_number);
  };
  for_each_rank(sight, [&](const std::string& name, const RankReport& rank) {
    if (!has_failed(rank) || (first != nullptr && order(*first) <= order(rank))) return;
    first = &rank;
    host = &name;
  });
  if (first == nullptr) return std::nullopt;
  Verdict verdict{.rule = "dead_process",
                  .rank = first->rank,
                  .host = *host,
                  .step = first->steps_done,
                  .idle_seconds = first->idle_seconds,
                  .what = how_it_ended(*first),
                  .evidence = fmt::format(
                      "process {}, {} steps and {} tasks of the next one done", first->process_id,
                      std::max<std::int64_t>(first->steps_done, 0), first->tasks_done),
                  .may_be_a_consequence = may_be_a_consequence(*first)};
  if (first->signal == 0 && first->exit_code == 1 && has_diverged(sight)) {
    verdict.action = Action::give_up;
    verdict.exit_code = kDiverged;
    verdict.what = "the run has diverged";
  }
  if (first->signal == 0 && first->exit_code == kBadUsage) {
    verdict.action = Action::give_up;
    verdict.exit_code = kBadUsage;
  }
  return verdict;
}

}  // namespace megascale::control
