#ifndef MEGASCALE_OBSERVE_HANG_H_
#define MEGASCALE_OBSERVE_HANG_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/observe/progress.h"

// Finds the rank that holds up a job. In a job that hangs almost every rank waits, most of them for
// ranks that wait themselves. The plan says who waits for whom. A rank is a suspect only if nothing
// in the plan holds it back. MegaScale (arXiv 2402.15627), section 5.3, finds the silent rank in
// the same picture; here the plan replaces the logs. All functions are pure.
namespace megascale::observe {

// A rank that could go on but does not.
struct Suspect {
  enum class Why : std::uint8_t {
    no_records,      // it has no ring, or no step in it
    between_steps,   // it has ended its step and has not begun the next, which others have begun
    not_started,     // its task may start, and has not started
    not_done,        // its task has started, and is no transfer
    not_noticed,     // a transfer in which all other members are further
    transfer_stuck,  // a transfer that all have started, and in which no member is less far
  };
  std::uint32_t rank = 0;
  Why why = Why::not_done;
  std::int64_t step = -1;
  graph::Lane lane = graph::Lane::compute;
  std::uint32_t task = 0;              // with all reasons from not_started on
  std::string task_name;               // likewise
  std::string communicator;            // of a transfer: its key
  std::int64_t last_ns = 0;            // RankProgress::last_ns
  std::vector<std::uint32_t> waiting;  // ranks that wait for this one, directly or through others
};

// A healthy rank whose transfer waits for others.
struct WaitingRank {
  std::uint32_t rank = 0;
  std::int64_t step = -1;
  graph::Lane lane = graph::Lane::compute;
  std::uint32_t task = 0;
  std::string task_name;
  std::vector<std::uint32_t> awaited;  // members that are not as far with the transfer
};

struct HangVerdict {
  // The most likely first: by reason, in the order of Suspect::Why; then the rank that has been
  // silent for the longest time.
  std::vector<Suspect> suspects;
  std::vector<WaitingRank> waiting;  // by rank and lane
  // All ranks have ended the same step: the job is between two steps, or has ended.
  bool between_steps = false;
};

// `ranks` holds the progress of all ranks of the job, by rank number. In a job that makes progress
// the ranks that compute are suspects too; find_stopped() tells the two apart.
[[nodiscard]] HangVerdict find_hang(std::span<const RankProgress> ranks);

// Returns the ranks that have done no task between two readings of the same job.
[[nodiscard]] std::vector<std::uint32_t> find_stopped(std::span<const RankProgress> before,
                                                      std::span<const RankProgress> after);

// Returns one line about the suspect, without a line break: rank, step, lane, task and reason.
[[nodiscard]] std::string to_string(const Suspect& suspect);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_HANG_H_
