#ifndef MEGASCALE_SIMULATE_TRANSFER_COSTS_H_
#define MEGASCALE_SIMULATE_TRANSFER_COSTS_H_

#include "megascale/simulate/cluster.h"
#include "megascale/simulate/job.h"

namespace megascale::simulate {

// How the members of a communicator are placed on nodes, seen from one member.
struct Spread {
  // Members, nodes that they use, members on this member's node.
  std::size_t members = 1, nodes = 1, on_my_node = 1;
  // Microseconds that switches (Cluster::tiers) add to a step between two nodes, on average.
  double tiers_us = 0;
  // The smallest share of the rate that these switches leave.
  double tiers_rate_share = 1;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison's hidden 0 for one
  friend auto operator<=>(const Spread&, const Spread&) = default;
};
// Returns the spread of each communicator of a rank's plan. Ranks with the same plan and equal
// spreads have equal costs.
[[nodiscard]] std::vector<Spread> spreads_of(const plan::Binding& binding, const Cluster& cluster);

// Returns the bytes that one of `members` members reads and writes in a transfer where each member
// fetches what it needs from the memory of the others (comm/local). A sum, for instance, reads a
// block of every member and writes one. A send moves nothing, because the receiver fetches.
[[nodiscard]] double bytes_fetched(const plan::PlanOp& op, std::size_t members);

// Returns the cost of a transfer for one member. If the kind was measured inside a node
// (Cluster::Transfers), it costs base_us, then its bytes over its rate; a rank then carries out one
// transfer at a time, and a thread of it is busy meanwhile. Otherwise it costs what NCCL would
// need: the fastest of the protocols, and for all_reduce between nodes of ring and tree.
//   ring       n ranks take n - 1 steps and hand on (n - 1)/n of the bytes in each direction;
//              all_reduce takes twice as many steps and bytes
//   tree       two steps for every doubling of the nodes; all bytes twice
//   send, receive    one step
// Between nodes, the bytes go through as many network ports of a node as it has members there.
// A transfer inside a node that is part of a fused pair, of a kind with such kernels (Cluster::Fused),
// takes the multiprocessors of that kernel instead of processor_share.
[[nodiscard]] OpCost transfer_cost(const plan::PlanOp& op, const Spread& spread,
                                   const Cluster& cluster);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_TRANSFER_COSTS_H_
