// Runs all ranks of a job as threads of this process; process_rank_run.cpp has the other case. The
// threads share one process, so communicators, coordination and shared batches are plain objects in
// its memory. The first rank that fails aborts all of them, so that no other rank waits for ever.
#include "megascale/engine/run_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "megascale/base/core_binding.h"
#include "megascale/base/error.h"
#include "megascale/comm/local/local_coordination.h"
#include "megascale/comm/local/local_job.h"
#include "megascale/cuda/device.h"
#include "megascale/engine/arena.h"
#include "megascale/engine/host_loader.h"
#include "megascale/engine/prepare.h"
#include "megascale/engine/process_rank_run.h"
#include "megascale/kernels/cpu/peak.h"

namespace megascale::engine {
namespace {

// The ranks of a job as threads of this process.
class ThreadRanks {
 public:
  explicit ThreadRanks(const RankJob& job)
      : job_(*job.job),
        binds_(job.config->train.bind_to_cores && job.config->train.device == DeviceKind::cpu),
        wakeups_(job.job->grid.world_size()),
        coordination_(comm::make_local_coordination(job.job->grid.world_size())),
        commits_(comm::make_local_coordination(job.job->grid.world_size())),
        copies_(comm::make_local_coordination(job.job->grid.world_size())),
        local_job_(pointers()),
        train_loader_(*job.config, *job.job, &job::StagePlan::train),
        validation_loader_(loader_of_evaluation(job)) {
    for (const job::BatchPlan& one : job.smaller)
      smaller_loaders_.emplace_back(*job.config, one.job, &job::StagePlan::train);
  }

  void run(const RankBody& body) {
    std::vector<std::thread> threads;
    try {
      for (std::uint32_t rank = 1; rank < coordination_.size(); ++rank)
        threads.emplace_back([&, rank] { run_rank(body, rank); });
      run_rank(body, 0);
    } catch (const std::system_error& error) {  // ranks that have started wait for the others
      fail(0, Error(ErrorCode::failed,
                    fmt::format("a thread cannot be started: {}", error.code().message())));
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) throw Error(*error_);
  }

 private:
  static std::optional<HostLoader> loader_of_evaluation(const RankJob& job) {
    if (!job.evaluates) return {};
    return HostLoader(*job.config, *job.job, &job::StagePlan::evaluate);
  }
  [[nodiscard]] std::vector<HostSeat> smaller_seats(std::uint32_t rank) const {
    std::vector<HostSeat> seats;
    for (const HostLoader& loader : smaller_loaders_) seats.push_back(loader.seat(rank));
    return seats;
  }
  std::vector<Wakeup*> pointers() {
    std::vector<Wakeup*> result;
    for (Wakeup& wakeup : wakeups_) result.push_back(&wakeup);
    return result;
  }

  // Returns the cores to bind a rank's threads to; empty: no binding. If ranks compete for cores, a
  // rank that waits for a peer still looks runnable to the scheduler. Without a binding the
  // scheduler may queue ready threads behind it while another core is idle.
  [[nodiscard]] std::vector<int> cores_of(std::uint32_t rank) const {
    if (!binds_) return {};
    return cores_of_rank(process_cores(), rank, job_.grid.world_size(), job_.kernels.threads);
  }

  void run_rank(const RankBody& body, std::uint32_t rank) noexcept {
    try {
      const CoreBinding binding(cores_of(rank));
      const std::uint32_t device = device_of(job_, rank);
      if (const std::uint32_t devices = devices_of(job_); devices > 1) {
        cuda::use_device(device);
        cuda::reach_devices(devices);
      }
      body({.coordination = coordination_[rank].get(),
            .commits = commits_[rank].get(),
            .copies = copies_[rank].get(),
            .wakeup = &wakeups_[rank],
            .cores_are_full =
                job_.grid.world_size() * job_.kernels.threads >= process_cores().size(),
            .train_seat = train_loader_.seat(rank),
            .validation_seat = validation_loader_ ? validation_loader_->seat(rank) : HostSeat{},
            .smaller_seats = smaller_seats(rank),
            .communicators =
                [&](const plan::CommunicatorBinding& group, CUstream_st* stream) {
                  return &local_job_.end(group.key, group.members, group.my_index, stream);
                },
            .device = device});
    } catch (const Error& error) {
      fail(rank, error);
    } catch (const std::exception& error) {
      fail(rank, Error(ErrorCode::failed, error.what()));
    }
  }
  void fail(std::uint32_t rank, Error error) noexcept {
    const std::lock_guard lock(mutex_);
    if (error_) return;  // the later failures are consequences of the first
    if (coordination_.size() > 1) error.add_context(fmt::format("running rank {}", rank));
    error_ = error;
    coordination_[rank]->abort(error);
    commits_[rank]->abort(error);
    copies_[rank]->abort(error);
    local_job_.abort(error);
  }

  const job::JobPlan& job_;
  bool binds_;
  std::deque<Wakeup> wakeups_;
  std::vector<std::unique_ptr<comm::Coordination>> coordination_, commits_, copies_;
  comm::LocalJob local_job_;
  HostLoader train_loader_;
  std::optional<HostLoader> validation_loader_;
  std::vector<HostLoader> smaller_loaders_;
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace

Engine::Options RankEnds::engine_options() const {
  return {.train_seat = train_seat,
          .validation_seat = validation_seat,
          .runner = {.events = events, .cores_are_full = cores_are_full, .timeout = timeout},
          .rank = coordination->rank(),
          .device = device,
          .communicators = communicators,
          .wakeup = wakeup,
          .arena = arena};
}

void run_ranks(const RankJob& job, const RankBody& body) {
  if (job.process != nullptr) return run_process_rank(job, body);
  if (job.config->overlap.symmetric_memory) {
    throw Error(ErrorCode::bad_usage,
                "overlap.symmetric_memory is for ranks that are processes, with NCCL between them: "
                "ranks that are threads copy from each other's memory anyway");
  }
  if (job.job->kernels.device == kernels::Device::cpu) {
    std::uint64_t nbytes = 0;
    for (const job::StagePlan& stage : job.job->stages)
      nbytes += stage.arena_nbytes * job.job->grid.stage_size();
    require_memory(nbytes, "the arenas of all ranks");
  }
  if (job.on_ready) job.on_ready();
  ThreadRanks(job).run(body);
}

std::uint32_t devices_of(const job::JobPlan& job) {
  if (job.kernels.device != kernels::Device::cuda) return 0;
  return std::min(job.grid.world_size(), cuda::device_count());
}

std::uint32_t device_of(const job::JobPlan& job, std::uint32_t rank) {
  return rank % std::max(devices_of(job), 1U);
}

double measure_peak(const RankJob& job) {
  const std::uint32_t ranks = job.job->grid.world_size();
  if (job.job->kernels.device == kernels::Device::cuda) {
    // Ranks that are threads may share a device and its peak; processes have a device each.
    return cuda::published_flops(0, job.job->flops().dtype()) *
           (job.process != nullptr ? ranks : devices_of(*job.job));
  }
  const std::uint32_t here =
      job.process != nullptr ? job.process->environment.local_world_size : ranks;
  const std::size_t cores = std::min(available_cores(), job.job->kernels.threads * here);
  // A thousand windows of 0.1 ms per core. On a busy machine they give the roof of a second of them
  // within 0.01 %.
  const kernels::cpu::PeakOptions options{.seconds = 0.05, .repetitions = 2};
  return kernels::cpu::fma_peak(cores, options).best * ranks / here;
}

}  // namespace megascale::engine
