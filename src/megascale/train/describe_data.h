#ifndef MEGASCALE_TRAIN_DESCRIBE_DATA_H_
#define MEGASCALE_TRAIN_DESCRIBE_DATA_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/config/batch_phases.h"
#include "megascale/data/dataset.h"

namespace megascale::train {

// Returns lines for the log: the sets with their tokens, the tokens and samples of the training
// share, how many epochs the run's steps make of it (of each set of a blend), and the same of the
// validation sets. `phases`: those of the batch, from the step on that the run starts with.
[[nodiscard]] std::vector<std::string> describe_data(const Config& config, const Dataset& training,
                                                     std::span<const NamedDataset> validation,
                                                     const std::vector<BatchPhase>& phases);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_DESCRIBE_DATA_H_
