// Reads the scores of a step where its ranks have written them, and puts them in the order of the sequences. With
// context parallelism a sequence has a part of its score from each context rank; they are added in rank order.
#include "megascale/engine/sequence_scores.h"

#include "megascale/config/derived.h"
#include "megascale/data/dataset.h"

namespace megascale::engine {
namespace {

using graph::Axis;

// Adds the scores of a step to those of its sequences. Sequences from `scores.size()` on are left out: they fill
// the last batch.
void add_step(const ScoringPlan& scoring, std::int64_t step, std::vector<double>& scores) {
  const Config& config = *scoring.config;
  const graph::AxisSet axes = existing(scoring.axes, {Axis::context, Axis::data});
  const auto found =
      scoring.rank->read<double>(scoring.built->expansion.plan.buffer(scoring.built->losses));
  const auto micro_batches = static_cast<std::size_t>(num_micro_batches(config)),
             sequences = static_cast<std::size_t>(config.train.micro_batch_size);
  graph::Coordinates place{};
  auto& context = place[static_cast<std::size_t>(Axis::context)];
  auto& data = place[static_cast<std::size_t>(Axis::data)];
  for (data = 0; data < scoring.axes[Axis::data]; ++data) {
    for (context = 0; context < scoring.axes[Axis::context]; ++context) {
      const std::size_t rank = axes.empty() ? 0 : axes.group_index(scoring.axes, place);
      for (std::size_t m = 0; m < micro_batches; ++m) {
        const auto first = static_cast<std::size_t>(
            first_sample(config, {.step = step,
                                  .data_rank = std::int64_t{data},
                                  .micro_batch = static_cast<std::int64_t>(m)}));
        for (std::size_t i = 0; i < sequences && first + i < scores.size(); ++i)
          scores[first + i] += found[(rank * micro_batches + m) * sequences + i];
      }
    }
  }
}

}  // namespace

std::vector<double> sequence_scores(const ScoringPlan& scoring, std::int64_t count) {
  std::vector<double> scores(static_cast<std::size_t>(count), 0.0);
  const std::int64_t of_step = scoring.config->train.global_batch_size;
  scoring.loader->set_next(0);
  for (std::int64_t step = 0; step * of_step < count; ++step) {
    scoring.rank->runner().run_step(scoring.plan, {});
    add_step(scoring, step, scores);
  }
  return scores;
}

}  // namespace megascale::engine
