#ifndef MEGASCALE_SERVE_RANK_HISTORY_H_
#define MEGASCALE_SERVE_RANK_HISTORY_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "megascale/base/run_directory.h"
#include "megascale/job/job_plan.h"
#include "megascale/observe/stragglers.h"
#include "megascale/serve/rank_step_entry.h"

namespace megascale::serve {

// What is known of one rank: the numbers of its last steps, reduced from its record ring.
struct RankEntry {
  std::string host;     // "" if the ring does not name it
  std::string problem;  // why its records cannot be used; "" if they can
  std::uint32_t process_id = 0;
  std::int64_t steps_seen = -1;  // RingHead::steps_done when the ring was last read
  std::map<std::int64_t, RankStepEntry> steps;
};

// Follows the rings of a run. A ring holds a few steps only; this keeps the numbers of more, as long as
// update() is called often enough to see them. Numbers that the run has stored (step_store.h) fill
// the gaps. One thread may use it.
class RankHistory {
 public:
  static constexpr std::size_t kMostEntries = 40'000;
  // Keeps at most `most_entries` ranks times steps, but 16 steps of each rank at least: by default
  // about 100 MB, at 2.5 KB for each rank and step. `job` must outlive it.
  RankHistory(RunDirectory run, const job::JobPlan& job, std::size_t most_entries = kMostEntries)
      : run_(std::move(run)), job_(&job), most_entries_(most_entries) {}
  // Reads the rings that have new steps, and stored steps if any were missed.
  void update();
  // Reads the rings only. Returns whether steps were missed, or are new to this object.
  bool update_from_rings();
  [[nodiscard]] const std::map<std::uint32_t, RankEntry>& ranks() const noexcept { return ranks_; }
  // Returns the last `most` steps that all usable ranks have, ascending.
  [[nodiscard]] std::vector<std::int64_t> common_steps(std::size_t most) const;
  // Returns who is slow in these steps. `least_steps`: with fewer nobody is named.
  [[nodiscard]] std::vector<observe::Straggler> stragglers(const std::vector<std::int64_t>& steps,
                                                           std::size_t least_steps) const;
  // Returns the digest of the plan of a rank: ranks with equal ones do the same work.
  [[nodiscard]] const std::string& work_of(std::uint32_t rank) const;
  [[nodiscard]] plan::VerifiedPlan plan_of(std::uint32_t rank) const {
    return job_->plan_of(rank, job_->train_verification);
  }
  [[nodiscard]] const job::JobPlan& job() const noexcept { return *job_; }

 private:
  bool read(std::uint32_t rank, RankEntry& entry);  // returns whether steps were missed
  void read_stored();
  [[nodiscard]] std::size_t most_steps() const;  // of one rank
  RunDirectory run_;
  const job::JobPlan* job_;
  std::map<std::uint32_t, RankEntry> ranks_;  // that have a ring
  mutable std::map<const plan::StepPlan*, std::string> digests_;
  std::size_t most_entries_;
  bool is_new_ = true;
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_RANK_HISTORY_H_
