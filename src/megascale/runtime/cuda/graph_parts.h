#ifndef MEGASCALE_RUNTIME_CUDA_GRAPH_PARTS_H_
#define MEGASCALE_RUNTIME_CUDA_GRAPH_PARTS_H_

#include <cstdint>
#include <vector>

#include "megascale/runtime/bound_tasks.h"

// Internal to runtime/cuda.
namespace megascale::runtime {

// Tasks that a graph may hold, in the order of their lane, as long as they can be: two or more
// neighbours of one lane of which only the first waits for another lane, and only the last is
// waited for by one. So a graph starts and ends where its tasks would, and the streams' order is
// what it was. None holds a transfer, which has partners, or a task of the host (`op_on_host`, by
// op).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> graph_parts(
    const BoundTasks& tasks, const std::vector<bool>& op_on_host);

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_CUDA_GRAPH_PARTS_H_
