#ifndef MEGASCALE_SIMULATE_JOB_H_
#define MEGASCALE_SIMULATE_JOB_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "megascale/parallel/rank_grid.h"
#include "megascale/plan/verify.h"
#include "megascale/simulate/curve.h"

// What the event engine executes: proven plans, who takes part in which transfer, and what every
// task costs. Thread safety: plain values.
namespace megascale::simulate {

// What bytes travel through; a rank's traffic in the two directions does not disturb each other.
enum class Link : std::uint8_t { node_out, node_in, network_out, network_in };
inline constexpr std::size_t kLinkCount = 4;
using LinkSet = std::uint8_t;  // bit i: Link i
[[nodiscard]] constexpr LinkSet bit(Link link) noexcept {
  return static_cast<LinkSet>(1U << static_cast<unsigned>(link));
}

// One task, undisturbed. Seconds.
struct OpCost {
  // Of computation: on a processor of speed 1 that does nothing else. Of a transfer: for its bytes,
  // on links that carry nothing else.
  double seconds = 0;
  // Of a transfer: from its last partner's start until bytes flow. Loads nothing.
  double latency_seconds = 0;
  LinkSet links = 0;  // of a transfer: which of this rank's links it loads
  // Of a transfer: the share of this rank's processor that moving the bytes takes from computation.
  double processor_share = 0;
};

// By OpIndex of a plan; ranks for which it is the same share one.
using CostTable = std::shared_ptr<const std::vector<OpCost>>;

// JobRank::host of a rank whose processor is its own.
inline constexpr std::uint32_t kOwnProcessor = ~0U;

// What the ranks of a host share. A rank that computes wants a processor, and so does each of its
// transfers, by its OpCost::processor_share, together one at most: a thread carries them out. Where
// more is wanted than there is, computation and the transfers that want some get as much less;
// between islands (islands.h) computation alone.
struct HostProcessors {
  double count = 0;
  Curve speed{{{1, 1}}};  // of each, by how many are wanted
  // Where more ranks compute than there are processors, they take turns, and each turn loses time.
  // Turns of `slice_seconds` lose what makes computation as slow as `speed` says; a turn that a
  // wait ends before, `wait_share` of that. `slice_seconds` 0: computation is slow all the time.
  double slice_seconds = 0, wait_share = 0;
};

struct JobRank {
  std::shared_ptr<const plan::StepPlan> plan;
  std::vector<std::uint32_t> groups;  // by CommunicatorId: index into Job::groups
  CostTable costs;
  double speed = 1;  // of its processor: computation takes OpCost::seconds / speed
  std::uint32_t host = kOwnProcessor;  // whose processors it shares: into Job::hosts
};

struct Job {
  std::vector<JobRank> ranks;
  // The ranks (indices into `ranks`) that take part in each group's transfers, each once.
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<HostProcessors> hosts;
};

// The costs of the ops of one rank's plan.
using CostFunction = std::function<CostTable(const plan::VerifiedPlan& rank)>;

// A job of all ranks given, or of the representatives of classes: a member of a group that is not
// among `plans` is stood for by `representative(member)`, which is. Throws Error (failed) where
// that does not lead to one group for all its members.
[[nodiscard]] Job make_job(std::span<const plan::VerifiedPlan> plans,
                           const std::function<std::uint32_t(std::uint32_t)>& representative,
                           const CostFunction& cost);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_JOB_H_
