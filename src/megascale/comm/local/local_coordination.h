#ifndef MEGASCALE_COMM_LOCAL_LOCAL_COORDINATION_H_
#define MEGASCALE_COMM_LOCAL_LOCAL_COORDINATION_H_

#include <memory>
#include <vector>

#include "megascale/comm/coordination.h"

namespace megascale::comm {

// Coordination between ranks that are threads of one process: the ends of ranks 0 to world_size
// - 1.
[[nodiscard]] std::vector<std::unique_ptr<Coordination>> make_local_coordination(
    std::uint32_t world_size);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_LOCAL_LOCAL_COORDINATION_H_
