// Steps from a configuration to plans: build the programs of each stage's chunks and apply the
// passes, number the parameters of all stages, place each stage's parameters and state, build the
// train and the evaluation plan of each stage, and verify the plans of all ranks together.
#include "megascale/job/job_plan.h"

#include <algorithm>
#include <map>
#include <string>

#include "megascale/config/derived.h"
#include "megascale/job/kernel_spec.h"
#include "megascale/job/plan_options.h"
#include "megascale/job/plan_size.h"
#include "megascale/model/gpt.h"
#include "megascale/optimizer/definition.h"
#include "megascale/parallel/stage_events.h"
#include "megascale/plan/bind.h"
#include "megascale/plan/passes/float8_products.h"
#include "megascale/plan/passes/float8_transfers.h"
#include "megascale/plan/passes/fuse_pairs.h"
#include "megascale/plan/passes/fuse_products.h"
#include "megascale/plan/passes/gather_codes.h"
#include "megascale/plan/passes/hoist_transfers.h"
#include "megascale/plan/passes/merge_weight_gradients.h"
#include "megascale/plan/passes/order_layers.h"
#include "megascale/plan/passes/quantise_products.h"
#include "megascale/plan/passes/recompute.h"
#include "megascale/plan/passes/split_context.h"
#include "megascale/plan/passes/split_experts.h"
#include "megascale/plan/passes/split_tensor.h"

