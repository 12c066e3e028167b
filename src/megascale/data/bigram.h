#ifndef MEGASCALE_DATA_BIGRAM_H_
#define MEGASCALE_DATA_BIGRAM_H_

#include <optional>

#include "megascale/data/dataset.h"

namespace megascale {

// The validation loss (nats per token) of a table of pairs: p(b | a) = (n(a, b) + 1) / (n(a) +
// vocabulary), counted on the training data. What a model must beat to have learnt more than which
// token follows which. Empty for vocabularies above 1,024, whose table says little. Reads both data
// sets once.
[[nodiscard]] std::optional<double> bigram_loss(const Dataset& train, const Dataset& validation);

}  // namespace megascale

#endif  // MEGASCALE_DATA_BIGRAM_H_
