#ifndef MEGASCALE_ENGINE_JOB_PLAN_H_
#define MEGASCALE_ENGINE_JOB_PLAN_H_

#include <memory>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/engine/prepare.h"
#include "megascale/graph/program.h"
#include "megascale/parallel/rank_grid.h"
#include "megascale/parallel/schedule.h"
#include "megascale/plan/build.h"
#include "megascale/plan/verify.h"

namespace megascale::engine {

// A class of ranks: one stage of the pipeline. Its ranks share everything here and differ in their
// bindings.
struct StagePlan {
  std::vector<graph::Program> train_chunks, evaluate_chunks;
  plan::ModelState state;
  plan::BuiltPlan train, evaluate;
  std::uint64_t arena_nbytes = 0;  // the larger of the plans
};

// Everything that is decided before a device is touched: the programs, where all bytes lie, the
// plans of the run and whether they are right. A pure function of the configuration and the threads
// per rank.
struct JobPlan {
  parallel::RankGrid grid{graph::AxisSizes{}};
  parallel::Schedule schedule;
  std::vector<StagePlan> stages;
  // Plans by rank; of jobs of more than 16 ranks, of the first rank of each stage.
  plan::Verification train_verification, evaluate_verification;
  std::size_t threads = 1;  // of the compute lane's team
  KernelChoice kernels;

  [[nodiscard]] const StagePlan& stage_of(std::uint32_t rank) const {
    return stages[grid.coordinates(rank)[static_cast<std::size_t>(graph::Axis::pipeline)]];
  }
  // The ranks of a stage are one class: its first rank stands for them.
  [[nodiscard]] std::uint32_t first_rank_of(std::size_t stage) const;
  // The proven plan of a rank. The verification must be without violations.
  [[nodiscard]] plan::VerifiedPlan plan_of(std::uint32_t rank,
                                           const plan::Verification& verification) const;
  [[nodiscard]] std::uint64_t arena_nbytes() const;  // of the largest rank
};

// `config` resolved and valid. Ranks that share this machine share its cores: `local_ranks` of
// them, unless train.threads_per_rank says otherwise; 0: all.
JobPlan plan_job(const Config& config, std::uint32_t local_ranks = 0);

// The same for a model that is only used, on one rank whatever layout it was trained on: weights,
// an evaluation plan and a decoding plan.
struct InferencePlan {
  graph::Program evaluate_program, decode_program;
  plan::ModelState state;
  plan::BuiltPlan evaluate, decode;
  plan::Verification evaluate_verification, decode_verification;
  std::uint64_t arena_nbytes = 0;
  std::size_t threads = 1;
  KernelChoice kernels;
};
InferencePlan plan_inference(Config config);

// All violations, one per line; empty if the plans are proven.
[[nodiscard]] std::string violations(
    std::initializer_list<const plan::Verification*> verifications);

// Throws Error (failed) with all violations, where the plans of a run are not proven.
void require_proven(const JobPlan& job);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_JOB_PLAN_H_
