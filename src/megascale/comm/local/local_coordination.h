#ifndef MEGASCALE_COMM_LOCAL_LOCAL_COORDINATION_H_
#define MEGASCALE_COMM_LOCAL_LOCAL_COORDINATION_H_

#include <memory>
#include <vector>

#include "megascale/comm/coordination.h"

namespace megascale::comm {

// Returns coordination objects for a job whose ranks are threads of one process: element r is for
// rank r. They share their state, so each may outlive the others. Waits have no time limit: they
// end when all ranks have come or when any rank calls abort().
[[nodiscard]] std::vector<std::unique_ptr<Coordination>> make_local_coordination(
    std::uint32_t world_size);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_LOCAL_LOCAL_COORDINATION_H_
