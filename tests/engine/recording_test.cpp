// Every task of every step is recorded, and that costs next to nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "engine/training_job.h"
#include "megascale/base/clock.h"
#include "megascale/engine/engine.h"
#include "support/empty_step.h"

namespace megascale {
namespace {

using testing::EmptyStep;
using testing::ScratchDirectory;
using testing::TrainingJob;

// Seconds that a task which does nothing takes with everything around it: its wait, its two
// readings of the clock, its record in a ring file, the clearing of its place there. More than the
// record alone. The fastest of many steps: others use this machine too.
double seconds_per_recorded_task() {
  constexpr std::uint32_t kTasks = 2000;
  const ScratchDirectory directory;
  runtime::RecordRing ring(directory / "ring", {.tasks = kTasks, .steps = 8});
  EmptyStep step(kTasks);
  std::int64_t best_ns = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t number = 0; number < 50; ++number) {
    const std::int64_t begin_ns = monotonic_ns();
    step.run(ring.begin_step(number));
    ring.end_step(number);
    best_ns = std::min(best_ns, monotonic_ns() - begin_ns);
  }
  return static_cast<double>(best_ns) * 1e-9 / kTasks;
}

TEST(Recording, CostsLessThanHalfAPercentOfAStep) {
  const TrainingJob job(R"(
[model]
num_layers = 2
hidden_size = 256
num_attention_heads = 4
seq_length = 128
[train]
micro_batch_size = 4
global_batch_size = 8
threads_per_rank = 1
)",
                        6);
  const job::JobPlan plan = job::plan_job(job.config());
  engine::Engine engine(job.config(), plan,
                        {.records = {.ring = job.ring()}, .train = &job.data(), .runner = {}});
  engine.initialize();
  engine.start_at(0);
  double step_seconds = std::numeric_limits<double>::infinity();
  std::size_t records = 0;
  for (int i = 0; i < 5; ++i) {
    const engine::StepResult step = engine.train_step();
    step_seconds = std::min(step_seconds, step.seconds);
    records = step.records.size();
    const auto& tasks = engine.train_plan().tasks();
    ASSERT_EQ(records, tasks.size());
    for (std::size_t id = 0; id < records; ++id) {
      if (tasks[id].carried) continue;  // may not be done yet
      EXPECT_GT(step.records[id].done_ns, 0) << engine.train_plan().task_name(id);
    }
  }
  const double each = seconds_per_recorded_task(),
               share = each * static_cast<double>(records) / step_seconds;
  std::printf("%zu records of at most %.0f ns in a step of %.4f s: %.4f %%\n", records, each * 1e9,
              step_seconds, share * 100);
  EXPECT_LT(share, 0.005);
}

}  // namespace
}  // namespace megascale
