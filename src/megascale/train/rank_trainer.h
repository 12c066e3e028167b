#ifndef MEGASCALE_TRAIN_RANK_TRAINER_H_
#define MEGASCALE_TRAIN_RANK_TRAINER_H_

#include "megascale/data/dataset.h"
#include "megascale/engine/run_ranks.h"
#include "megascale/train/trainer.h"

// The training loop on one rank, whatever ranks are. Internal to train/.
namespace megascale::train {

// What the ranks of one process share. All of it outlives them.
struct JobParts {
  const Config* config = nullptr;
  const TrainOptions* options = nullptr;
  const job::JobPlan* job = nullptr;
  const Dataset* data = nullptr;
  const Dataset* validation = nullptr;  // or null
  double peak = 0;                      // FLOP/s of all ranks' cores; rank 0 reports it
};

// Rank 0 talks to the user; what only it decides, it tells the others. Call on the rank's own
// thread. Throws Error; the caller tells the other ranks.
TrainResult train_rank(const JobParts& parts, const engine::RankEnds& ends);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_RANK_TRAINER_H_
