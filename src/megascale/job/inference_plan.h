#ifndef MEGASCALE_JOB_INFERENCE_PLAN_H_
#define MEGASCALE_JOB_INFERENCE_PLAN_H_

#include "megascale/base/core_binding.h"
#include "megascale/config/config.h"
#include "megascale/graph/program.h"
#include "megascale/job/kernel_choice.h"
#include "megascale/model/gpt.h"
#include "megascale/plan/build.h"
#include "megascale/plan/verify.h"

namespace megascale::job {

// Plans for a model that is only evaluated or sampled, not trained. They are for one rank on the
// CPU, whatever layout the model was trained on: the layout of its weights, an evaluation plan and
// a decoding plan (new tokens in, the logits of the next token out).
struct InferencePlan {
  graph::Program evaluate_program, decode_program;
  plan::ModelState state;
  plan::BuiltPlan evaluate, decode;
  plan::Verification evaluate_verification, decode_verification;
  std::uint64_t arena_nbytes = 0;  // the larger of the two plans' arenas, bytes
  model::DecodeShape decode_shape;
  KernelChoice kernels;  // also holds the number of threads
};

// Makes these plans. `config` must be resolved and valid; its [parallel] section and its device are
// ignored. `cores`: cores of the machine. `decode.tokens` above the tokens that all caches hold count
// as these. A pure function of its arguments, like plan_job(). Any
// thread may call it.
InferencePlan plan_inference(Config config, std::size_t cores = available_cores(),
                             const model::DecodeShape& decode = {});

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_INFERENCE_PLAN_H_
