#ifndef MEGASCALE_TRAIN_AGREE_ON_START_H_
#define MEGASCALE_TRAIN_AGREE_ON_START_H_

#include <filesystem>
#include <functional>
#include <optional>

#include "megascale/comm/coordination.h"
#include "megascale/train/rank_trainer.h"
#include "megascale/train/start_point.h"

namespace megascale::train {

struct AgreedStart {
  std::optional<StartPoint> point;  // absent: a fresh start
  // The tokenizer for the next checkpoints: that of the data, or, if its files cannot be read, the
  // same one as the checkpoint has kept it. Absent if it is not known.
  std::optional<checkpoint::TokenizerRecord> tokenizer;
};

// Agrees with the other ranks on the checkpoint to start from. Rank 0 calls `take_directory`, which
// makes it the owner of the run directory and returns where the run's copies in memory are. It finds
// the checkpoint, checks that this run goes on from it, and sends its path to the other ranks, which
// open it too. A copy in memory counts as a checkpoint if it is newer than all others. Throws the
// Error of rank 0 on all ranks.
[[nodiscard]] AgreedStart agree_on_start(
    const JobParts& parts, comm::Coordination& coordination,
    const std::function<std::filesystem::path()>& take_directory);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_AGREE_ON_START_H_
