#ifndef MEGASCALE_TRAIN_TRAINER_H_
#define MEGASCALE_TRAIN_TRAINER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "megascale/comm/process/process_rank.h"
#include "megascale/config/config.h"
#include "megascale/train/metrics.h"

// The training loop: resume, steps, evaluation, checkpoints, metrics.
namespace megascale::train {

struct TrainOptions {
  // Called for every finished step; `log` says whether it is one of the interval (or evaluated).
  std::function<void(const StepMetrics& metrics, bool log, double eta_seconds)> on_step;
  std::function<void(const std::string& message)> on_message;
  // Steps of this call at most; then as if stopped: saves and returns. 0 saves the state it starts
  // from.
  std::optional<std::int64_t> most_steps;
  // Called before every task, on its lane's thread: tests inject delays and faults here.
  std::function<void(std::uint32_t rank, std::uint32_t task)> before_task;
  // Called once every rank of the job is there, before anything is loaded or trained. Until then a
  // signal may end the process: nothing is lost.
  std::function<void()> on_ready;
  // This process is one rank of a job, as its launcher says; null: it runs all ranks of the job, as
  // threads. Outlives the call.
  const comm::ProcessLaunch* process = nullptr;
  // FLOP/s of the cores that the ranks use, for utilisations; 0: measured at start, for a second.
  double peak_flops = 0;
  // Set by another thread on any rank: all ranks finish the same step, save and return. A job of
  // one rank stops after the step that runs. In a job of several ranks the request travels with the
  // norms of the step that the asked rank begins next, and all stop after that one.
  const std::atomic<bool>* stop = nullptr;
};

struct TrainResult {
  std::int64_t steps_done = 0;
  bool interrupted = false;
  std::optional<StepMetrics> last;  // of this call; absent when it made no step
  // From the training data, by all ranks of this process together.
  std::int64_t samples_read = 0;
};

// Trains as `config` (resolved and valid) says. Continues from the newest good checkpoint of the
// run directory. Throws Error; what was saved stays.
TrainResult train(const Config& config, const TrainOptions& options);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_TRAINER_H_
