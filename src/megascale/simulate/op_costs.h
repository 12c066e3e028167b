#ifndef MEGASCALE_SIMULATE_OP_COSTS_H_
#define MEGASCALE_SIMULATE_OP_COSTS_H_

#include "megascale/simulate/cluster.h"
#include "megascale/simulate/job.h"

namespace megascale::simulate {

// What the ops of a rank's plan cost on a described cluster, by OpIndex: computation as in
// compute_costs.h, transfers as in transfer_costs.h, host copies and step numbers nothing.
[[nodiscard]] CostFunction costs_on(const Cluster& cluster);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_OP_COSTS_H_
