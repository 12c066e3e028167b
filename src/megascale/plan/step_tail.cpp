// Builds the end of a training step. The folder optimizer/ says which ops run there; this file gives
// them the buffers of a pipeline stage. It also adds the transfers that an optimizer needs: gradients
// of parameters with two uses, sums for norms, and losses. A norm must have the same bits in every
// layout of ranks. So each rank sums the squares of blocks of 4,096 elements, which no layout
// divides. The sums are then added in one fixed order: the blocks of a parameter in their order, then
// over the ranks that hold parts of it, in rank order, then the parameters in the order of the model.
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

// Norms leave out frozen buckets, which have no gradients, and the biases of choices: their main gradients
// are counts, not gradients of a loss.
bool has_norm(const FlatBucket& bucket) { return bucket.rule == graph::UpdateRule::optimizer; }

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
          {{graph::add_main_gradient::sum, reduced(bucket, bucket.gradients, Access::accumulate)},
           {graph::add_main_gradient::addend,
            reduced(bucket, bucket.second_use_gradients, Access::read)}});
    }
    if (!bucket.tied || !bucket.is_trained()) continue;
    // A group of two: the first stage and the last one, which comes "before" it in a ring.
    const CommunicatorId pair =
        template_.edge("tied", stage_->stage == 0 ? -1 : 1, graph::Lane::step);
    PlanOp& op = step_task(graph::all_reduce_op(), fmt::format("optimizer/tied/bucket{}", b),
                           {{graph::in_place_collective::buffer,
                             reduced(bucket, bucket.gradients, Access::accumulate)}},
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
    if (has_norm(bucket)) numel += bucket.numel;
  }
  blocks.buffer = region(name, Category::results, block_nbytes(numel));
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    if (!has_norm(state_->buckets[b])) {
      blocks.buckets.push_back(kNoBuffer);
      continue;
    }
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
    if (bucket.shards == 1 || !has_norm(bucket)) continue;
    transfer(graph::all_gather_op(), fmt::format("{}/gather/bucket{}", path, b), bucket.summed_over,
             graph::Lane::step,
             {{graph::collective::send, shard(bucket, blocks.buckets[b], Access::read)},
              {graph::collective::receive, whole(blocks.buckets[b], Access::write)}},
             DType::float64);
  }
}

void StageBuilder::append_to_update(const optimizer::AddNorms& step) {
  const auto& [blocks, sums] = norms_[static_cast<std::size_t>(step.norm)];
  gather_blocks(blocks, step.path);
  // The stop request travels with the sums of all stages. In other sums these operands are absent.
  Operand numbers, stop;
  if (step.of_all_stages) {
    numbers = whole(numbers_, Access::read);
    stop = whole(stop_, Access::write);
  }
  PlanOp& op = step_task(graph::parameter_norms_op(), step.path,
                         {{graph::parameter_norms::blocks, whole(blocks.buffer, Access::read)},
                          {graph::parameter_norms::sums, whole(sums, Access::write)},
                          {graph::parameter_norms::numbers, numbers},
                          {graph::parameter_norms::stop, stop}});
  for (const ParameterPlace& place : state_->parameters) {
    // Both the first and the last stage hold a tied parameter. If the sums are added over the
    // stages, only the first stage contributes.
    if (step.of_all_stages && place.parameter.tied && stage_->stage != 0) continue;
    if (!has_norm(state_->buckets[place.bucket])) continue;
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
    if (step.of_all_stages) axes = axes | existing(stage_->axes, {Axis::pipeline});
    transfer(graph::all_reduce_op(), step.path + name, axes, graph::Lane::step,
             {{graph::in_place_collective::buffer, added}}, DType::float64);
  };
  const std::uint64_t dense = state_->dense_parameters * sizeof(double);
  const std::uint64_t all = state_->global_parameters * sizeof(double);
  Operand of_dense{.buffer = sums, .nbytes = dense, .access = Access::accumulate};
  if (step.of_all_stages) {
    // The request lies just before the sums.
    of_dense.buffer = step_sums_;
    of_dense.offset =
        template_.buffers[index(stop_)].offset - template_.buffers[index(step_sums_)].offset;
    of_dense.nbytes += template_.buffers[index(stop_)].nbytes;
  }
  add("/sum", kDenseCut, of_dense);
  add("/sum_of_experts", kExpertCut,
      {.buffer = sums, .offset = dense, .nbytes = all - dense, .access = Access::accumulate});
  if (step.of_all_stages) share_losses();
}

