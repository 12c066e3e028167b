// Builds the end of a training step: the norm of the gradients over all ranks, the decision to skip
// the update, and the optimizer (AdamW or LAMB). A norm must have the same bits in every layout of
// ranks. So each rank sums the squares of blocks of 4,096 elements, which no layout divides. The
// sums are then added in one fixed order: the blocks of a parameter in their order, then over the
// ranks that hold parts of it, in rank order, then the parameters in the order of the model.
#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/base/step_numbers.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/plan/stage_builder.h"

namespace megascale::plan {
namespace {

namespace attribute = graph::attribute;
using graph::Access;
using graph::Axis;

// Returns the bytes of the block sums of `numel` elements: one float64 per kFlatAlignment elements.
std::uint64_t block_nbytes(std::uint64_t numel) { return numel / kFlatAlignment * sizeof(double); }

graph::Attributes shard_attributes(const FlatBucket& bucket, graph::Attributes attributes) {
  attributes.set(attribute::shard_axes, std::int64_t{bucket.summed_over.bits()});
  attributes.set(attribute::shards, std::int64_t{bucket.shards});
  return attributes;
}

graph::Attributes adam_attributes(const OptimizerPlan& optimizer) {
  return {{attribute::beta1, optimizer.beta1},
          {attribute::beta2, optimizer.beta2},
          {attribute::epsilon, optimizer.epsilon},
          {attribute::weight_decay, optimizer.weight_decay}};
}

// The axes over which parameters may be divided. The sums of their parts are added over these axes.
constexpr graph::AxisSet kDenseCut{Axis::tensor};
constexpr graph::AxisSet kExpertCut{Axis::expert_tensor, Axis::expert};
graph::AxisSet cut_axes(const graph::Parameter& parameter) {
  const graph::AxisSet axes = parameter.is_of_experts() ? kExpertCut : kDenseCut;
  MEGASCALE_CHECK(axes.contains(parameter.sharded_over()), parameter.name);
  return axes;
}

}  // namespace

// Adds up the gradients of parameters that the model uses twice (a tied head). The gradients of
// each use were reduced separately before. If the uses are on two stages, an all_reduce adds them.
void StageBuilder::sum_tied_gradients() {
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    const FlatBucket& bucket = state_->buckets[b];
    if (bucket.second_use_gradients != kNoBuffer) {
      step_task(
          graph::add_main_gradient_op(), fmt::format("optimizer/sum_uses/bucket{}", b),
          {{graph::add_main_gradient::sum, shard(bucket, bucket.gradients, Access::accumulate)},
           {graph::add_main_gradient::addend,
            shard(bucket, bucket.second_use_gradients, Access::read)}});
    }
    if (!bucket.tied) continue;
    // A group of two: the first stage and the last one, which comes "before" it in a ring.
    const CommunicatorId pair =
        template_.edge("tied", stage_->stage == 0 ? -1 : 1, graph::Lane::step);
    PlanOp& op = step_task(
        graph::all_reduce_op(), fmt::format("optimizer/tied/bucket{}", b),
        {{graph::in_place_collective::buffer, shard(bucket, bucket.gradients, Access::accumulate)}},
        {{attribute::dtype, static_cast<std::int64_t>(DType::float32)}});
    op.lane = graph::Lane::step;
    op.communicator = pair;
  }
}

StageBuilder::Blocks StageBuilder::block_region(const std::string& name) {
  Blocks blocks;
  std::uint64_t numel = 0;
  for (const FlatBucket& bucket : state_->buckets) {
    blocks.begin.push_back(numel / kFlatAlignment);
    numel += bucket.numel;
  }
  blocks.buffer = region(name, Category::results, block_nbytes(numel));
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    blocks.buckets.push_back(template_.add(Buffer{
        .name = fmt::format("{}/bucket{}", name, b),
        .category = Category::results,
        .nbytes = block_nbytes(state_->buckets[b].numel),
        .offset = template_.buffers[index(blocks.buffer)].offset + blocks.begin[b] * sizeof(double),
        .view_of = blocks.buffer}));
  }
  return blocks;
}

void StageBuilder::gather_blocks(const Blocks& blocks, const std::string& path) {
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    const FlatBucket& bucket = state_->buckets[b];
    if (bucket.shards == 1) continue;
    transfer(graph::all_gather_op(), fmt::format("{}/gather/bucket{}", path, b), bucket.summed_over,
             graph::Lane::step,
             {{graph::collective::send, shard(bucket, blocks.buckets[b], Access::read)},
              {graph::collective::receive, whole(blocks.buckets[b], Access::write)}},
             DType::float64);
  }
}

