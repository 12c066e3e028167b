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

// plan_job() turns a configuration into the verified plans of all ranks of a training job.
// Training, `plan`, `check`, `simulate` and `tune` all start from its result.
namespace megascale::job {

// The plans of one pipeline stage. Its ranks form a class: they share everything here and differ
// only in their bindings (coordinates, group members).
struct StagePlan {
  std::vector<graph::Program> train_chunks, evaluate_chunks;
  plan::ModelState state;
  plan::BuiltPlan train, evaluate;
  std::uint64_t arena_nbytes = 0;  // the larger of the two plans' arenas, bytes
};

// Everything that is decided before a device is used: the programs, the place of every byte, the
// plans of the run and whether they are correct. It depends only on the configuration and the
// number of threads per rank.
struct JobPlan {
  parallel::RankGrid grid{graph::AxisSizes{}};
  parallel::Schedule schedule;
  std::vector<StagePlan> stages;
  // The verified plans. With up to 16 ranks there is one for each rank; in larger jobs there is one
  // for the first rank of each stage.
  plan::Verification train_verification, evaluate_verification;
  KernelChoice kernels;  // also holds the number of threads of a rank

  [[nodiscard]] const StagePlan& stage_of(std::uint32_t rank) const {
    return stages[grid.coordinates(rank)[static_cast<std::size_t>(graph::Axis::pipeline)]];
  }
  // Returns the first rank of a stage, which represents the stage's class.
  [[nodiscard]] std::uint32_t first_rank_of(std::size_t stage) const;
  // Returns the verified plan of a rank, from one of the two verifications, which must have no
  // violations.
  [[nodiscard]] plan::VerifiedPlan plan_of(std::uint32_t rank,
                                           const plan::Verification& verification) const;
  [[nodiscard]] std::uint64_t arena_nbytes() const;  // the largest arena of all ranks
  [[nodiscard]] plan::StepFlops flops() const;       // of one training step on all ranks
  // Returns the number of elements of all parameters of the model, without padding. A parameter
  // that several chunks share counts once.
  [[nodiscard]] std::int64_t parameter_count() const;
  // Returns how many of them a token meets: of routed experts, moe.router_topk out of
  // moe.num_experts. Without experts it is parameter_count().
  [[nodiscard]] std::int64_t active_parameter_count(const MoeConfig& moe) const;
};

// Plans a job. `config` must be resolved and valid. A pure function of its arguments: it needs no
// device and changes no state of the process. The number of threads of a rank is threads_per_rank()
// for `local_ranks` ranks (0: all ranks of the job) that share a machine of `cores` cores. Any
// thread may call it.
// `staged_micro_batches`: the staging buffer, which belongs to the model state, has room for so many
// micro-batches, or for those of a step if these are more.
// The plans may violate rules; the caller checks that with require_proven() or violations(). Throws
// Error (bad_usage) if the job is too large to plan (plan_size.h), or if recompute.ops contains a
// name that no op has, or the name of an op that is part of a fused product.
JobPlan plan_job(const Config& config, std::uint32_t local_ranks = 0,
                 std::size_t cores = available_cores(), std::uint32_t staged_micro_batches = 0);

// Returns the messages of all violations, one per line; empty if the plans are verified.
[[nodiscard]] std::string violations(
    std::initializer_list<const plan::Verification*> verifications);

// Throws Error (failed) with all violations if there are any.
void require_proven(const JobPlan& job);

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_JOB_PLAN_H_
