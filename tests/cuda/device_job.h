#ifndef MEGASCALE_TESTS_CUDA_DEVICE_JOB_H_
#define MEGASCALE_TESTS_CUDA_DEVICE_JOB_H_

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/comm/local/local_job.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/runtime/cuda/device_lane_runner.h"
#include "support/plan_writer.h"

// Hand-written plans of ranks that are threads and share one CUDA device.
namespace megascale::testing {

struct DeviceJobOptions {
  int steps = 1;
  std::span<std::vector<TaskRecord>> records = {};  // of the last step, by rank; or none
  std::chrono::nanoseconds timeout{0};
  bool graphs = false;
  std::function<void(std::uint32_t rank, std::uint32_t task)> before_task = [](auto, auto) {};
  // Makes a rank's end of a group, on the stream of its lane. Default: ends of ranks as threads.
  std::function<comm::Communicator&(const plan::CommunicatorBinding& group, CUstream_st* stream)>
      end_of = {};
  // Called on the rank's thread after its last step, with its arena on the device.
  std::function<void(std::uint32_t rank, std::span<std::byte> arena)> then = {};
};

inline void run_rank_on_device(const plan::VerifiedPlan& plan, const PlanWriter& writer,
                               std::uint32_t rank, Wakeup& wakeup, comm::LocalJob& job,
                               const DeviceJobOptions& options) {
  cuda::use_device(0);
  const cuda::DeviceMemory arena(plan.plan().arena_nbytes());
  runtime::DeviceLaneRunner runner(
      0, wakeup,
      {.before_task = [&options, rank](std::uint32_t task) { options.before_task(rank, task); },
       .graphs = options.graphs,
       .timeout = options.timeout});
  runtime::BoundPlan bound{
      .plan = &plan, .arena = arena.bytes(), .functions = {}, .communicators = {}};
  for (const auto& function : writer.functions) bound.functions.push_back(function.get());
  for (std::size_t i = 0; i < plan.binding().communicators.size(); ++i) {
    const plan::CommunicatorBinding& group = plan.binding().communicators[i];
    CUstream_st* stream = runner.stream(plan.plan().communicators()[i].lane);
    bound.communicators.push_back(options.end_of
                                      ? &options.end_of(group, stream)
                                      : &job.end(group.key, group.members, group.my_index, stream));
  }
  const std::size_t number = runner.bind(std::move(bound));
  std::span<TaskRecord> records;
  if (!options.records.empty()) {
    options.records[rank].resize(plan.plan().tasks().size());
    records = options.records[rank];
  }
  for (int step = 0; step < options.steps; ++step) runner.run_step(number, records);
  if (options.then) options.then(rank, arena.bytes());
}

// Runs steps of all ranks. Returns by rank what it threw. A rank gives its memory back as soon as
// it is through.
inline std::vector<std::optional<Error>> run_on_device(const std::vector<PlanWriter>& writers,
                                                       const DeviceJobOptions& options = {}) {
  std::vector<plan::RankPlan> rank_plans;
  for (std::uint32_t r = 0; r < writers.size(); ++r) rank_plans.push_back(writers[r].rank_plan(r));
  const plan::Verification verification = plan::verify(std::move(rank_plans));
  if (!verification.ok()) throw Error(ErrorCode::failed, verification.violations.front().message);
  std::vector<Wakeup> wakeups(writers.size());
  std::vector<Wakeup*> pointers;
  for (Wakeup& wakeup : wakeups) pointers.push_back(&wakeup);
  comm::LocalJob job(pointers);
  std::vector<std::optional<Error>> errors(writers.size());
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < writers.size(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        run_rank_on_device(verification.plans[rank], writers[rank], rank, wakeups[rank], job,
                           options);
      } catch (const Error& error) {
        errors[rank] = error;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CUDA_DEVICE_JOB_H_
