#ifndef MEGASCALE_DATA_BIGRAM_H_
#define MEGASCALE_DATA_BIGRAM_H_

#include <optional>

#include "megascale/data/dataset.h"

namespace megascale {

// Returns the validation loss, in nats per token, of a bigram model: p(b | a) = (n(a, b) + 1) /
// (n(a) + vocab_size), with the counts n of the training data. It is a baseline: a model with a
// larger loss has not even learnt which token follows which. Returns nothing for vocabularies above
// 1,024 ids, whose table would be too sparse, and without any target. Reads one epoch of both data sets. Throws Error
// (bad_input) for a token outside of the vocabulary.
[[nodiscard]] std::optional<double> bigram_loss(const Dataset& train, const Dataset& validation);

}  // namespace megascale

#endif  // MEGASCALE_DATA_BIGRAM_H_
