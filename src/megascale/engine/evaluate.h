#ifndef MEGASCALE_ENGINE_EVALUATE_H_
#define MEGASCALE_ENGINE_EVALUATE_H_

#include <cstdint>
#include <functional>

#include "megascale/engine/batch_loader.h"
#include "megascale/engine/rank.h"
#include "megascale/plan/build.h"

namespace megascale::engine {

// Returns the mean loss (nats per valid token) over `steps` runs of an evaluation plan, each on one
// global batch. Every call starts at batch 0 of `loader`, so it uses the same batches. `plan` is
// the number that rank.add() returned for the plan of `built`. Throws the Error of a task that
// failed.
// `after` is called with the number of every batch when its step has ended; may be empty.
double evaluate(Rank& rank, std::size_t plan, const plan::BuiltPlan& built, BatchLoader& loader,
                std::int64_t steps, const std::function<void(std::int64_t batch)>& after = {});

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_EVALUATE_H_
