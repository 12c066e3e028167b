#ifndef MEGASCALE_OBSERVE_PROGRESS_H_
#define MEGASCALE_OBSERVE_PROGRESS_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "megascale/observe/ring_file.h"
#include "megascale/plan/verify.h"

// How far each rank of a job has come, read from the rings. The rings outlive their processes, so
// this also works for a job that hangs or that was killed.
namespace megascale::observe {

// The first task of a lane that is not done.
struct LaneHead {
  std::uint32_t task = 0;
  bool ready = false;    // all its waits are satisfied, so nothing on this rank holds it back
  bool started = false;  // its lane has started it
  bool matched = false;  // of a transfer: this rank has seen that all partners had started
};

struct RankProgress {
  plan::RankPlan rank;
  std::string host;              // "" if the ring does not name its writer
  std::uint32_t process_id = 0;  // 0 likewise
  // The newest step that the ring holds, counted from 0; -1: the rank has recorded none.
  std::int64_t step = -1;
  bool ended = false;  // that step has ended, and the next one has not begun
  std::array<std::uint32_t, graph::kLaneCount> done{};  // tasks done in that step, by lane
  std::array<std::optional<LaneHead>, graph::kLaneCount> heads;
  // The transfers that were done since the first step, by communicator. Those of one communicator
  // have the same numbers on all of its members.
  std::vector<std::uint64_t> transfers;
  std::int64_t last_ns = 0;  // of the last task done, or of the start of the step; rank 0's clock
};

// Evaluates the newest step of a ring. `ring` must belong to the rank's plan. Pure.
[[nodiscard]] RankProgress progress_of(plan::RankPlan rank, const RingFile& ring);

// Returns the plan of a rank and its binding.
using PlanOfRank = std::function<plan::RankPlan(std::uint32_t rank)>;
// Reads the rings of all `world_size` ranks. A rank without a ring has recorded no step. Throws
// Error:
// bad_usage if no rank has a ring, or if rings belong to other plans (all of them are named);
// bad_input if a file is no ring.
[[nodiscard]] std::vector<RankProgress> read_progress(const std::filesystem::path& run_dir,
                                                      std::uint32_t world_size,
                                                      const PlanOfRank& plan_of);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_PROGRESS_H_
