#ifndef MEGASCALE_TRAIN_RANK_TRAINER_H_
#define MEGASCALE_TRAIN_RANK_TRAINER_H_

#include <span>

#include "megascale/data/dataset.h"
#include "megascale/data/tokenizer_files.h"
#include "megascale/engine/run_ranks.h"
#include "megascale/job/batch_plans.h"
#include "megascale/train/trainer.h"

// The training loop of one rank, for ranks that are threads or processes. Internal to train/.
namespace megascale::train {

// The objects that the ranks of one process share. They outlive the ranks.
struct JobParts {
  const Config* config = nullptr;
  const TrainOptions* options = nullptr;
  const job::BatchPlans* plans = nullptr;
  const Dataset* data = nullptr;
  std::span<const NamedDataset> validation;  // empty: no evaluation
  std::string data_digest;                   // content_digest() of the training data
  TrainingTokenizer tokenizer;
  double peak = 0;  // FLOP/s of all ranks together; only rank 0 needs it
};

// Trains on one rank, from the state it resumes from until the last step or a stop. Rank 0 alone
// calls the callbacks of TrainOptions (but before_task), writes metrics and chooses the checkpoint
// to resume from. Call it on the rank's own thread. Throws Error; the caller tells the other ranks.
TrainResult train_rank(const JobParts& parts, const engine::RankEnds& ends);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_RANK_TRAINER_H_
