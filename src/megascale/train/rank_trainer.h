#ifndef MEGASCALE_TRAIN_RANK_TRAINER_H_
#define MEGASCALE_TRAIN_RANK_TRAINER_H_

#include <chrono>
#include <cstddef>
#include <span>

#include "megascale/base/wakeup.h"
#include "megascale/comm/control.h"
#include "megascale/data/dataset.h"
#include "megascale/engine/host_batches.h"
#include "megascale/engine/job_plan.h"
#include "megascale/engine/rank.h"
#include "megascale/train/trainer.h"

// The training loop on one rank, whatever ranks are. Internal to train/.
namespace megascale::train {

// What the ranks of one process share. All of it outlives them.
struct JobParts {
  const Config* config = nullptr;
  const TrainOptions* options = nullptr;
  const engine::JobPlan* job = nullptr;
  const Dataset* data = nullptr;
  const Dataset* validation = nullptr;  // or null
  double peak = 0;                      // FLOP/s of all ranks' cores; rank 0 reports it
};

// How one rank reaches the others.
struct RankEnds {
  comm::Control* control = nullptr;
  Wakeup* wakeup = nullptr;                      // its communicators notify it
  engine::HostSeat train_seat, validation_seat;  // none: it reads for itself
  engine::CommunicatorSource communicators;
  // Of ranks that are processes: see engine::Engine::Options and runtime::Executor::Options.
  std::span<std::byte> arena;
  EventSource* events = nullptr;
  std::chrono::nanoseconds timeout{0};
};

// Rank 0 talks to the user; what only it decides, it tells the others. Call on the rank's own
// thread. Throws Error; the caller tells the other ranks.
TrainResult train_rank(const JobParts& parts, RankEnds ends);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_RANK_TRAINER_H_
