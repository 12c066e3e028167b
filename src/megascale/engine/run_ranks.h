#ifndef MEGASCALE_ENGINE_RUN_RANKS_H_
#define MEGASCALE_ENGINE_RUN_RANKS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "megascale/base/wakeup.h"
#include "megascale/comm/coordination.h"
#include "megascale/comm/process/process_rank.h"
#include "megascale/engine/engine.h"
#include "megascale/job/batch_plans.h"
#include "megascale/job/job_plan.h"

// Runs the ranks of a job. They are threads of this process, or processes of which this is one; the
// code of a rank is the same in both cases. Training and measurements are built on it.
namespace megascale::engine {

// The connections of one rank: to the other ranks, and to the memory of shared batches. Everything
// is borrowed and valid while the rank's body runs.
struct RankEnds {
  // Coordinations for the training loop, for commits of checkpoints, and for copies of the state in
  // memory, which different threads may use at the same time. Their calls and failures are
  // independent, but a rank that fails aborts all. `copies` may be null
  // without checkpoint.memory_interval.
  comm::Coordination* coordination = nullptr;
  comm::Coordination* commits = nullptr;
  comm::Coordination* copies = nullptr;
  Wakeup* wakeup = nullptr;              // the rank's communicators notify it
  bool cores_are_full = false;           // see runtime::RunnerOptions
  HostSeat train_seat, validation_seat;  // see HostSeat
  std::vector<HostSeat> smaller_seats;   // for the training plans of RankJob::smaller
  CommunicatorSource communicators;
  std::uint32_t device = 0;  // number of the CUDA device; see Engine::Options
  // Set only if ranks are processes: see Engine::Options and runtime::RunnerOptions.
  std::span<std::byte> arena;
  EventSource* events = nullptr;
  std::chrono::nanoseconds timeout{0};

  // Returns the options for this rank's engine. The caller adds data sets, ring and hooks.
  [[nodiscard]] Engine::Options engine_options() const;
};

// The job that run_ranks() runs. The objects behind the pointers must outlive the call.
struct RankJob {
  const Config* config = nullptr;  // resolved and valid
  const job::JobPlan* job = nullptr;
  // The other plans of a job whose batch grows (BatchPlans::smaller()); else empty.
  std::span<const job::BatchPlan> smaller;
  bool evaluates = false;  // the ranks will evaluate on validation data
  // Digest of the content of all data sets, which must be equal for all ranks that are processes.
  // Empty: the job reads no data.
  std::string data_digest;
  // The launch of this process if it is one rank of the job; null: this process runs all ranks, as
  // threads.
  const comm::ProcessLaunch* process = nullptr;
  // Called on the calling thread before the first body starts, when all ranks have met. May be
  // empty.
  std::function<void()> on_ready;
};

// Runs `body` once for every rank of this process and returns when all have returned. Rank 0 of
// threads, or the only rank of this process, runs on the calling thread; the others get a thread
// each. If a body throws, the other ranks fail too, and the error of the first one is thrown here,
// with its rank number if there are several ranks. Also throws Error if ranks are missing, or
// differ in configuration, binary, plans or data.
using RankBody = std::function<void(const RankEnds& ends)>;
void run_ranks(const RankJob& job, const RankBody& body);

// For jobs whose ranks are threads of this process: the number of CUDA devices that they use (0 on
// the CPU), and the number of the device of a rank. Rank r uses device r % devices_of().
[[nodiscard]] std::uint32_t devices_of(const job::JobPlan& job);
[[nodiscard]] std::uint32_t device_of(const job::JobPlan& job, std::uint32_t rank);

// Returns the peak FLOP/s of all ranks together, for utilisations. On the CPU it measures the cores
// that the ranks of this host use, which takes a tenth of a second. On CUDA devices it uses the
// published peak of the first device. All hosts and devices count as equal. Throws Error
// (unsupported) for a device without a published peak.
[[nodiscard]] double measure_peak(const RankJob& job);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_RUN_RANKS_H_
