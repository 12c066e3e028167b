#include "megascale/engine/evaluate.h"

namespace megascale::engine {

double evaluate(Rank& rank, std::size_t plan, const plan::BuiltPlan& built, BatchLoader& loader,
                std::int64_t steps) {
  loader.set_next(0);
  double loss = 0, tokens = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    rank.executor().run_step(plan, {});
    const auto* losses = rank.at<double>(built.expansion.plan.buffer(built.losses));
    const std::uint64_t count =
        built.expansion.plan.buffer(built.losses).nbytes / (2 * sizeof(double));
    for (std::uint64_t m = 0; m < count; ++m) {
      loss += losses[2 * m];
      tokens += losses[2 * m + 1];
    }
  }
  return loss / tokens;
}

}  // namespace megascale::engine
