#ifndef MEGASCALE_JOB_BATCH_PLANS_H_
#define MEGASCALE_JOB_BATCH_PLANS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/core_binding.h"
#include "megascale/config/config.h"
#include "megascale/job/job_plan.h"

// The plans of a job whose global batch grows (train.rampup_batch_size): one for every size. A rank
// runs all of them in one arena, in which the model state lies at the same place.
namespace megascale::job {

// The plan of the steps with one size of the global batch.
struct BatchPlan {
  Config config;  // with that global_batch_size; of the last size: as given
  JobPlan job;
};

struct BatchPlans {
  // By size, ascending; at least one. Only the last one's evaluation plan is used, so that all
  // validation losses are means of equally many sequences.
  std::vector<BatchPlan> sizes;

  // The plan of train.global_batch_size.
  [[nodiscard]] const JobPlan& full() const noexcept { return sizes.back().job; }
  [[nodiscard]] std::span<const BatchPlan> smaller() const noexcept {
    return std::span(sizes).first(sizes.size() - 1);
  }
  // Returns the number in `sizes` of a size that batch_sizes() names.
  [[nodiscard]] std::size_t number_of(std::int64_t global_batch_size) const;
  // Returns the plan whose steps have made records: the one of which a stage has a training plan with
  // this digest, or, if none has, full().
  [[nodiscard]] const JobPlan& of_records(const std::string& digest) const;
};

// Plans a job for every size of its batch, with the arguments of plan_job(). Every stage has the
// arena_nbytes of its largest plan in all plans. Without a ramp there is one plan, that of plan_job().
// Throws the errors of plan_job(), with the size.
[[nodiscard]] BatchPlans plan_batches(const Config& config, std::uint32_t local_ranks = 0,
                                      std::size_t cores = available_cores());

// As violations() and require_proven(), for all sizes. A message names its size if there are several.
[[nodiscard]] std::vector<std::string> violations(const BatchPlans& plans);
void require_proven(const BatchPlans& plans);

// Returns the same as plan_batches().of_records(), but plans no more sizes than it must look at.
[[nodiscard]] JobPlan plan_of_records(const Config& config, const std::string& digest,
                                      std::uint32_t local_ranks = 0);

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_BATCH_PLANS_H_
