#ifndef MEGASCALE_OBSERVE_STRAGGLERS_H_
#define MEGASCALE_OBSERVE_STRAGGLERS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/observe/rank_step.h"

// Finds the ranks that hold up a job, and why. Every rank of a slow job takes equally long for a step,
// since all wait for the slowest. So waiting is left out: each cause has a time of its own, in which
// a rank waits for nobody. Time for which other programs had its cores does not count either, where the
// system tells (RankStep). Ranks that do the same work (the same plan) are compared in each step; a
// rank that takes longer than their median has a vote. It is named if it has votes in most steps, and
// if its good steps stand out from theirs (spread.h): the system may take the core of any rank for a
// while, but a slow rank is slow in every step. A step in which a thread of the rank was late, and may have
// been so because it had no core, does not count. All functions are pure.
namespace megascale::observe {

enum class SlowCause : std::uint8_t {
  compute,  // its tasks on the compute lane take longer
  input,    // its compute lane waits longer for its batch
  launch,   // its transfers could start, and start late
  wire      // bytes take longer in its transfers than in those of other groups
};
inline constexpr std::size_t kSlowCauses = 4;
[[nodiscard]] std::string_view to_string(SlowCause cause) noexcept;

// The times of a rank in one step in which slow ranks are found. Seconds.
struct RankTimes {
  double step = 0;
  double compute = 0, data_wait = 0;  // StepTimes
  double late_transfers = 0;          // RankStep::late_transfers()
  // RankStep
  double needed = 0, core_wait = 0, transfer_core_wait = 0, input_core_wait = 0;
};
[[nodiscard]] RankTimes rank_times(const RankStep& step) noexcept;

// One rank over consecutive steps.
struct RankSteps {
  std::uint32_t rank = 0;
  std::string work;  // ranks with equal names do the same work: the digest of their plan
  std::vector<RankTimes> steps;
};
// The transfers of one group or pair of ranks, over the same steps.
struct GroupSteps {
  std::string kind;  // groups of equal kinds move the same bytes
  std::vector<std::uint32_t> members;
  std::vector<double> moving_seconds;  // by step
  // By step, how long a member's thread that serves transfers had no core: of the member for which it is longest.
  // Empty: not known.
  std::vector<double> core_waits;
  // For a group without another one of its kind. Groups of equal `like` do the same with other amounts of
  // bytes, such as the data groups of two stages; "": no such group is known.
  std::string like;
  double bytes = 0;  // that a member sends or receives in a step
  // The same of the steps before, the oldest first; may be empty.
  std::vector<double> before, core_waits_before;
};

struct StragglerOptions {
  // The smallest excess that counts, as a share: of the usual time for compute and wire, of the step
  // for input and launch, whose usual times are close to 0.
  double share = 0.02;
  // A smaller excess does not count, in steps of any length: interrupts and the timer of the system take
  // some 10 us from any rank, in every step.
  double least_seconds = 100e-6;
  // The same for a wire that is compared with groups of other bytes, and for one that is compared with its own past:
  // there the usual time is less certain.
  double share_of_wire_alone = 0.1, share_of_own_past = 0.07;
  std::size_t least_before = 16;  // steps of its past with which a wire can be compared
  double votes = 0.75;            // the share of steps in which a rank must stand out
  // An excess below this share of a step is left out: it is not why the job is slow. Of wires the share is
  // larger: where ranks have too few cores, chance may favour one of two groups for many steps, by up to 1.9 % of a step.
  double least_of_step = 0.01, least_of_step_of_wire = 0.02;
  std::size_t least_steps = 8;  // a rank with fewer votes is not named
};

struct Straggler {
  SlowCause cause = SlowCause::compute;
  // One rank; several if only their common group can be named, and no single member of it.
  std::vector<std::uint32_t> ranks;
  double seconds = 0, usual = 0;     // a good step of it, and of the median of its peers
  std::size_t votes = 0, steps = 0;  // steps: that count
  // Returns the seconds that a step loses by it if nothing hides them.
  [[nodiscard]] double excess() const noexcept { return seconds - usual; }
};

// Returns the ranks that stand out, the largest excess first. `ranks` and `groups` hold the same
// steps in the same order; `groups` may be empty.
[[nodiscard]] std::vector<Straggler> find_stragglers(std::span<const RankSteps> ranks,
                                                     std::span<const GroupSteps> groups,
                                                     const StragglerOptions& options = {});

// Returns one clause: "rank 3 computes 12 % longer than the ranks with the same work".
[[nodiscard]] std::string to_string(const Straggler& straggler);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_STRAGGLERS_H_
