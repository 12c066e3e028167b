#ifndef MEGASCALE_ENGINE_LOCAL_MEMORY_H_
#define MEGASCALE_ENGINE_LOCAL_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "megascale/engine/memory_limit.h"
#include "megascale/job/job_plan.h"

namespace megascale::engine {

// Returns the bytes of host memory that the ranks of a job take if all of them run on this host:
// their arenas, if they compute on the CPU, the copies of the state that they save, and those of tasks
// that are done twice. Memory of kernel libraries and of the program itself is not included. `config`
// is that of the job.
[[nodiscard]] std::uint64_t local_nbytes(const job::JobPlan& job, const Config& config);

// Returns how many copies of its state a rank holds at most: the snapshot from which checkpoints are
// written; with checkpoint.memory_interval also that of the copies in memory, the newest of these, and
// the one that is being written.
[[nodiscard]] std::uint64_t state_copies(const Config& config) noexcept;

// Returns the bytes that a rank of a stage needs for train.repeat_interval: copies of what its largest
// task writes; 0 without it, and for plans that verification refuses.
[[nodiscard]] std::uint64_t repeat_nbytes(const job::JobPlan& job, std::size_t stage,
                                          const Config& config);

// Returns why the ranks of the job cannot run on a host with these limits of memory, all of them
// together; empty if they can. A job of more than kMostLocalRanks cannot run on one host; then one
// rank is looked at, the one with the largest arena.
[[nodiscard]] std::string memory_problem(const job::JobPlan& job, const MemoryLimit& limit,
                                         const Config& config);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_LOCAL_MEMORY_H_
