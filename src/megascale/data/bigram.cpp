// Counts the token pairs of the training data in a dense table, vocabulary x vocabulary, and
// computes the cross-entropy of the resulting bigram model on the validation data.
#include "megascale/data/bigram.h"

#include <cmath>
#include <vector>

namespace megascale {
namespace {

// Calls visit(token, next) for every pair of consecutive tokens in one epoch of samples. Pairs that
// the loss leaves out are skipped.
template <class Visit>
void for_each_pair(const Dataset& data, Visit&& visit) {
  const auto length = static_cast<std::size_t>(data.options().seq_length);
  std::vector<std::int32_t> tokens(length), targets(length);
  for (std::int64_t sample = 0; sample < data.samples_per_epoch(); ++sample) {
    data.fill(sample, {.tokens = tokens, .targets = targets, .positions = {}, .segment_ids = {}});
    for (std::size_t i = 0; i < length; ++i) {
      if (targets[i] >= 0)
        visit(static_cast<std::size_t>(tokens[i]), static_cast<std::size_t>(targets[i]));
    }
  }
}

}  // namespace

std::optional<double> bigram_loss(const Dataset& train, const Dataset& validation) {
  const auto vocabulary = static_cast<std::size_t>(train.options().vocab_size);
  if (vocabulary > 1024) return std::nullopt;
  std::vector<double> pairs(vocabulary * vocabulary), firsts(vocabulary);
  for_each_pair(train, [&](std::size_t token, std::size_t next) {
    ++pairs[token * vocabulary + next];
    ++firsts[token];
  });
  double loss = 0, count = 0;
  for_each_pair(validation, [&](std::size_t token, std::size_t next) {
    loss -= std::log((pairs[token * vocabulary + next] + 1) /
                     (firsts[token] + static_cast<double>(vocabulary)));
    ++count;
  });
  if (count == 0) return std::nullopt;
  return loss / count;
}

}  // namespace megascale