void StageBuilder::add_parameter_norms(const Blocks& blocks, BufferId sums, const std::string& path,
                                       Beside beside) {
  gather_blocks(blocks, path);
  const bool add_over_stages = beside == Beside::stop_request;
  // Absent unless the stop request travels with these sums.
  Operand numbers, stop;
  if (beside == Beside::stop_request) {
    numbers = whole(numbers_, Access::read);
    stop = whole(stop_, Access::write);
  }
  PlanOp& op = step_task(graph::parameter_norms_op(), path,
                         {{graph::parameter_norms::blocks, whole(blocks.buffer, Access::read)},
                          {graph::parameter_norms::sums, whole(sums, Access::write)},
                          {graph::parameter_norms::numbers, numbers},
                          {graph::parameter_norms::stop, stop}});
  for (const ParameterPlace& place : state_->parameters) {
    // Both the first and the last stage hold a tied parameter. If the sums are added over the
    // stages, only the first stage contributes.
    if (add_over_stages && place.parameter.tied && stage_->stage != 0) continue;
    op.segments.push_back(
        {.begin = blocks.begin[place.bucket] * kFlatAlignment + place.begin,
         .count = place.count,
         .parameter = place.global,
         .decay = place.parameter.decay,
         .replicated_over = cut_axes(place.parameter).without(place.parameter.sharded_over())});
  }
  // Dense parameters and experts are divided over different groups of ranks, so their sums are
  // added by two transfers.
  const auto add = [&](const std::string& name, graph::AxisSet cut, const Operand& added) {
    if (added.nbytes == 0) return;
    graph::AxisSet axes = existing(stage_->axes, cut);
    if (add_over_stages) axes = axes | existing(stage_->axes, {Axis::pipeline});
    transfer(graph::all_reduce_op(), path + name, axes, graph::Lane::step,
             {{graph::in_place_collective::buffer, added}}, DType::float64);
  };
  const std::uint64_t dense = state_->dense_parameters * sizeof(double);
  const std::uint64_t all = state_->global_parameters * sizeof(double);
  Operand of_dense{.buffer = sums, .nbytes = dense, .access = Access::accumulate};
  if (beside == Beside::stop_request) {
    // The request lies just before the sums.
    of_dense.buffer = step_sums_;
    of_dense.offset =
        template_.buffers[index(stop_)].offset - template_.buffers[index(step_sums_)].offset;
    of_dense.nbytes += template_.buffers[index(stop_)].nbytes;
  }
  add("/sum", kDenseCut, of_dense);
  add("/sum_of_experts", kExpertCut,
      {.buffer = sums, .offset = dense, .nbytes = all - dense, .access = Access::accumulate});
}

std::vector<FlatSegment> StageBuilder::segments_of(std::uint32_t bucket) const {
  std::vector<FlatSegment> segments;
  for (const ParameterPlace& place : state_->parameters) {
    if (place.bucket != bucket) continue;
    segments.push_back({.begin = place.begin,
                        .count = place.count,
                        .parameter = place.global,
                        .decay = place.parameter.decay});
  }
  return segments;
}

void StageBuilder::update(const OptimizerPlan& optimizer) {
  sum_tied_gradients();
  const Blocks blocks = block_region("gradient_blocks");
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    const FlatBucket& bucket = state_->buckets[b];
    step_task(graph::gradient_blocks_op(), fmt::format("optimizer/norm/bucket{}", b),
              {{graph::gradient_blocks::gradients, shard(bucket, bucket.gradients, Access::read)},
               {graph::gradient_blocks::blocks, shard(bucket, blocks.buckets[b], Access::write)}});
  }
  add_parameter_norms(blocks, gradient_sums_, "optimizer/norm/parameters", Beside::stop_request);
  share_losses();
  built_.scalars = region("scalars", Category::results, sizeof(UpdateScalars));
  step_task(graph::gradient_norm_op(), "optimizer/norm",
            {{graph::gradient_norm::sums, whole(gradient_sums_, Access::read)},
             {graph::gradient_norm::losses, whole(built_.losses, Access::read)},
             {graph::gradient_norm::numbers, whole(numbers_, Access::read)},
             {graph::gradient_norm::state, whole(state_->update_state, Access::accumulate)},
             {graph::gradient_norm::scalars, whole(built_.scalars, Access::write)}},
            {{attribute::clip_norm, optimizer.clip_norm},
             {attribute::micro_batches, std::int64_t{stage_->micro_batches}}});
  if (optimizer.kind == OptimizerPlan::Kind::adamw) {
    update_adamw(optimizer);
  } else {
    update_lamb(optimizer);
  }
}

