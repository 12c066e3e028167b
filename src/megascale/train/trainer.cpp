#include "megascale/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/comm/local/local_control.h"
#include "megascale/comm/local/local_job.h"
#include "megascale/engine/host_loader.h"
#include "megascale/engine/prepare.h"
#include "megascale/kernels/cpu/peak.h"
#include "megascale/train/process_training.h"
#include "megascale/train/rank_trainer.h"

namespace megascale::train {
namespace {

// The ranks of a job as threads of this process. The first that fails makes the others fail; its
// error is thrown.
class LocalRanks {
 public:
  explicit LocalRanks(std::uint32_t count)
      : wakeups_(count), controls_(comm::make_local_control(count)), local_job_(pointers()) {}

  TrainResult run(const JobParts& parts) {
    train_loader_.emplace(*parts.config, *parts.job, &engine::StagePlan::train);
    if (parts.validation != nullptr) {
      validation_loader_.emplace(*parts.config, *parts.job, &engine::StagePlan::evaluate);
    }
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 1; rank < controls_.size(); ++rank) {
      threads.emplace_back([&, rank] { run_rank(parts, rank); });
    }
    run_rank(parts, 0);
    for (std::thread& thread : threads) thread.join();
    if (error_) throw Error(*error_);
    return result_;
  }

 private:
  std::vector<Wakeup*> pointers() {
    std::vector<Wakeup*> result;
    for (Wakeup& wakeup : wakeups_) result.push_back(&wakeup);
    return result;
  }

  void run_rank(const JobParts& parts, std::uint32_t rank) noexcept {
    try {
      const TrainResult result =
          train_rank(parts, {.control = controls_[rank].get(),
                             .wakeup = &wakeups_[rank],
                             .train_seat = train_loader_->seat(rank),
                             .validation_seat = validation_loader_ ? validation_loader_->seat(rank)
                                                                   : engine::HostSeat{},
                             .communicators = [&](const plan::CommunicatorBinding& group) {
                               return &local_job_.end(group.key, group.members, group.my_index);
                             }});
      if (rank == 0) result_ = result;
    } catch (const Error& error) {
      fail(rank, error);
    } catch (const std::exception& error) {
      fail(rank, Error(ErrorCode::failed, error.what()));
    }
  }
  void fail(std::uint32_t rank, Error error) noexcept {
    const std::lock_guard lock(mutex_);
    if (error_) return;  // the others fail because of the first
    if (controls_.size() > 1) error.add_context(fmt::format("running rank {}", rank));
    error_ = error;
    controls_[rank]->abort(error);
    local_job_.abort(error);
  }

  std::deque<Wakeup> wakeups_;
  std::vector<std::unique_ptr<comm::Control>> controls_;
  comm::LocalJob local_job_;
  std::optional<engine::HostLoader> train_loader_, validation_loader_;
  TrainResult result_;  // of rank 0
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace

TrainResult train(const Config& config, const TrainOptions& options) {
  const comm::ProcessLaunch* process = options.process;
  if (process == nullptr && options.on_ready) options.on_ready();
  const engine::JobPlan job =
      engine::plan_job(config, process != nullptr ? process->environment.local_world_size : 0);
  const Dataset data = open_dataset(config, Split::train);
  const std::optional<Dataset> validation =
      config.train.eval_interval > 0 ? std::optional(open_dataset(config, Split::validation))
                                     : std::nullopt;
  const std::uint32_t ranks = job.grid.world_size();
  JobParts parts{.config = &config,
                 .options = &options,
                 .job = &job,
                 .data = &data,
                 .validation = validation ? &*validation : nullptr,
                 .peak = options.peak_flops};
  const bool reports = process == nullptr || process->environment.rank == 0;
  if (reports && parts.peak <= 0) {
    // Of this host. Processes measure before they meet, when the others mostly wait; hosts count as
    // equal.
    const std::uint32_t here = process != nullptr ? process->environment.local_world_size : ranks;
    const std::size_t cores = std::min(engine::available_cores(), job.threads * here);
    parts.peak = kernels::cpu::fma_peak(cores).best * ranks / here;
  }
  TrainResult result =
      process != nullptr ? train_process(*process, parts) : LocalRanks(ranks).run(parts);
  result.samples_read = data.samples_read();
  return result;
}

}  // namespace megascale::train
