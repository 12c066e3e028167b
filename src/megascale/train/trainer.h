#ifndef MEGASCALE_TRAIN_TRAINER_H_
#define MEGASCALE_TRAIN_TRAINER_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "megascale/checkpoint/storage.h"
#include "megascale/comm/process/process_rank.h"
#include "megascale/config/load.h"
#include "megascale/train/metrics.h"

struct CUstream_st;

// The training loop: resume, steps, evaluation, checkpoints, metrics.
namespace megascale::train {

struct TrainOptions {
  // on_step and on_message are called on rank 0 only, on its own thread; both must be set.
  // on_step: after every step. `log`: the step belongs in the log, since its number is a multiple
  // of train.log_interval, or it was evaluated, or it is the last one.
  std::function<void(const StepMetrics& metrics, bool log, double eta_seconds)> on_step;
  std::function<void(const std::string& message)> on_message;
  // Where the values of the configuration come from, for messages; null: unknown. Must outlive the
  // call.
  const ConfigPlaces* places = nullptr;
  // The largest number of steps of this call, which then saves and returns as if stopped. 0: it
  // saves the state that it starts from. Empty: no limit.
  std::optional<std::int64_t> most_steps;
  // No state of more steps is loaded: later ones are set aside (set_aside.h). Empty: no limit.
  std::optional<std::int64_t> load_at_most;
  // Called before every task, on its lane's thread: tests inject delays and faults here.
  std::function<void(std::uint32_t rank, std::uint32_t task)> before_task;
  // See runtime::RunnerOptions::before_work.
  std::function<void(std::uint32_t rank, std::uint32_t task, CUstream_st* stream)> before_work;
  // Called before every change that a rank makes to the disk for a checkpoint, on the thread that
  // makes it (checkpoint::ActionHook): tests inject delays and faults here.
  std::function<void(std::uint32_t rank, checkpoint::Action action,
                     const std::filesystem::path& path)>
      before_storage;
  // Where copies of the state in memory are kept, a directory in the memory of the host.
  std::filesystem::path memory_root = "/dev/shm";
  // If set, the same by rank: tests give ranks the memories of several hosts.
  std::function<std::filesystem::path(std::uint32_t rank)> memory_of;
  // The epoch of the attempt that an executor has started; 0: none has.
  std::int64_t attempt = 0;
  // Called when all ranks have met, before a checkpoint is loaded. Until then a signal may end the
  // process at once, since nothing would be lost. May be empty.
  std::function<void()> on_ready;
  // Called on rank 0 when it knows where its copies in memory are, before it looks for one to load.
  // May be empty.
  std::function<void(const std::filesystem::path& directory)> on_copies;
  // Called on every rank when its state is loaded or initialized, before its first step; `step`: the
  // steps that the state holds. May be empty.
  std::function<void(std::int64_t step)> on_start;
  // The launch of this process if it is one rank of a job; null: this process runs all ranks, as
  // threads. Must outlive the call.
  const comm::ProcessLaunch* process = nullptr;
  // Peak FLOP/s of all ranks together, for utilisations. 0: engine::measure_peak() at the start,
  // which takes a second on the CPU.
  double peak_flops = 0;
  // A request to stop: another thread sets it to true, on any rank. All ranks
  // then finish the same step, save and return. A job of one rank stops after the current step. In
  // a job of several ranks the request travels with the norms of the next step that the asked rank
  // begins, and all stop after that one. May be null. Must outlive the call.
  const std::atomic<bool>* stop = nullptr;
};

struct TrainResult {
  std::int64_t steps_done = 0;  // in total, earlier runs included
  bool interrupted = false;     // a stop or most_steps came before train.train_iters
  // The reason why the run stopped before its end; empty: none. train() throws it as an Error.
  std::string diverged;
  std::optional<StepMetrics> last;  // of the last step of this call; absent if it made none
  // Samples of the training data that all ranks of this process have read together.
  std::int64_t samples_read = 0;
};

// Runs the training that `config` describes, which must be resolved and valid, and returns when it
// is finished or stopped. It starts from the checkpoint that open_start_point() finds. This process
// owns the run directory meanwhile (DirectoryOwner). Throws Error, also if the run has diverged;
// checkpoints that were saved remain.
TrainResult train(const Config& config, const TrainOptions& options);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_TRAINER_H_
