#include "megascale/engine/job_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/config/derived.h"
#include "megascale/engine/prepare.h"
#include "megascale/model/gpt.h"
#include "megascale/plan/passes/recompute.h"

namespace megascale::engine {
namespace {

plan::RecomputePolicy recompute_policy(const RecomputeConfig& config) {
  using Kind = plan::RecomputePolicy::Kind;
  switch (config.granularity) {
    case RecomputeGranularity::none:
      return {Kind::none, {}};
    case RecomputeGranularity::selective:
      return {Kind::selective, {}};
    case RecomputeGranularity::full:
      return {Kind::full, {}};
    case RecomputeGranularity::list:
      return {Kind::list, config.ops};
  }
  return {};
}

plan::OptimizerPlan optimizer_plan(const OptimizerConfig& config) {
  return {.kind = config.name == OptimizerKind::adamw ? plan::OptimizerPlan::Kind::adamw
                                                      : plan::OptimizerPlan::Kind::lamb,
          .beta1 = config.adam_beta1,
          .beta2 = config.adam_beta2,
          .epsilon = config.adam_eps,
          .weight_decay = config.weight_decay,
          .clip_norm = config.clip_grad};
}

plan::Verification verify_alone(const plan::BuiltPlan& built) {
  return plan::verify(
      {{std::make_shared<const plan::StepPlan>(built.expansion.plan), plan::Binding{}}});
}

std::uint64_t cpu_scratch(const plan::PlanOp& op) {
  return scratch_bytes(op, kernels::Device::cpu);
}

void require_one_rank(const Config& config) {
  if (world_size(config) == 1) return;
  throw Error(ErrorCode::unsupported, fmt::format("this version plans and trains one rank; the "
                                                  "configuration asks for {} (parallel.world_size)",
                                                  world_size(config)));
}

// The threads of a rank, set for the calling thread: scratch and kernels depend on them.
std::size_t decide_threads(const Config& config) {
  const auto wanted = static_cast<std::size_t>(config.train.threads_per_rank);
  const std::size_t threads = wanted > 0 ? wanted : available_cores();
  set_threads(threads);
  return threads;
}

}  // namespace

JobPlan plan_job(const Config& config) {
  require_one_rank(config);
  JobPlan job;
  job.threads = decide_threads(config);
  model::ModelShape shape{.micro_batch_size = config.train.micro_batch_size,
                          .packed_documents = config.data.packed_documents};
  job.train_program = model::build_gpt(config, shape);
  plan::recompute(job.train_program, recompute_policy(config.recompute));
  shape.mode = model::Mode::evaluate;
  job.evaluate_program = model::build_gpt(config, shape);
  const auto micro_batches = static_cast<std::uint32_t>(num_micro_batches(config));
  job.state = plan::place_model_state(
      job.train_program,
      {.buckets = static_cast<std::uint32_t>(config.parallel.data_parallel_buckets),
       .staging_nbytes = plan::batch_layout(job.train_program, micro_batches).nbytes()});
  job.train = plan::build_train_plan(job.train_program, job.state, micro_batches,
                                     optimizer_plan(config.optimizer), cpu_scratch);
  job.evaluate =
      plan::build_evaluate_plan(job.evaluate_program, job.state, micro_batches, cpu_scratch);
  job.train_verification = verify_alone(job.train);
  job.evaluate_verification = verify_alone(job.evaluate);
  job.arena_nbytes = std::max(job.train.memory.total, job.evaluate.memory.total);
  return job;
}

InferencePlan plan_inference(const Config& config) {
  require_one_rank(config);
  InferencePlan job;
  job.threads = decide_threads(config);
  model::ModelShape shape{.mode = model::Mode::evaluate,
                          .micro_batch_size = config.train.micro_batch_size,
                          .packed_documents = config.data.packed_documents};
  job.evaluate_program = model::build_gpt(config, shape);
  shape.mode = model::Mode::decode;
  job.decode_program = model::build_gpt(config, shape);
  job.state = plan::place_model_state(job.decode_program, {.training = false});
  job.evaluate =
      plan::build_evaluate_plan(job.evaluate_program, job.state,
                                static_cast<std::uint32_t>(num_micro_batches(config)), cpu_scratch);
  job.decode = plan::build_decode_plan(job.decode_program, job.state, cpu_scratch);
  job.evaluate_verification = verify_alone(job.evaluate);
  job.decode_verification = verify_alone(job.decode);
  job.arena_nbytes = std::max(job.evaluate.memory.total, job.decode.memory.total);
  return job;
}

std::string violations(std::initializer_list<const plan::Verification*> verifications) {
  std::string text;
  for (const plan::Verification* verification : verifications) {
    for (const plan::Violation& violation : verification->violations)
      text += violation.message + "\n";
  }
  return text;
}

}  // namespace megascale::engine
