#ifndef MEGASCALE_JOB_INFERENCE_PLAN_H_
#define MEGASCALE_JOB_INFERENCE_PLAN_H_

#include "megascale/base/core_binding.h"
#include "megascale/config/config.h"
#include "megascale/graph/program.h"
#include "megascale/job/kernel_choice.h"
#include "megascale/plan/build.h"
#include "megascale/plan/verify.h"

namespace megascale::job {

// The plans of a model that is only used, on one rank whatever layout it was trained on: its
// weights, an evaluation plan and a decoding plan.
struct InferencePlan {
  graph::Program evaluate_program, decode_program;
  plan::ModelState state;
  plan::BuiltPlan evaluate, decode;
  plan::Verification evaluate_verification, decode_verification;
  std::uint64_t arena_nbytes = 0;
  KernelChoice kernels;  // and how many threads the rank has
};

// `config` resolved and valid; its layout and device are ignored. Like plan_job() a pure function
// of its arguments. Any thread.
InferencePlan plan_inference(Config config, std::size_t cores = available_cores());

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_INFERENCE_PLAN_H_
