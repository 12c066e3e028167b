#ifndef MEGASCALE_JOB_PLAN_SIZE_H_
#define MEGASCALE_JOB_PLAN_SIZE_H_

#include <cstdint>

#include "megascale/config/config.h"

// How large the plans of a job become, estimated from the configuration alone. Sizes that are
// allowed one by one can multiply to a plan that takes hours and all memory to build, or to byte
// counts that 64 bits do not hold. Such a job is refused before anything is built.
namespace megascale::job {

// Upper bounds. A plan op takes about a kilobyte while a plan is built, and a task about a hundred
// bytes, so jobs within the bounds are planned in a few gigabytes. The largest shipped job (530
// billion parameters, products cut into 4 pieces) has 0.09 million ops and 26 million tasks.
inline constexpr double kMostPlanOps = 2e6;
inline constexpr double kMostPlanTasks = 64e6;
// Every byte count of a rank is a sum of parts of an estimate that is below this bound, so it fits
// in 64 bits.
inline constexpr double kMostRankNbytes = 0x1p62;

// Estimates for all pipeline stages together, and for the rank with the most memory.
struct PlanSize {
  double ops = 0;          // ops of the plans
  double tasks = 0;        // tasks of a step
  double rank_nbytes = 0;  // no less than a rank needs, and than any tensor of it has
};
// `config` must be resolved and valid. Pure.
[[nodiscard]] PlanSize estimate_plan_size(const Config& config);

// Throws Error (bad_usage) if an estimate exceeds its bound; the message names the keys.
void require_plan_size(const Config& config);

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_PLAN_SIZE_H_
