// Runs this process as one rank of a job. Before it meets the other ranks it checks everything that
// it can check alone (world size, plans, memory, devices), so that these errors appear at once. If
// the rank fails, it tells the other ranks. After a time-out it also takes part in a roll call, to
// name the rank that no longer answers.
#include "megascale/engine/process_rank_run.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/comm/nccl/nccl_channel.h"
#include "megascale/comm/process/before_start.h"
#include "megascale/comm/shared_file.h"
#include "megascale/config/load.h"
#include "megascale/cuda/device.h"
#include "megascale/engine/arena.h"
#include "megascale/engine/host_loader.h"
#include "megascale/engine/process_groups.h"
#include "megascale/kernels/cpu/peak.h"

namespace megascale::engine {
namespace {

std::string digest_of_text(const std::string& text) {
  return digest128(std::as_bytes(std::span(text)));
}

// Returns a digest of the plans of all stages, with the vector target of this CPU: kernels for
// another target give other bits, so ranks with different targets must not work together.
std::string digest_of_plans(const RankJob& rank_job) {
  DigestStream digest;
  for (const job::StagePlan& stage : rank_job.job->stages) {
    digest.update(stage.train.expansion.plan.digest());
    digest.update(stage.evaluate.expansion.plan.digest());
  }
  for (const job::BatchPlan& one : rank_job.smaller) {
    for (const job::StagePlan& stage : one.job.stages)
      digest.update(stage.train.expansion.plan.digest());
  }
  return fmt::format("{} for {}", digest.finish(), kernels::cpu::vector_target());
}

comm::LaunchDigest launch_digest(const RankJob& rank_job) {
  return {.configuration = digest_of_text(to_toml(*rank_job.config)),
          .binary = comm::digest_of_this_binary(),
          .plan = digest_of_plans(rank_job),
          .data = rank_job.data_digest,
          .threads_per_rank = static_cast<std::uint32_t>(rank_job.job->kernels.threads)};
}

void require_world_size(const job::JobPlan& job, const comm::LaunchEnvironment& environment) {
  if (job.grid.world_size() == environment.world_size) return;
  throw Error(ErrorCode::bad_usage,
              fmt::format("parallel.world_size = {}, but the launcher started {} processes",
                          job.grid.world_size(), environment.world_size));
}

// Chooses the device of this rank: NCCL needs a device of its own for every rank. Must run before
// anything else uses a device, since CUDA reads the environment variables then.
void take_own_device(const comm::LaunchEnvironment& environment) {
  // Every lane is a stream, and NCCL's kernels on it wait for other ranks. With the default of 8
  // hardware queues, a stream may be queued behind that of another lane, and two ranks can then
  // deadlock. A value that the user has set is kept.
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);  // NOLINT(concurrency-mt-unsafe): one thread
  // By default CUDA loads a kernel's code at its first launch, and loading may wait until the
  // device is idle. If NCCL's kernels are waiting there for a rank that does the same, both ranks
  // deadlock. So all code is loaded at the start.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);  // NOLINT(concurrency-mt-unsafe): likewise
  const std::uint32_t devices = cuda::device_count();
  if (devices == 0) throw Error(ErrorCode::unsupported, cuda::why_no_device());
  if (environment.local_world_size > devices) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{} ranks of this host are processes on devices, but the host has {}: expected "
                    "a device for each; to share one, run ranks as threads (--ranks N)",
                    environment.local_world_size, devices));
  }
  cuda::use_device(environment.local_rank);
}

// The arena of a rank that is a process. It belongs to the rank: it is there before the rank meets
// the others, and its values outlive the connections to them.
class ProcessArena {
 public:
  // Throws Error (out_of_memory).
  ProcessArena(const job::StagePlan& stage, bool on_device, bool is_window) {
    if (is_window) window_ = comm::allocate_nccl_memory(stage.arena_nbytes);
    if (on_device) return;
    require_memory(stage.arena_nbytes);
    host_ = std::make_shared<comm::SharedFile>(stage.arena_nbytes);
  }
  // On the CPU; ranks of this host can read it directly. Null on devices.
  [[nodiscard]] const std::shared_ptr<comm::SharedFile>& host() const noexcept { return host_; }
  // On devices with overlap.symmetric_memory; else empty.
  [[nodiscard]] std::span<std::byte> window() const noexcept {
    return window_ ? window_->bytes() : std::span<std::byte>();
  }
  // For Engine::Options::arena. Empty: the engine allocates the arena on its device.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept {
    return host_ ? host_->bytes() : window();
  }

 private:
  std::shared_ptr<comm::SharedFile> host_;
  std::unique_ptr<comm::NcclMemory> window_;
};

