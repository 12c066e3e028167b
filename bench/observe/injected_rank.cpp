// A training in which one rank is slow in one way only: its input comes late, or it starts its reduce-scatters
// late. bench/observe/slow_ranks asks afterwards whether the rank and the cause are named.
//
//   injected_rank CONFIG KIND RANK MICROSECONDS [SECTION.KEY=VALUE...]
//
// KIND: input (before each batch that the rank reads), launch (before each reduce-scatter), none.
// MICROSECONDS: of all delays of a step together. Without the variables of a launcher (RANK, WORLD_SIZE, ...)
// it starts one process for each rank on this host.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/comm/process/before_start.h"
#include "megascale/config/derived.h"
#include "megascale/job/job_plan.h"
#include "megascale/launch/rank_processes.h"
#include "megascale/train/trainer.h"

namespace megascale {
namespace {

bool is_delayed(const plan::PlanOp& op, std::string_view kind) {
  if (kind == "input") return op.lane == graph::Lane::host_in;
  if (kind == "launch")
    return op.def->transfer != nullptr && op.def->transfer->name == "reduce_scatter";
  if (kind == "none") return false;
  throw Error(ErrorCode::bad_usage,
              fmt::format("KIND: expected input, launch or none, found {}", kind));
}

// The delay before each task of the rank, by task.
std::vector<std::chrono::nanoseconds> delays_of(const Config& config,
                                                const comm::ProcessLaunch& process,
                                                std::string_view kind,
                                                std::chrono::nanoseconds of_step) {
  const job::JobPlan job = job::plan_job(config, process.environment.local_world_size);
  job::require_proven(job);
  const plan::VerifiedPlan verified = job.plan_of(process.environment.rank, job.train_verification);
  const plan::StepPlan& plan = verified.plan();
  std::vector<bool> delayed;
  for (const plan::Task& task : plan.tasks()) delayed.push_back(is_delayed(plan.op(task), kind));
  const auto count = std::count(delayed.begin(), delayed.end(), true);
  if (count == 0)
    throw Error(ErrorCode::bad_usage,
                fmt::format("the plan of the rank has no task to delay ({})", kind));
  std::vector<std::chrono::nanoseconds> delays(delayed.size(), std::chrono::nanoseconds(0));
  for (std::size_t task = 0; task < delayed.size(); ++task)
    if (delayed[task]) delays[task] = of_step / count;
  return delays;
}

int run(int argc, char** argv) {
  if (argc < 5)
    throw Error(ErrorCode::bad_usage,
                "injected_rank CONFIG KIND RANK MICROSECONDS [SECTION.KEY=VALUE...]");
  const std::string_view kind = argv[2];
  const auto rank = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
  const std::chrono::microseconds of_step(std::strtol(argv[4], nullptr, 10));
  const std::vector<std::string> settings(argv + 5, argv + argc);
  const Config config = load_config(argv[1], settings);
  const auto process = comm::ProcessLaunch::from_environment();
  if (!process) {
    const launch::RanksEnd end = launch::run_rank_processes(
        static_cast<std::uint32_t>(world_size(config)),
        [](const std::string& message) { std::fprintf(stderr, "%s\n", message.c_str()); });
    return end.exit_code;
  }
  std::vector<std::chrono::nanoseconds> delays;
  if (kind != "none" && process->environment.rank == rank)
    delays = delays_of(config, *process, kind, of_step);
  train::TrainOptions options;
  options.on_step = [](const train::StepMetrics&, bool, double) {};
  options.on_message = [](const std::string& message) {
    std::fprintf(stderr, "%s\n", message.c_str());
  };
  options.process = &*process;
  options.peak_flops = 1e9;  // nobody looks at the utilisation
  if (!delays.empty()) {
    options.before_task = [delays](std::uint32_t, std::uint32_t task) {
      if (delays.at(task).count() > 0) std::this_thread::sleep_for(delays[task]);
    };
  }
  (void)train::train(config, options);
  return 0;
}

}  // namespace
}  // namespace megascale

int main(int argc, char** argv) {
  try {
    return megascale::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "injected_rank: %s\n", error.what());
    return 1;
  }
}