std::vector<FlatSegment> StageBuilder::segments_of(std::uint32_t bucket) const {
  std::vector<FlatSegment> segments;
  for (const ParameterPlace& place : state_->parameters) {
    if (place.bucket != bucket) continue;
    segments.push_back({.begin = place.begin,
                        .count = place.count,
                        .parameter = place.global,
                        .decay = place.parameter.decay,
                        .scales = place.scales});
  }
  return segments;
}

graph::Attributes StageBuilder::of_shard(const FlatBucket& bucket, graph::Attributes attributes) {
  attributes.set(attribute::shard_axes, std::int64_t{bucket.summed_over.bits()});
  attributes.set(attribute::shards, std::int64_t{bucket.shards});
  return attributes;
}

void StageBuilder::place_norms(const std::vector<std::string>& names) {
  norms_.push_back({block_region("gradient_blocks"), gradient_sums_});
  built_.scalars = region("scalars", Category::results, sizeof(UpdateScalars));
  for (const std::string& name : names) norms_.push_back({block_region(name + "_blocks"), {}});
  for (std::size_t i = 0; i < names.size(); ++i) {
    norms_[1 + i].sums =
        region(names[i] + "_sums", Category::results, state_->global_parameters * sizeof(double));
  }
}

Operand StageBuilder::operand_of_update(const optimizer::Source& source, Access access,
                                        std::uint32_t bucket) const {
  using enum optimizer::Value;
  const auto of = [&]() -> const FlatBucket& {
    MEGASCALE_CHECK(bucket != kNoBucket, "a value of a bucket, in an op that runs once");
    return state_->buckets[bucket];
  };
  // Masters that are not the parameters themselves exist for this rank's shard only. The next step
  // quantises parameters in 8 bits, since their scales depend on the updated masters of all ranks.
  const auto has_masters = [&] { return of().masters != of().parameters; };
  const auto norm = [&]() -> const Norm& { return norms_[static_cast<std::size_t>(source.norm)]; };
  switch (source.value) {
    case absent:
      break;
    case masters:
      return has_masters() ? whole(of().masters, access) : kept(of(), of().masters, access);
    case model_parameters:
      return has_masters() && of().scales == 0 ? kept(of(), of().parameters, access) : Operand{};
    case gradients:
      return reduced(of(), of().gradients, access);
    case first_moment:
      return whole(of().first_moment, access);
    case second_moment:
      return whole(of().second_moment, access);
    case norm_blocks: {
      const FlatBucket& sharded = of();
      return shard(sharded, norm().blocks.buckets[bucket], access);
    }
    case norm_sums:
      return whole(norm().sums, access);
    case losses:
      return whole(built_.losses, access);
    case numbers:
      return whole(numbers_, access);
    case update_state:
      return whole(state_->update_state, access);
    case scalars:
      return whole(built_.scalars, access);
  }
  return {};
}

std::vector<Operand> StageBuilder::operands_of_update(const optimizer::OpOfStep& op,
                                                      std::uint32_t bucket) const {
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    operands.push_back(operand_of_update(op.operands[i], op.op->operands[i].access, bucket));
  }
  return operands;
}

void StageBuilder::append_to_update(const optimizer::ForEachBucket& step) {
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    const FlatBucket& bucket = state_->buckets[b];
    if (bucket.rule != step.rule) continue;
    graph::Attributes attributes =
        step.by_parameter ? of_shard(bucket, step.attributes) : step.attributes;
    PlanOp& op = append_step_task(*step.op, fmt::format("{}/bucket{}", step.path, b),
                                  operands_of_update(step, b), std::move(attributes), false);
    if (step.by_parameter) op.segments = segments_of(b);
  }
}

void StageBuilder::append_to_update(const optimizer::Once& step) {
  graph::Attributes attributes = step.attributes;
  attributes.set(attribute::micro_batches, std::int64_t{stage_->micro_batches});
  append_step_task(*step.op, step.path, operands_of_update(step, kNoBucket), std::move(attributes),
                   false);
}

void StageBuilder::update(const optimizer::Definition& optimizer) {
  sum_tied_gradients();
  place_norms(optimizer.norms);
  for (const optimizer::Step& step : optimizer.steps) {
    std::visit([this](const auto& one) { append_to_update(one); }, step);
  }
  share_records();
}

}  // namespace megascale::plan
