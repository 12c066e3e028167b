#ifndef MEGASCALE_ENGINE_LOCAL_MEMORY_H_
#define MEGASCALE_ENGINE_LOCAL_MEMORY_H_

#include <cstdint>
#include <string>

#include "megascale/engine/memory_limit.h"
#include "megascale/job/job_plan.h"

namespace megascale::engine {

// Returns the bytes of host memory that the ranks of a job take if all of them run on this host:
// their arenas, if they compute on the CPU, and `state_copies` copies of the state that they save.
// Memory of kernel libraries and of the program itself is not included.
[[nodiscard]] std::uint64_t local_nbytes(const job::JobPlan& job, std::uint64_t state_copies);

// Returns how many copies of its state a rank holds at most: the snapshot from which checkpoints are
// written; with checkpoint.memory_interval also that of the copies in memory, the newest of these, and
// the one that is being written.
[[nodiscard]] std::uint64_t state_copies(const Config& config) noexcept;

// Returns why the ranks of the job cannot run on a host with these limits of memory, all of them
// together; empty if they can. A job of more than kMostLocalRanks cannot run on one host; then one
// rank is looked at, the one with the largest arena.
[[nodiscard]] std::string memory_problem(const job::JobPlan& job, const MemoryLimit& limit,
                                         std::uint64_t state_copies);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_LOCAL_MEMORY_H_
