#ifndef MEGASCALE_TESTS_ENGINE_ALLOCATION_JOB_H_
#define MEGASCALE_TESTS_ENGINE_ALLOCATION_JOB_H_

#include <gtest/gtest.h>

#include <cmath>

#include "engine/allocation_log.h"
#include "engine/training_job.h"
#include "megascale/engine/engine.h"

namespace megascale::testing {

inline constexpr std::int64_t kLibrariesMost = 16 << 20;  // bytes; what `outside` stands for

// Steps `first` to `last`, from 1, of a run that begins at step 0.
inline AllocationSummary allocations_in_steps(const TrainingJob& job, int first, int last,
                                              runtime::RunnerOptions runner = {}) {
  const job::JobPlan plan = job::plan_job(job.config());
  engine::Engine engine(
      job.config(), plan,
      {.records = {.ring = job.ring()}, .train = &job.data(), .runner = std::move(runner)});
  engine.initialize();
  engine.start_at(0);
  double loss = 0;
  for (int step = 1; step <= last; ++step) {
    if (step == first) start_allocation_log();
    loss += engine.train_step().loss;
  }
  const AllocationSummary summary = stop_allocation_log();
  EXPECT_TRUE(std::isfinite(loss));
  std::printf("ours: %ld allocations, %ld bytes; libraries: %ld, %ld bytes, at most %ld live\n",
              summary.ours.count, summary.ours.nbytes, summary.libraries.count,
              summary.libraries.nbytes, summary.peak_live);
  return summary;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_ENGINE_ALLOCATION_JOB_H_
