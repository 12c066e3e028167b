// What the lane runner and the recorder cost per task: steps of tasks that do nothing.
//   per_task   seconds per task of the step
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "megascale/base/clock.h"
#include "megascale/runtime/record_ring.h"
#include "support/empty_step.h"

namespace megascale::runtime {
namespace {

constexpr std::uint32_t kTasks = 2000;

void per_task(benchmark::State& state) {
  state.counters["per_task"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kTasks,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void BM_StepWithoutRecords(benchmark::State& state) {
  testing::EmptyStep step(kTasks);
  for (auto _ : state) step.run({});
  per_task(state);
}
BENCHMARK(BM_StepWithoutRecords)->UseRealTime();

void BM_StepRecordedInARing(benchmark::State& state) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("megascale-bench-ring-" + std::to_string(::getpid()));
  RecordRing ring(path, {.tasks = kTasks, .steps = 8});
  std::filesystem::remove(path);  // stays as long as it is mapped
  testing::EmptyStep step(kTasks);
  std::int64_t number = 0;
  for (auto _ : state) {
    step.run(ring.begin_step(number));
    ring.end_step(number++);
  }
  per_task(state);
}
BENCHMARK(BM_StepRecordedInARing)->UseRealTime();

void BM_Clock(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(monotonic_ns());
}
BENCHMARK(BM_Clock);

}  // namespace
}  // namespace megascale::runtime
