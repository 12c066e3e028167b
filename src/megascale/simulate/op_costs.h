#ifndef MEGASCALE_SIMULATE_OP_COSTS_H_
#define MEGASCALE_SIMULATE_OP_COSTS_H_

#include "megascale/simulate/cluster.h"
#include "megascale/simulate/job.h"

namespace megascale::simulate {

// What the ops of a rank's plan cost on a described cluster, by OpIndex.
//   Matrix products: the slower of FLOPs at the peak's share for that many, and their bytes.
//   Attention: FLOPs at its share. Everything else: the bytes of its operands.
//   Transfers: rings. A collective over n ranks takes n - 1 steps (2 (n - 1): all_reduce) and hands
//   on (n - 1)/n of its bytes each way; where its ranks stand on several nodes, through as many of
//   a node's network ports as it has ranks there. A send or receive is one step.
[[nodiscard]] CostFunction costs_on(const Cluster& cluster);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_OP_COSTS_H_
