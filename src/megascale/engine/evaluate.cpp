// Runs an evaluation plan several times and adds up its results. The plan gives every rank the
// losses of all micro-batches as pairs (sum of the losses, number of valid tokens), so the mean
// needs no further communication.
#include "megascale/engine/evaluate.h"

#include "megascale/base/error.h"

namespace megascale::engine {

double evaluate(Rank& rank, std::size_t plan, const plan::BuiltPlan& built, BatchLoader& loader,
                std::int64_t steps, const std::function<void(std::int64_t batch)>& after) {
  loader.set_next(0);
  double loss = 0, tokens = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    rank.runner().run_step(plan, {});
    if (after) after(i);
    const auto losses = rank.read<double>(built.expansion.plan.buffer(built.losses));
    for (std::size_t m = 0; m + 1 < losses.size(); m += 2) {
      loss += losses[m];
      tokens += losses[m + 1];
    }
  }
  if (!(tokens > 0)) {
    throw Error(ErrorCode::bad_input,
                "evaluation: expected a token with a target in the batches, found none: with "
                "data.packed_documents a document of one token has no target, and a loss mask "
                "leaves out all that the model shall not say (data.whole_documents takes no "
                "document without such a token)");
  }
  return loss / tokens;
}

}  // namespace megascale::engine
