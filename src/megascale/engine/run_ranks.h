#ifndef MEGASCALE_ENGINE_RUN_RANKS_H_
#define MEGASCALE_ENGINE_RUN_RANKS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>

#include "megascale/base/wakeup.h"
#include "megascale/comm/coordination.h"
#include "megascale/comm/process/process_rank.h"
#include "megascale/engine/engine.h"
#include "megascale/job/job_plan.h"

// The ranks of a job, whatever they are: threads of this process, or processes of which this is
// one. Training and benchmarks stand on it.
namespace megascale::engine {

// What one rank is given: how it reaches the others, and where it gets its batches from.
struct RankEnds {
  // For the loop, and for commits of checkpoints, which another thread may use meanwhile. Neither
  // knows of the other's calls or failures; a rank that fails ends both.
  comm::Coordination* coordination = nullptr;
  comm::Coordination* commits = nullptr;
  Wakeup* wakeup = nullptr;              // its communicators notify it
  bool cores_are_full = false;           // see runtime::RunnerOptions
  HostSeat train_seat, validation_seat;  // none: it reads for itself
  CommunicatorSource communicators;
  std::uint32_t device = 0;  // of CUDA; see Engine::Options
  // Of ranks that are processes: see Engine::Options and runtime::RunnerOptions.
  std::span<std::byte> arena;
  EventSource* events = nullptr;
  std::chrono::nanoseconds timeout{0};

  // Of an engine of this rank; the caller adds its data, ring and hooks.
  [[nodiscard]] Engine::Options engine_options() const;
};

struct RankJob {
  const Config* config = nullptr;
  const job::JobPlan* job = nullptr;
  bool evaluates = false;  // with validation data
  // This process is one rank, as its launcher says; null: it runs all ranks, as threads.
  const comm::ProcessLaunch* process = nullptr;
  // Called once all ranks are there.
  std::function<void()> on_ready;
};

// Runs `body` for every rank that this process has, on that rank's own thread (this one for rank
// 0), and returns when all are through. The first rank that throws makes the others fail; its error
// is thrown here, with its number where there are several. Throws Error too where ranks are
// missing, or differ in configuration, binary or plans.
using RankBody = std::function<void(const RankEnds& ends)>;
void run_ranks(const RankJob& job, const RankBody& body);

// The CUDA devices that the ranks of a job, threads of this process, compute on: 0 on the CPU.
// Ranks take them in turn.
[[nodiscard]] std::uint32_t devices_of(const job::JobPlan& job);
[[nodiscard]] std::uint32_t device_of(const job::JobPlan& job, std::uint32_t rank);

// FLOP/s of all ranks: of cores by a measurement of this host that takes a second, of CUDA devices
// as published; hosts count as equal.
[[nodiscard]] double measure_peak(const RankJob& job);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_RUN_RANKS_H_
