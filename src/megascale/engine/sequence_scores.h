#ifndef MEGASCALE_ENGINE_SEQUENCE_SCORES_H_
#define MEGASCALE_ENGINE_SEQUENCE_SCORES_H_

#include <cstdint>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/engine/batch_loader.h"
#include "megascale/engine/rank.h"
#include "megascale/graph/axis.h"
#include "megascale/plan/build.h"

namespace megascale::engine {

// An evaluation plan of a training on preferences, ready to run.
struct ScoringPlan {
  Rank* rank = nullptr;
  std::size_t plan = 0;  // what rank->add() returned for the plan of `built`
  const plan::BuiltPlan* built = nullptr;
  BatchLoader* loader = nullptr;
  const Config* config = nullptr;
  graph::AxisSizes axes;  // of the job
};
// Returns the scores of the sequences number 0 to `count` - 1 of the loader's data (Engine::sequence_scores()).
// The plan gives every rank those of all micro-batches of all ranks, so this needs no further communication.
// Throws the Error of a task that failed.
[[nodiscard]] std::vector<double> sequence_scores(const ScoringPlan& scoring, std::int64_t count);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_SEQUENCE_SCORES_H_
