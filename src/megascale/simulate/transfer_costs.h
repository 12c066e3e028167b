#ifndef MEGASCALE_SIMULATE_TRANSFER_COSTS_H_
#define MEGASCALE_SIMULATE_TRANSFER_COSTS_H_

#include "megascale/simulate/cluster.h"
#include "megascale/simulate/job.h"

namespace megascale::simulate {

// Where the members of a communicator stand, seen by one of them.
struct Spread {
  std::size_t members = 1, nodes = 1, on_my_node = 1;
  double tiers_us = 0;          // that switches add to a step between its nodes, on average
  double tiers_rate_share = 1;  // what they leave of the rate
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison's hidden 0 for one
  friend auto operator<=>(const Spread&, const Spread&) = default;
};
// By communicator of a rank's plan. Ranks of one plan whose spreads are equal have equal costs.
[[nodiscard]] std::vector<Spread> spreads_of(const plan::Binding& binding, const Cluster& cluster);

// Bytes that one of `members` reads and writes for a transfer where each fetches what it needs from
// the memory of the others (comm/local): a sum reads a block of every member and writes one. Of a
// send none: the receiver fetches.
[[nodiscard]] double bytes_fetched(const plan::PlanOp& op, std::size_t members);

// What a transfer costs on its links. Of a measured kind inside a node (Cluster::Transfers):
// base_us, then its bytes over its rate, one transfer of a rank at a time and with a whole
// processor. Of others as NCCL would do it: of its protocols, and for all_reduce of ring and tree,
// whichever is done first.
//   A ring of n ranks takes n - 1 steps (2 (n - 1): all_reduce) and hands on (n - 1)/n of the bytes
//   (twice that) each way. A tree takes two steps for every doubling of the nodes, and all bytes
//   twice. Where the ranks stand on several nodes, the bytes go through as many of a node's network
//   ports as it has ranks there. A send or receive is one step.
[[nodiscard]] OpCost transfer_cost(const plan::PlanOp& op, const Spread& spread,
                                   const Cluster& cluster);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_TRANSFER_COSTS_H_
