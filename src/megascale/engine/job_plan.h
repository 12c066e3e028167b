#ifndef MEGASCALE_ENGINE_JOB_PLAN_H_
#define MEGASCALE_ENGINE_JOB_PLAN_H_

#include <optional>

#include "megascale/config/config.h"
#include "megascale/graph/program.h"
#include "megascale/kernels/kernel.h"
#include "megascale/plan/build.h"
#include "megascale/plan/verify.h"

namespace megascale::engine {

// Everything that is decided before a device is touched: the programs, where all bytes lie, the
// plans of the run and whether they are right. A pure function of the configuration and the threads
// per rank.
struct JobPlan {
  graph::Program train_program, evaluate_program;
  plan::ModelState state;
  plan::BuiltPlan train, evaluate;
  plan::Verification train_verification, evaluate_verification;
  std::uint64_t arena_nbytes = 0;  // the larger of the plans
  std::size_t threads = 1;         // of the compute lane's team
};

// `config` resolved and valid. Throws Error (unsupported) for layouts of more than one rank, in
// this version.
JobPlan plan_job(const Config& config);

// The same for a model that is only used: weights, an evaluation plan and a decoding plan.
struct InferencePlan {
  graph::Program evaluate_program, decode_program;
  plan::ModelState state;
  plan::BuiltPlan evaluate, decode;
  plan::Verification evaluate_verification, decode_verification;
  std::uint64_t arena_nbytes = 0;
  std::size_t threads = 1;
};
InferencePlan plan_inference(const Config& config);

// All violations, one per line; empty if the plans are proven.
[[nodiscard]] std::string violations(
    std::initializer_list<const plan::Verification*> verifications);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_JOB_PLAN_H_
