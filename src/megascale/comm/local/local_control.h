#ifndef MEGASCALE_COMM_LOCAL_LOCAL_CONTROL_H_
#define MEGASCALE_COMM_LOCAL_LOCAL_CONTROL_H_

#include <memory>
#include <vector>

#include "megascale/comm/control.h"

namespace megascale::comm {

// Control between ranks that are threads of one process: the ends of ranks 0 to world_size - 1.
[[nodiscard]] std::vector<std::unique_ptr<Control>> make_local_control(std::uint32_t world_size);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_LOCAL_LOCAL_CONTROL_H_
