#ifndef MEGASCALE_SIMULATE_OP_COSTS_H_
#define MEGASCALE_SIMULATE_OP_COSTS_H_

#include "megascale/simulate/cluster.h"
#include "megascale/simulate/expert_loads.h"
#include "megascale/simulate/job.h"

namespace megascale::simulate {

// Returns a function that computes the cost of each op of a rank's plan on a described cluster,
// indexed by OpIndex. Computation costs as in compute_costs.h, transfers as in transfer_costs.h.
// Host copies and step numbers cost nothing. The function keeps a copy of the cluster. It remembers
// results by the address of the plan, so the plans must outlive it. Call it and its copies from one
// thread at a time. It throws Error (unsupported) for products with 8-bit operands. `loads` gives each rank the
// rows of its own experts.
[[nodiscard]] CostFunction costs_on(const Cluster& cluster, ExpertLoads loads = {});

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_OP_COSTS_H_
