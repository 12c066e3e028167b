#include "megascale/study/measure/decode_rate.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "megascale/base/clock.h"
#include "megascale/config/derived.h"
#include "megascale/engine/inference.h"
#include "megascale/study/statistics.h"

namespace megascale::study {
namespace {

// The bytes of all weights that a product reads. A row of a table is looked up for each token; a word
// table that is also the head is read as a whole.
double weights_read(const Config& config, engine::Inference& model) {
  double nbytes = 0;
  for (const engine::StatePart& part : model.state())
    nbytes += static_cast<double>(part.weight.size_bytes());
  const ModelConfig& m = config.model;
  std::int64_t rows = 0;  // of tables that are only looked up
  if (m.position_embedding == PositionEmbedding::learned) rows += m.max_position_embeddings;
  if (m.untie_embeddings_and_output_weights) rows += padded_vocab_size(config);
  return nbytes - static_cast<double>(rows * m.hidden_size) * sizeof(float);
}

double cache_row_nbytes(const ModelConfig& model) {
  return static_cast<double>(cached_channels(model) * model.num_layers) * sizeof(float);
}

}  // namespace

DecodeRate measure_decode_rate(const Config& config, const DecodeOptions& options) {
  constexpr std::int64_t kWarmUp = 2;
  engine::Inference model(config, nullptr,
                          {.sequences = options.sequences, .last_rows = options.sequences});
  engine::initialize(model.state(), model.layout(), config.train.seed);
  const auto sequences = static_cast<std::size_t>(options.sequences);
  std::vector<std::int32_t> next(sequences);
  std::vector<std::int32_t> prompt(static_cast<std::size_t>(options.prompt));
  for (std::size_t i = 0; i < prompt.size(); ++i)
    prompt[i] =
        static_cast<std::int32_t>(static_cast<std::int64_t>(i) * 7 % config.model.vocab_size);
  const auto best = [](std::span<const float> logits) {
    return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
  };
  for (std::size_t s = 0; s < sequences; ++s) {
    for (std::span<const std::int32_t> rest = prompt; !rest.empty();) {
      const auto piece = rest.first(std::min(rest.size(), model.most_tokens()));
      const engine::SequenceTokens one{.sequence = s, .tokens = piece, .last_rows = 1};
      next[s] = best(model.feed({&one, 1})[0]);
      rest = rest.subspan(piece.size());
    }
  }
  std::vector<double> seconds;
  double kept = 0;
  for (std::int64_t step = 0; step < options.steps + kWarmUp; ++step) {
    std::vector<engine::SequenceTokens> tokens;
    for (std::size_t s = 0; s < sequences; ++s)
      tokens.push_back({.sequence = s, .tokens = {&next[s], 1}, .last_rows = 1});
    const std::int64_t begin = monotonic_ns();
    const engine::LogitRows logits = model.feed(tokens);
    for (std::size_t s = 0; s < sequences; ++s) next[s] = best(logits[s]);
    if (step < kWarmUp) continue;
    seconds.push_back(static_cast<double>(monotonic_ns() - begin) * 1e-9);
    kept += static_cast<double>(model.cached(0));
  }
  return {.sequences = options.sequences,
          .seconds_per_step = spread_of(seconds).median,
          .best_seconds = *std::ranges::min_element(seconds),
          .weight_nbytes = weights_read(config, model),
          .cache_nbytes = cache_row_nbytes(config.model) * static_cast<double>(sequences) * kept /
                          static_cast<double>(options.steps)};
}

}  // namespace megascale::study
