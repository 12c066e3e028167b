#ifndef MEGASCALE_TESTS_CONTROL_SIGHTS_H_
#define MEGASCALE_TESTS_CONTROL_SIGHTS_H_

#include "megascale/control/messages.h"

// Heartbeats of a host "a" with ranks 0 to 3.
namespace megascale::testing {

inline constexpr std::int64_t kSecond = 1'000'000'000;

inline control::RankReport running_rank(std::uint32_t rank, std::int64_t steps = 37) {
  return {.rank = rank,
          .process_id = static_cast<std::int32_t>(100 + rank),
          .resumed_step = 30,
          .steps_done = steps,
          .in_step = true,
          .idle_seconds = 0.1,
          .step_seconds = 0.5};
}
inline control::RankReport ended_rank(std::uint32_t rank, int exit_code, int signal,
                                      std::uint32_t end_number) {
  control::RankReport report = running_rank(rank);
  report.state = control::RankState::ended;
  report.exit_code = signal != 0 ? -1 : exit_code;
  report.signal = signal;
  report.end_number = end_number;
  return report;
}
inline control::Heartbeat heartbeat_of(std::int64_t sequence, std::int64_t epoch,
                                       std::vector<control::RankReport> ranks) {
  control::Heartbeat heartbeat{.job = "j", .host = "a", .incarnation = 1, .sequence = sequence};
  heartbeat.epoch = epoch;
  heartbeat.ranks = std::move(ranks);
  return heartbeat;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CONTROL_SIGHTS_H_