void StageBuilder::update_adamw(const OptimizerPlan& optimizer) {
  using enum graph::adamw::Operand;
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    const FlatBucket& bucket = state_->buckets[b];
    const bool mixed = bucket.masters != bucket.parameters;
    step_task(
        graph::adamw_op(), fmt::format("optimizer/adamw/bucket{}", b),
        {{parameters, mixed ? whole(bucket.masters, Access::accumulate)
                            : shard(bucket, bucket.masters, Access::accumulate)},
         {gradients, shard(bucket, bucket.gradients, Access::read)},
         {first_moment, whole(bucket.first_moment, Access::accumulate)},
         {second_moment, whole(bucket.second_moment, Access::accumulate)},
         {scalars, whole(built_.scalars, Access::read)},
         {model_parameters, mixed ? shard(bucket, bucket.parameters, Access::write) : Operand{}}},
        shard_attributes(bucket, adam_attributes(optimizer)))
        .segments = segments_of(b);
  }
}

void StageBuilder::update_lamb(const OptimizerPlan& optimizer) {
  namespace lamb_direction = graph::lamb_direction;
  namespace lamb_apply = graph::lamb_apply;
  const Blocks weights = block_region("weight_blocks");
  const Blocks directions = block_region("direction_blocks");
  const std::uint64_t sums_nbytes = state_->global_parameters * sizeof(double);
  const BufferId weight_sums = region("weight_sums", Category::results, sums_nbytes);
  const BufferId direction_sums = region("direction_sums", Category::results, sums_nbytes);
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    const FlatBucket& bucket = state_->buckets[b];
    const bool mixed = bucket.masters != bucket.parameters;
    step_task(
        graph::lamb_direction_op(), fmt::format("optimizer/lamb/direction/bucket{}", b),
        {{lamb_direction::parameters, mixed ? whole(bucket.masters, Access::read)
                                            : shard(bucket, bucket.masters, Access::read)},
         {lamb_direction::gradients, shard(bucket, bucket.gradients, Access::accumulate)},
         {lamb_direction::first_moment, whole(bucket.first_moment, Access::accumulate)},
         {lamb_direction::second_moment, whole(bucket.second_moment, Access::accumulate)},
         {lamb_direction::scalars, whole(built_.scalars, Access::read)},
         {lamb_direction::weight_blocks, shard(bucket, weights.buckets[b], Access::write)},
         {lamb_direction::direction_blocks, shard(bucket, directions.buckets[b], Access::write)}},
        shard_attributes(bucket, adam_attributes(optimizer)))
        .segments = segments_of(b);
  }
  // LAMB needs norms by parameter, so they are not added over the stages.
  add_parameter_norms(weights, weight_sums, "optimizer/lamb/weights", Beside::nothing);
  add_parameter_norms(directions, direction_sums, "optimizer/lamb/directions", Beside::nothing);
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    const FlatBucket& bucket = state_->buckets[b];
    const bool mixed = bucket.masters != bucket.parameters;
    step_task(graph::lamb_apply_op(), fmt::format("optimizer/lamb/apply/bucket{}", b),
              {{lamb_apply::parameters, mixed ? whole(bucket.masters, Access::accumulate)
                                              : shard(bucket, bucket.masters, Access::accumulate)},
               {lamb_apply::direction, shard(bucket, bucket.gradients, Access::read)},
               {lamb_apply::scalars, whole(built_.scalars, Access::read)},
               {lamb_apply::weight_sums, whole(weight_sums, Access::read)},
               {lamb_apply::direction_sums, whole(direction_sums, Access::read)},
               {lamb_apply::model_parameters,
                mixed ? shard(bucket, bucket.parameters, Access::write) : Operand{}}},
              shard_attributes(bucket, {}))
        .segments = segments_of(b);
  }
}

}  // namespace megascale::plan
