#ifndef MEGASCALE_JOB_JOB_PLAN_H_
#define MEGASCALE_JOB_JOB_PLAN_H_

#include <memory>
#include <vector>

#include "megascale/base/core_binding.h"
#include "megascale/config/config.h"
#include "megascale/graph/program.h"
#include "megascale/job/kernel_choice.h"
#include "megascale/parallel/rank_grid.h"
#include "megascale/parallel/schedule.h"
#include "megascale/plan/build.h"
#include "megascale/plan/flops.h"
#include "megascale/plan/verify.h"

namespace megascale::job {

// A class of ranks: one stage of the pipeline. Its ranks share everything here and differ in their
// bindings.
struct StagePlan {
  std::vector<graph::Program> train_chunks, evaluate_chunks;
  plan::ModelState state;
  plan::BuiltPlan train, evaluate;
  std::uint64_t arena_nbytes = 0;  // the larger of the plans
};

// Everything that is decided before a device is touched: the programs, where all bytes lie, the
// plans of the run and whether they are right. It depends on nothing but the configuration and the
// number of threads per rank.
struct JobPlan {
  parallel::RankGrid grid{graph::AxisSizes{}};
  parallel::Schedule schedule;
  std::vector<StagePlan> stages;
  // Plans by rank; of jobs of more than 16 ranks, of the first rank of each stage.
  plan::Verification train_verification, evaluate_verification;
  KernelChoice kernels;  // and how many threads a rank has

  [[nodiscard]] const StagePlan& stage_of(std::uint32_t rank) const {
    return stages[grid.coordinates(rank)[static_cast<std::size_t>(graph::Axis::pipeline)]];
  }
  // The ranks of a stage are one class: its first rank stands for them.
  [[nodiscard]] std::uint32_t first_rank_of(std::size_t stage) const;
  // The proven plan of a rank. The verification must be without violations.
  [[nodiscard]] plan::VerifiedPlan plan_of(std::uint32_t rank,
                                           const plan::Verification& verification) const;
  [[nodiscard]] std::uint64_t arena_nbytes() const;  // of the largest rank
  [[nodiscard]] plan::StepFlops flops() const;       // of a training step of all ranks
  // Elements of the model, padding left out: of the chunks of all stages, a shared parameter once.
  [[nodiscard]] std::int64_t parameter_count() const;
};

// Plans a job: `config` resolved and valid. A pure function of its arguments: it needs no device
// and changes no state of the process. The number of threads of a rank is threads_per_rank(), of
// `local_ranks` ranks (0: all of the job) that share a machine of `cores` cores. Any thread. Throws
// Error (bad_usage): a name in recompute.ops that no op has, or that is part of a fused product.
JobPlan plan_job(const Config& config, std::uint32_t local_ranks = 0,
                 std::size_t cores = available_cores());

// All violations, one per line; empty if the plans are proven.
[[nodiscard]] std::string violations(
    std::initializer_list<const plan::Verification*> verifications);

// Throws Error (failed) with all violations, where the plans of a run are not proven.
void require_proven(const JobPlan& job);

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_JOB_PLAN_H_
