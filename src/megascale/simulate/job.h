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

// The input of the event engine: verified plans, the ranks that take part in each transfer, and the
// cost of every task. All types are plain values.
namespace megascale::simulate {

// The links of a rank. Traffic in one direction does not slow the other direction.
enum class Link : std::uint8_t { node_out, node_in, network_out, network_in };
inline constexpr std::size_t kLinkCount = 4;
using LinkSet = std::uint8_t;  // bit i: Link i
[[nodiscard]] constexpr LinkSet bit(Link link) noexcept {
  return static_cast<LinkSet>(1U << static_cast<unsigned>(link));
}

// The cost of one task that shares nothing with others, in seconds.
struct OpCost {
  // Computation: time on a processor of speed 1. Transfer: time in which its bytes flow.
  double seconds = 0;
  // Transfer: time from the last partner's start until bytes flow. No link is loaded meanwhile.
  double latency_seconds = 0;
  LinkSet links = 0;  // transfer: the links of this rank that it loads
  // Transfer: share of this rank's processor that is lost to computation while bytes flow.
  double processor_share = 0;
  // Parts that are complete one after the other. Product: rounds of its tiles. Transfer: members of
  // the group, since the bytes of each member come for themselves.
  double tiles = 1;
  // Transfer: the fused pair of which it is part (plan/fused_pairs.h) runs as one kernel.
  bool is_fused = false;
};

// The costs of a plan's ops, indexed by OpIndex. Ranks with equal costs share one table.
using CostTable = std::shared_ptr<const std::vector<OpCost>>;

// Value of JobRank::host for a rank that has a processor of its own.
inline constexpr std::uint32_t kOwnProcessor = ~0U;

// The processors that the ranks of a host share. A rank that computes wants one processor. Its
// transfers want a share (OpCost::processor_share) each, together at most one processor, since one
// thread carries them out. If the ranks want more processors than there are, computation and such
// transfers slow down by the same factor. For transfers between islands (islands.h) only
// computation slows down.
struct HostProcessors {
  double count = 0;       // number of processors
  Curve speed{{{1, 1}}};  // speed of each processor, by the number wanted
  // If more ranks compute than there are processors, they take turns in time slices of
  // `slice_seconds`. A full slice loses as much time as makes computation as slow as `speed` says.
  // A slice that ends early because the rank waits loses `wait_share` of that. If `slice_seconds`
  // is 0, computation is slowed by `speed` all the time instead.
  double slice_seconds = 0, wait_share = 0;
};

struct JobRank {
  std::shared_ptr<const plan::StepPlan> plan;
  std::vector<std::uint32_t> groups;  // index into Job::groups, for each CommunicatorId
  CostTable costs;
  double speed = 1;  // of its processor: computation takes OpCost::seconds / speed
  // Index into Job::hosts of the host whose processors it shares.
  std::uint32_t host = kOwnProcessor;
};

struct Job {
  std::vector<JobRank> ranks;
  // For each group: the ranks that take part in its transfers, as ascending indices into `ranks`.
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<HostProcessors> hosts;
};

// Computes the costs of the ops of one rank's plan.
using CostFunction = std::function<CostTable(const plan::VerifiedPlan& rank)>;

// Makes a job of `plans`: either the plans of all ranks, or of one representative of each class of
// equal ranks. `representative(member)` returns the rank in `plans` that represents a member of a
// communicator (the member itself, if all ranks are given). Throws Error (failed) if a
// representative has no plan, or if two ranks see different members in the same communicator.
[[nodiscard]] Job make_job(std::span<const plan::VerifiedPlan> plans,
                           const std::function<std::uint32_t(std::uint32_t)>& representative,
                           const CostFunction& cost);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_JOB_H_
