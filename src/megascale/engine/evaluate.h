#ifndef MEGASCALE_ENGINE_EVALUATE_H_
#define MEGASCALE_ENGINE_EVALUATE_H_

#include <cstdint>

#include "megascale/engine/batch_loader.h"
#include "megascale/engine/rank.h"
#include "megascale/plan/build.h"

namespace megascale::engine {

// Mean loss (nats per valid token) over `steps` runs of an evaluation plan, from the first batch of
// its loader on: the same batches every time. Throws the Error of a task that failed.
double evaluate(Rank& rank, std::size_t plan, const plan::BuiltPlan& built, BatchLoader& loader,
                std::int64_t steps);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_EVALUATE_H_
