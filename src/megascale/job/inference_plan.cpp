// Builds the model's program twice (evaluate, decode), places its weights once for both, and builds
// and verifies one plan for each.
#include "megascale/job/inference_plan.h"

#include <algorithm>

#include "megascale/config/derived.h"
#include "megascale/job/kernel_spec.h"
#include "megascale/job/plan_size.h"
#include "megascale/model/gpt.h"
#include "megascale/parallel/stage_events.h"

namespace megascale::job {
namespace {

plan::Verification verify_alone(const plan::BuiltPlan& built) {
  return plan::verify(
      {{std::make_shared<const plan::StepPlan>(built.expansion.plan), plan::Binding{}}});
}

}  // namespace

InferencePlan plan_inference(Config config, std::size_t cores,
                             const model::DecodeShape& decode_shape) {
  InferencePlan job;
  const auto micro_batches = static_cast<std::uint32_t>(num_micro_batches(config));
  config.parallel = ParallelConfig{};
  config.preference = PreferenceConfig{};  // an evaluation of a checkpoint counts tokens
  config.model.moe.routing_replay = RoutingReplay::none;  // files are of a run's batches
  // Decoding has numbers of rows that are known only at run time. Kernels of devices do not support
  // them.
  config.train.device = DeviceKind::cpu;
  require_plan_size(config);
  job.kernels = kernel_choice(config, threads_per_rank(config, 1, cores));
  const plan::ScratchSizer scratch = scratch_sizer(job.kernels);
  model::ModelShape shape{.mode = model::Mode::evaluate,
                          .micro_batch_size = config.train.micro_batch_size,
                          .packed_documents = config.data.packed_documents};
  job.evaluate_program = model::build_gpt(config, shape);
  shape.mode = model::Mode::decode;
  job.decode_shape = decode_shape;
  job.decode_shape.tokens =
      std::min(decode_shape.tokens, decode_shape.sequences * config.model.max_position_embeddings);
  shape.decode = job.decode_shape;
  job.decode_program = model::build_gpt(config, shape);
  const graph::Program* const decode = &job.decode_program;
  job.state = plan::place_model_state({&decode, 1}, plan::number_parameters({&decode, 1}),
                                      {.training = false});
  const auto events = parallel::events(parallel::one_forward_one_backward(1, micro_batches));
  job.evaluate = plan::build_evaluate_plan({.chunks = {&job.evaluate_program},
                                            .state = &job.state,
                                            .micro_batches = micro_batches,
                                            .events = events[0]},
                                           scratch);
  job.decode = plan::build_decode_plan(job.decode_program, job.state, scratch);
  job.evaluate_verification = verify_alone(job.evaluate);
  job.decode_verification = verify_alone(job.decode);
  job.arena_nbytes = std::max(job.evaluate.memory.total, job.decode.memory.total);
  return job;
}

}  // namespace megascale::job