// The plans of a rank that read batches. Their numbers: training, evaluation, then the training plans
// of smaller batches.
constexpr std::size_t kTraining = 0, kEvaluation = 1, kSmaller = 2;
std::vector<ReadingPlan> reading_plans(const RankJob& rank_job) {
  std::vector<ReadingPlan> plans{{rank_job.job, &job::StagePlan::train},
                                 {rank_job.job, &job::StagePlan::evaluate}};
  for (const job::BatchPlan& one : rank_job.smaller)
    plans.push_back({&one.job, &job::StagePlan::train});
  return plans;
}

// Tells the other ranks that this rank has failed, and returns the error with its rank number.
// After a time-out the error also names the ranks that do not answer. A rank often waits for a
// healthy peer that itself waits for the lost rank. Only a roll call finds the lost one.
Error leave(comm::ProcessRank& rank, std::uint32_t number, Error error) {
  error.add_context(fmt::format("running rank {}", number));
  rank.leave(error);
  if (error.code() != ErrorCode::timeout) return error;
  const auto silent = rank.silent_ranks();
  const std::string found =
      silent.empty() ? "all ranks that were asked answer"
                     : fmt::format("no answer any more from {} {}",
                                   silent.size() == 1 ? "rank" : "ranks", fmt::join(silent, ", "));
  return {error.code(), fmt::format("{}; {}", found, error.message())};
}

}  // namespace

void run_process_rank(const RankJob& rank_job, const RankBody& body) {
  const Config& config = *rank_job.config;
  const job::JobPlan& job = *rank_job.job;
  const comm::ProcessLaunch& launch = *rank_job.process;
  const bool on_device = job.kernels.device == kernels::Device::cuda;
  const bool windows = on_device && config.overlap.symmetric_memory;
  const std::uint32_t number = launch.environment.rank;
  const auto arena = comm::before_start(&launch, [&] {
    require_world_size(job, launch.environment);
    job::require_proven(job);
    for (const job::BatchPlan& one : rank_job.smaller) job::require_proven(one.job);
    if (on_device) take_own_device(launch.environment);
    return ProcessArena(job.stage_of(number), on_device, windows);
  });
  const auto timeout = std::chrono::ceil<std::chrono::nanoseconds>(
      std::chrono::duration<double>(config.control.timeout_seconds));
  const std::vector<ReadingPlan> readers = reading_plans(rank_job);
  comm::ProcessRank rank(launch, {.digest = launch_digest(rank_job),
                                  .arena = arena.host(),
                                  .groups = process_groups(job, number, windows, rank_job.smaller),
                                  .on_device = on_device,
                                  .window = arena.window(),
                                  .host_memory = ProcessLoader::request(config, readers, number),
                                  .has_copies = config.checkpoint.memory_interval != 0,
                                  .checksums = config.parallel.wire_checksums,
                                  .timeout = timeout});
  const ProcessLoader loader(config, readers, number, rank.host_memory());
  std::vector<HostSeat> smaller_seats;
  for (std::size_t i = kSmaller; i < readers.size(); ++i) smaller_seats.push_back(loader.seat(i));
  if (rank_job.on_ready) rank_job.on_ready();
  try {
    body({.coordination = &rank.coordination(),
          .commits = &rank.commits(),
          .copies = rank.copies(),
          .wakeup = &rank.wakeup(),
          .train_seat = loader.seat(kTraining),
          .validation_seat = loader.seat(kEvaluation),
          .smaller_seats = smaller_seats,
          .communicators =
              [&](const plan::CommunicatorBinding& group, CUstream_st* stream) {
                return &rank.end(group.key, group.members, group.my_index, stream);
              },
          .device = on_device ? launch.environment.local_rank : 0,
          .arena = arena.bytes(),
          .events = &rank.events(),
          .timeout = timeout});
  } catch (const Error& error) {
    throw leave(rank, number, error);
  } catch (const std::exception& error) {
    throw leave(rank, number, Error(ErrorCode::failed, error.what()));
  }
}

}  // namespace megascale::engine
