#ifndef MEGASCALE_TRAIN_PROCESS_TRAINING_H_
#define MEGASCALE_TRAIN_PROCESS_TRAINING_H_

#include "megascale/comm/process/process_rank.h"
#include "megascale/train/rank_trainer.h"

// One rank of a job whose ranks are processes. Internal to train/.
namespace megascale::train {

// Meets the other ranks and trains with them; all must have the same configuration, binary and
// plans. Throws Error, after the other ranks were told.
TrainResult train_process(const comm::ProcessLaunch& launch, const JobParts& parts);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_PROCESS_TRAINING_H_
