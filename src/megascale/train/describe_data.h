#ifndef MEGASCALE_TRAIN_DESCRIBE_DATA_H_
#define MEGASCALE_TRAIN_DESCRIBE_DATA_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/data/dataset.h"

namespace megascale::train {

// Returns lines for the log: the sets with their tokens, the tokens and samples of the training
// share, how many epochs the run's steps make of it (of each set of a blend), and the same of the
// validation sets. `samples_before`: see Engine::start_at().
[[nodiscard]] std::vector<std::string> describe_data(const Config& config, const Dataset& training,
                                                     std::span<const NamedDataset> validation,
                                                     std::int64_t samples_before);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_DESCRIBE_DATA_H_
