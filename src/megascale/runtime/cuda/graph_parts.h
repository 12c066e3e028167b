#ifndef MEGASCALE_RUNTIME_CUDA_GRAPH_PARTS_H_
#define MEGASCALE_RUNTIME_CUDA_GRAPH_PARTS_H_

#include <cstdint>
#include <vector>

#include "megascale/runtime/bound_tasks.h"

// Finds the tasks of a plan that can be handed over as CUDA graphs. Internal to runtime/cuda.
namespace megascale::runtime {

// Returns parts: lists of two or more consecutive tasks of a lane, as long as possible, in which
// only the first task waits for another lane, and other lanes wait only for the last task. So a
// graph starts when its first task could start, and the order of the streams stays the same. A part
// contains no transfer, since a transfer has partners, and no host task. `op_on_host` tells by op
// which tasks are host tasks.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> graph_parts(
    const BoundTasks& tasks, const std::vector<bool>& op_on_host);

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_CUDA_GRAPH_PARTS_H_
