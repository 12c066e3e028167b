#ifndef MEGASCALE_OBSERVE_RING_HEAD_H_
#define MEGASCALE_OBSERVE_RING_HEAD_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "megascale/base/rank_position.h"
#include "megascale/base/record_ring_format.h"

namespace megascale::observe {

// How far a rank has come, from its record ring alone, without its plan. For a watcher that looks
// several times a second. Times are those of the rank's host (monotonic_ns()).
struct RingHead {
  std::uint32_t process_id = 0;  // of the writer
  std::int64_t steps_done =
      -1;                // all steps before the newest one, and that if it has ended; -1: none
  bool in_step = false;  // the newest step has begun and not ended
  std::uint32_t tasks_done = 0;  // of the newest step, if in_step
  std::int64_t last_ns = 0;      // when the rank last did a task, or began or ended a step
  std::int64_t step_ns = 0;      // duration of the newest step that has ended; 0: none has
};
// Reads a ring with pread(), so that a file that its writer replaces meanwhile does no harm. Returns
// nothing if there is no ring at `path`, or none that is complete. Any thread.
[[nodiscard]] std::optional<RingHead> read_ring_head(const std::filesystem::path& path) noexcept;
// Returns the digest of the plan whose tasks a ring records, read in the same way; "" if there is no
// ring.
[[nodiscard]] std::string read_plan_digest(const std::filesystem::path& path);
// Reads the position of the rank in the same way, for the analysis of a hang.
[[nodiscard]] std::optional<RankPosition> read_rank_position(const std::filesystem::path& path);

// Reads when the steps of a ring began and ended, without their records: in any order, those that have
// ended only. Empty as far as there is no ring. Any thread.
[[nodiscard]] std::vector<RecordRingStep> read_ended_steps(const std::filesystem::path& path);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_RING_HEAD_H_