namespace megascale::job {
namespace {

// Returns whether a rank keeps its shard of the weights only. If no ranks have the same dense weights, none have the
// same experts.
bool divides_parameters(const Config& config, const graph::AxisSizes& axes) {
  return config.parallel.zero_stage == 3 &&
         axes[graph::Axis::data] * axes[graph::Axis::context] > 1;
}

// Returns the programs of a stage's chunks. Chunk c of stage s is number c * stages + s of the
// whole model.
std::vector<graph::Program> stage_chunks(const Config& config, model::ModelShape shape,
                                         std::uint32_t stage) {
  const auto stages = shape.axes[graph::Axis::pipeline];
  const auto own = static_cast<std::uint32_t>(config.parallel.virtual_pipeline_size);
  shape.chunks = std::int64_t{stages} * own;
  std::vector<graph::Program> programs;
  for (std::uint32_t c = 0; c < own; ++c) {
    shape.chunk = std::int64_t{c} * stages + stage;
    programs.push_back(model::build_gpt(config, shape));
    plan::fuse_products(programs.back(), fused_products(config));
    if (config.model.fp8 == Fp8Format::hybrid) {
      plan::quantise_products(programs.back(),
                              {.keep_weights = !divides_parameters(config, shape.axes)});
      plan::gather_codes(programs.back());
    }
    if (config.model.fp8 == Fp8Format::e4m3) {
      const bool rowwise = config.model.fp8_recipe == Fp8Recipe::rowwise;
      plan::float8_products(programs.back(), {.recipe = rowwise ? plan::Float8Recipe::rowwise
                                                                : plan::Float8Recipe::tensorwise,
                                              .keep_parameters = config.model.fp8_param_gather});
    }
    if (shape.mode == model::Mode::train) {
      plan::recompute(programs.back(), recompute_policy(config.recompute));
      plan::hoist_transfers(programs.back());
    }
    plan::float8_transfers(programs.back(),
                           {.one_scale = config.model.moe.fp8_communication_recipe ==
                                         Fp8CommunicationRecipe::tensorwise});
    if (config.overlap.layer_order && !cuts_products(config)) plan::order_layers(programs.back());
    plan::split_experts(programs.back());
    plan::merge_weight_gradients(programs.back());
    plan::split_tensor(programs.back(),
                       {.ranks = shape.axes[graph::Axis::tensor],
                        .pieces = static_cast<std::uint32_t>(config.overlap.tensor_pieces),
                        .overlap = config.overlap.tensor});
    plan::split_context(programs.back(),
                        {.ranks = shape.axes[graph::Axis::context],
                         .pieces = static_cast<std::uint32_t>(config.overlap.context_pieces),
                         .overlap = config.overlap.tensor});
    if (config.overlap.fused_pairs) plan::fuse_pairs(programs.back());
  }
  return programs;
}

std::vector<const graph::Program*> pointers(const std::vector<graph::Program>& programs) {
  std::vector<const graph::Program*> result;
  result.reserve(programs.size());
  for (const graph::Program& program : programs) result.push_back(&program);
  return result;
}

// With more ranks, the ranks of a stage are verified as one class
// (docs/decisions/0007-classes-and-cells.md).
constexpr std::uint32_t kMostUnfoldedRanks = 16;

plan::Verification verify_ranks(const JobPlan& job, plan::BuiltPlan StagePlan::*built) {
  std::vector<std::shared_ptr<const plan::StepPlan>> plans;
  for (const StagePlan& stage : job.stages) {
    plans.push_back(std::make_shared<const plan::StepPlan>((stage.*built).expansion.plan));
  }
  std::vector<std::shared_ptr<const plan::StepPlan>> plan_of;  // by rank
  for (std::uint32_t rank = 0; rank < job.grid.world_size(); ++rank) {
    const graph::Coordinates place = job.grid.coordinates(rank);
    plan_of.push_back(plans[place[static_cast<std::size_t>(graph::Axis::pipeline)]]);
  }
  if (plan_of.size() > kMostUnfoldedRanks) return plan::verify_folded(plan_of, job.grid);
  std::vector<plan::RankPlan> ranks;
  for (std::uint32_t rank = 0; rank < plan_of.size(); ++rank) {
    ranks.push_back({plan_of[rank], plan::bind(*plan_of[rank], job.grid, rank)});
  }
  return plan::verify(std::move(ranks));
}

}  // namespace

std::uint32_t JobPlan::first_rank_of(std::size_t stage) const {
  graph::Coordinates first{};
  first[static_cast<std::size_t>(graph::Axis::pipeline)] = static_cast<std::uint32_t>(stage);
  return grid.rank(first);
}

plan::VerifiedPlan JobPlan::plan_of(std::uint32_t rank,
                                    const plan::Verification& verification) const {
  if (verification.plans.size() == grid.world_size()) return verification.plans[rank];
  const auto stage = grid.coordinates(rank)[static_cast<std::size_t>(graph::Axis::pipeline)];
  const plan::VerifiedPlan& of_class = verification.plans[stage];
  return of_class.bound_to(plan::bind(of_class.plan(), grid, rank));
}

std::uint64_t JobPlan::arena_nbytes() const {
  std::uint64_t largest = 0;
  for (const StagePlan& stage : stages) largest = std::max(largest, stage.arena_nbytes);
  return largest;
}

plan::StepFlops JobPlan::flops() const {
  plan::StepFlops sum;
  const double per_stage =
      static_cast<double>(grid.world_size()) / static_cast<double>(stages.size());
  for (const StagePlan& stage : stages)
    sum.add(plan::count_flops(stage.train.expansion.plan), per_stage);
  return sum;
}

namespace {

// Returns the elements of all parameters for which `is_counted` is true.
template <class Predicate>
std::int64_t count_parameters(const JobPlan& job, const Predicate& is_counted) {
  std::map<std::string, std::int64_t> numel;
  for (const StagePlan& stage : job.stages) {
    for (const plan::ParameterPlace& place : stage.state.parameters) {
      if (!is_counted(place.parameter)) continue;
      std::int64_t count = 1;
      for (const std::int64_t extent : plan::global_shape(place)) count *= extent;
      numel[place.parameter.name] = count;
    }
  }
  std::int64_t sum = 0;
  for (const auto& [name, count] : numel) sum += count;
  return sum;
}

}  // namespace

std::int64_t JobPlan::parameter_count() const {
  return count_parameters(*this, [](const graph::Parameter&) { return true; });
}

std::int64_t JobPlan::active_parameter_count(const MoeConfig& moe) const {
  if (moe.num_experts == 0) return parameter_count();
  const std::int64_t of_experts =
      count_parameters(*this, [](const graph::Parameter& p) { return p.is_of_experts(); });
  return parameter_count() - of_experts / moe.num_experts * (moe.num_experts - moe.router_topk);
}

JobPlan plan_job(const Config& config, std::uint32_t local_ranks, std::size_t cores,
                 std::uint32_t staged_micro_batches) {
  require_plan_size(config);
  require_op_names(config);
  JobPlan job;
  job.grid = parallel::RankGrid(axis_sizes(config));
  const graph::AxisSizes& axes = job.grid.sizes();
  const std::uint32_t sharing = local_ranks == 0 ? job.grid.world_size() : local_ranks;
  job.kernels = kernel_choice(config, threads_per_rank(config, sharing, cores));
  const plan::ScratchSizer scratch = scratch_sizer(job.kernels);
  const auto micro_batches = static_cast<std::uint32_t>(num_micro_batches(config));
  const std::uint32_t stages = axes[graph::Axis::pipeline];
  job.schedule = parallel::schedule_by_name(
      config.parallel.pipeline_schedule, stages,
      static_cast<std::uint32_t>(config.parallel.virtual_pipeline_size), micro_batches);
  const auto events = parallel::events(job.schedule, exchanges_of(config, job.schedule));
  model::ModelShape shape{.micro_batch_size = config.train.micro_batch_size,
                          .packed_documents = config.data.packed_documents,
                          .axes = axes,
                          .layers = layers_of_chunks(config)};
  job.stages.resize(stages);
  for (std::uint32_t s = 0; s < stages; ++s) {
    shape.mode = model::Mode::train;
    job.stages[s].train_chunks = stage_chunks(config, shape, s);
    shape.mode = model::Mode::evaluate;
    job.stages[s].evaluate_chunks = stage_chunks(config, shape, s);
  }
  std::vector<const graph::Program*> in_order;  // all chunks, in the order of the layers
  for (std::size_t c = 0; c < job.schedule.chunks; ++c) {
    for (const StagePlan& stage : job.stages) in_order.push_back(&stage.train_chunks[c]);
  }
  const plan::ParameterNumbers numbers = plan::number_parameters(in_order);
  for (std::uint32_t s = 0; s < stages; ++s) {
    StagePlan& stage = job.stages[s];
    const auto train = pointers(stage.train_chunks);
    stage.state = plan::place_model_state(
        train, numbers,
        {.buckets =
             static_cast<std::uint32_t>(data_parallel_buckets(config, config.parallel.zero_stage)),
         .staging_nbytes =
             plan::batch_layout(train, std::max(micro_batches, staged_micro_batches)).nbytes(),
         .axes = axes,
         .shard_optimizer = config.parallel.zero_stage > 0,
         .shard_parameters = config.parallel.zero_stage == 3,
         .splits_weight_gradients = job.schedule.splits_weight_gradients});
    plan::StageSpec spec{
        .chunks = train,
        .state = &stage.state,
        .axes = axes,
        .stage = s,
        .micro_batches = micro_batches,
        .events = events[s],
        .splits_weight_gradients = job.schedule.splits_weight_gradients,
        .zero_stage = static_cast<std::uint32_t>(config.parallel.zero_stage),
        .bfloat16_gradients = config.parallel.reduce_scatter_with_fp32_accumulation,
        .hierarchical_pieces =
            static_cast<std::uint32_t>(config.parallel.hierarchical_reduction_pieces),
        .records = static_cast<std::uint64_t>(step_records(config)),
        .prefetch = config.data.prefetch,
        .overlap = {config.overlap.tensor, config.overlap.pipeline, config.overlap.data}};
    stage.train = plan::build_train_plan(
        spec, optimizer::define(config.optimizer, config.model.moe), scratch);
    spec.chunks = pointers(stage.evaluate_chunks);
    if (has_preferences(config))
      spec.loss_numbers = static_cast<std::uint64_t>(config.train.micro_batch_size);
    stage.evaluate = plan::build_evaluate_plan(spec, scratch);
    stage.arena_nbytes = std::max(stage.train.memory.total, stage.evaluate.memory.total);
  }
  job.train_verification = verify_ranks(job, &StagePlan::train);
  job.evaluate_verification = verify_ranks(job, &StagePlan::evaluate);
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

void require_proven(const JobPlan& job) {
  const std::string wrong = violations({&job.train_verification, &job.evaluate_verification});
  if (!wrong.empty())
    throw Error(ErrorCode::failed, "the plan is wrong, nothing was started:\n" + wrong);
}

}  // namespace megascale::job
