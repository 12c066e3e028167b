#include "megascale/plan/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "megascale/base/error.h"
#include "megascale/base/step_numbers.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::plan {
namespace {

using graph::Access;

// Bytes of the block norms of a range of elements: one float64 per kFlatAlignment.
std::uint64_t block_nbytes(std::uint64_t numel) { return numel / kFlatAlignment * sizeof(double); }

class PlanBuilder {
 public:
  PlanBuilder(const graph::Program& program, const ModelState& state, std::uint32_t micro_batches)
      : program_(&program), state_(&state) {
    // Programs of one model (train, evaluate, decode) number their tensors differently but have the
    // same parameters.
    MEGASCALE_CHECK(program.parameters.size() == state.parameters.size(),
                    "the program is of another model");
    built_.batch = batch_layout(program, micro_batches);
    template_.buffers = state.buffers;
    template_.arena_nbytes = state.nbytes;
    batch_ = region("batch", Category::batches, built_.batch.nbytes());
    numbers_ = template_.add(Buffer{.name = "numbers",
                                    .category = Category::batches,
                                    .nbytes = sizeof(StepNumbers),
                                    .offset = template_.buffers[index(batch_)].offset,
                                    .view_of = batch_});
    built_.losses = region("losses", Category::results, micro_batches * kLossNbytes);
    loss_slots_ = template_.add(Buffer{.name = "loss",
                                       .category = Category::results,
                                       .nbytes = kLossNbytes,
                                       .offset = template_.buffers[index(built_.losses)].offset,
                                       .slot_use = SlotUse::micro_batch,
                                       .slot_count = micro_batches,
                                       .slot_stride = kLossNbytes,
                                       .view_of = built_.losses});
  }

  // A buffer of this plan's own at the end of the arena.
  BufferId region(std::string name, Category category, std::uint64_t nbytes) {
    const BufferId id = template_.add(Buffer{.name = std::move(name),
                                             .category = category,
                                             .nbytes = nbytes,
                                             .offset = template_.arena_nbytes});
    template_.arena_nbytes += align_buffer(nbytes);
    return id;
  }

  void load_in_step(BufferId staging) {
    built_.staging = staging;
    step_task(graph::load_batch_op(), "data/load", {whole(staging, Access::write)});
    step_task(graph::host_copy_op(), "data/copy",
              {whole(staging, Access::read), whole(batch_, Access::write)});
  }

  void copy_in_step(BufferId staging) {
    built_.staging = staging;
    step_task(graph::host_copy_op(), "data/copy",
              {whole(staging, Access::read), whole(batch_, Access::write)});
  }

  void load_carried(BufferId staging) {
    built_.staging = staging;
    step_task(graph::host_copy_op(), "data/copy",
              {whole(staging, Access::read), whole(batch_, Access::write)});
    step_task(graph::load_batch_op(), "data/load", {whole(staging, Access::write)}, {}, true);
  }

  void micro_batches() {
    const auto bucket_of = [&](const graph::Op& op) { return bucket_of_scope(op.scope); };
    const ActivationPlacement placement = place_activations(*program_, bucket_of);
    const std::uint64_t slot_offset = template_.arena_nbytes;
    template_.arena_nbytes += placement.slot_nbytes;
    const std::uint64_t transient_offset = template_.arena_nbytes;
    template_.arena_nbytes += placement.transient_nbytes;
    built_.memory.activation_peak_live = placement.peak_live_nbytes;
    built_.memory.activations_planned = placement.slot_nbytes + placement.transient_nbytes;
    by_category(Category::retained) = placement.slot_nbytes;
    by_category(Category::transients) = placement.transient_nbytes;
    tabulate_retained(placement);
    const std::uint32_t first =
        add_chunk(template_, *program_, placement, external(), slot_offset, 1, transient_offset);
    for (std::uint32_t m = 0; m < built_.batch.micro_batches; ++m) {
      for (std::uint32_t s = 0; s < placement.segments.size(); ++s) {
        template_.items.emplace_back(Instance{
            .segment = first + s, .micro_batch = static_cast<std::uint16_t>(m), .first = m == 0});
      }
    }
  }

  void update(const OptimizerPlan& optimizer) {
    for (const ExtraGradient& extra : state_->extra_gradients) {
      const ParameterPlace& place = state_->parameters[extra.parameter];
      Operand sum = gradient_of(place);
      sum.access = Access::accumulate;
      Operand addend{.buffer = extra.buffer, .nbytes = sum.nbytes, .access = Access::read};
      step_task(graph::add_main_gradient_op(),
                fmt::format("optimizer/sum_uses/{}", place.parameter.name), {sum, addend});
    }
    const BufferId scalars = region("scalars", Category::results, sizeof(UpdateScalars));
    built_.scalars = scalars;
    std::uint64_t blocks_nbytes = 0;
    for (const FlatBucket& bucket : state_->buckets) blocks_nbytes += block_nbytes(bucket.numel);
    const BufferId blocks = region("gradient_blocks", Category::results, blocks_nbytes);
    std::uint64_t offset = 0;
    std::vector<std::uint64_t> bucket_begin;  // in blocks, of the concatenation
    for (std::size_t b = 0; b < state_->buckets.size(); ++b) {
      const std::uint64_t nbytes = block_nbytes(state_->buckets[b].numel);
      bucket_begin.push_back(offset / sizeof(double));
      step_task(graph::gradient_blocks_op(), fmt::format("optimizer/norm/bucket{}", b),
                {whole(state_->buckets[b].gradients, Access::read),
                 {.buffer = blocks, .offset = offset, .nbytes = nbytes, .access = Access::write}});
      offset += nbytes;
    }
    PlanOp& norm =
        step_task(graph::gradient_norm_op(), "optimizer/norm",
                  {whole(blocks, Access::read), whole(built_.losses, Access::read),
                   whole(numbers_, Access::read), whole(state_->update_state, Access::accumulate),
                   whole(scalars, Access::write)},
                  {{"clip_norm", optimizer.clip_norm}});
    for (std::uint32_t p = 0; p < state_->parameters.size(); ++p) {
      const ParameterPlace& place = state_->parameters[p];
      norm.segments.push_back({bucket_begin[place.bucket] * kFlatAlignment + place.begin,
                               place.count, p, place.parameter.decay});
    }
    for (std::size_t b = 0; b < state_->buckets.size(); ++b) update_bucket(optimizer, b);
  }

  BuiltPlan finish(const ScratchSizer& scratch) {
    add_scratch(template_, scratch);
    for (const Buffer& buffer : template_.buffers) {
      // Activations share bytes: their regions are counted, not their buffers.
      const bool region_of_its_own = buffer.category != Category::retained &&
                                     buffer.category != Category::transients &&
                                     buffer.view_of == kNoBuffer;
      if (region_of_its_own) by_category(buffer.category) += align_buffer(buffer.nbytes);
    }
    built_.memory.total = template_.arena_nbytes;
    built_.expansion = expand(template_, graph::AxisSizes{});
    return std::move(built_);
  }

 private:
  static constexpr std::uint64_t kLossNbytes = 2 * sizeof(double);

  std::uint64_t& by_category(Category category) {
    return built_.memory.by_category[static_cast<std::size_t>(category)];
  }

  Operand whole(BufferId buffer, Access access) const {
    return {.buffer = buffer,
            .offset = 0,
            .nbytes = template_.buffers[index(buffer)].nbytes,
            .access = access};
  }

  // Appends a task of the step itself. The reference holds until the next call.
  PlanOp& step_task(const graph::OpDef& def, const std::string& path, std::vector<Operand> operands,
                    graph::Attributes attributes = {}, bool carried = false) {
    operands.resize(def.operands.size());
    PlanOp op{.def = &def,
              .attributes = std::move(attributes),
              .path = path,
              .phase = graph::Phase::step,
              .lane = def.lane,
              .operands = std::move(operands)};
    op.tensors.resize(def.operands.size());
    const OpIndex id = template_.add(std::move(op));
    template_.items.emplace_back(StepTask{id, carried});
    return template_.ops[index(id)];
  }

  std::uint32_t bucket_of_scope(const std::string& scope) {
    if (buckets_.empty()) {
      for (const graph::Op& op : program_->forward) {
        for (std::size_t p = 0; p < state_->parameters.size(); ++p) {
          const graph::TensorId parameter = program_->parameters[p].tensor;
          if (std::find(op.operands.begin(), op.operands.end(), parameter) != op.operands.end()) {
            buckets_.try_emplace(op.scope, state_->parameters[p].bucket);
          }
        }
      }
    }
    const auto found = buckets_.find(scope);
    return found == buckets_.end() ? ~0U : found->second;
  }

  [[nodiscard]] Operand gradient_of(const ParameterPlace& place) const {
    return {.buffer = state_->buckets[place.bucket].gradients,
            .offset = place.begin * sizeof(float),
            .nbytes = place.count * sizeof(float)};
  }

  std::vector<ExternalTensor> external() {
    std::vector<ExternalTensor> result;
    for (std::size_t p = 0; p < state_->parameters.size(); ++p) {
      const ParameterPlace& place = state_->parameters[p];
      const graph::Parameter& parameter = program_->parameters[p];
      const auto item = itemsize(program_->tensor(parameter.tensor).dtype);
      result.push_back(
          {parameter.tensor, state_->buckets[place.bucket].parameters, place.begin * item});
      if (!parameter.main_gradients.empty()) {
        const Operand gradient = gradient_of(place);
        result.push_back({parameter.main_gradients[0], gradient.buffer, gradient.offset});
      }
    }
    for (const ExtraGradient& extra : state_->extra_gradients)
      result.push_back({extra.tensor, extra.buffer, 0});
    const std::uint64_t batch_offset = template_.buffers[index(batch_)].offset;
    for (const BatchLayout::Field& field : built_.batch.fields) {
      const BufferId buffer =
          template_.add(Buffer{.name = field.name,
                               .category = Category::batches,
                               .nbytes = field.nbytes,
                               .offset = batch_offset + BatchLayout::kHeader + field.offset,
                               .slot_use = SlotUse::micro_batch,
                               .slot_count = built_.batch.micro_batches,
                               .slot_stride = built_.batch.micro_batch_nbytes,
                               .view_of = batch_});
      result.push_back({field.tensor, buffer, 0});
    }
    for (std::uint32_t i = 0; i < program_->tensors.size(); ++i) {
      const graph::Tensor& tensor = program_->tensors[i];
      const auto nbytes = static_cast<std::uint64_t>(tensor.nbytes());
      if (tensor.role == graph::Role::state) {
        result.push_back({graph::TensorId{i}, region(tensor.name, Category::caches, nbytes), 0});
      } else if (tensor.role == graph::Role::result && tensor.name == "logits") {
        built_.logits = region(tensor.name, Category::results, nbytes);
        result.push_back({graph::TensorId{i}, built_.logits, 0});
      } else if (tensor.role == graph::Role::result) {
        result.push_back({graph::TensorId{i}, loss_slots_, 0});
      }
    }
    return result;
  }

  void update_bucket(const OptimizerPlan& optimizer, std::size_t b) {
    const FlatBucket& bucket = state_->buckets[b];
    const graph::Attributes attributes{{"beta1", optimizer.beta1},
                                       {"beta2", optimizer.beta2},
                                       {"epsilon", optimizer.epsilon},
                                       {"weight_decay", optimizer.weight_decay}};
    std::vector<FlatSegment> segments;
    for (std::uint32_t p = 0; p < state_->parameters.size(); ++p) {
      const ParameterPlace& place = state_->parameters[p];
      if (place.bucket == b)
        segments.push_back({place.begin, place.count, p, place.parameter.decay});
    }
    const bool mixed = bucket.masters != bucket.parameters;
    const Operand model = mixed ? whole(bucket.parameters, Access::write) : Operand{};
    if (optimizer.kind == OptimizerPlan::Kind::adamw) {
      step_task(graph::adamw_op(), fmt::format("optimizer/adamw/bucket{}", b),
                {whole(bucket.masters, Access::accumulate), whole(bucket.gradients, Access::read),
                 whole(bucket.first_moment, Access::accumulate),
                 whole(bucket.second_moment, Access::accumulate),
                 whole(built_.scalars, Access::read), model},
                attributes)
          .segments = segments;
      return;
    }
    const BufferId weights = region(fmt::format("weight_blocks/bucket{}", b), Category::results,
                                    block_nbytes(bucket.numel));
    const BufferId directions = region(fmt::format("direction_blocks/bucket{}", b),
                                       Category::results, block_nbytes(bucket.numel));
    step_task(graph::lamb_direction_op(), fmt::format("optimizer/lamb/direction/bucket{}", b),
              {whole(bucket.masters, Access::read), whole(bucket.gradients, Access::accumulate),
               whole(bucket.first_moment, Access::accumulate),
               whole(bucket.second_moment, Access::accumulate), whole(built_.scalars, Access::read),
               whole(weights, Access::write), whole(directions, Access::write)},
              attributes)
        .segments = segments;
    step_task(graph::lamb_apply_op(), fmt::format("optimizer/lamb/apply/bucket{}", b),
              {whole(bucket.masters, Access::accumulate), whole(bucket.gradients, Access::read),
               whole(built_.scalars, Access::read), whole(weights, Access::read),
               whole(directions, Access::read), model},
              attributes)
        .segments = segments;
  }

  void tabulate_retained(const ActivationPlacement& placement) {
    std::map<std::string, std::uint64_t> bytes;
    for (const graph::Op& op : program_->forward) {
      for (std::size_t i = 0; i < op.operands.size(); ++i) {
        if (op.operands[i] == graph::kNoTensor || op.def->operands[i].access == Access::read)
          continue;
        const ActivationPlace& place = placement.places[graph::index(op.operands[i])];
        if (place.placed && place.retained) {
          bytes[fmt::format("{}:{}", op.def->name, op.def->operands[i].name)] +=
              static_cast<std::uint64_t>(program_->tensor(op.operands[i]).nbytes());
        }
      }
    }
    built_.memory.retained_by_op.assign(bytes.begin(), bytes.end());
  }

  const graph::Program* program_;
  const ModelState* state_;
  PlanTemplate template_;
  BuiltPlan built_;
  BufferId batch_{}, numbers_{}, loss_slots_{};
  std::map<std::string, std::uint32_t> buckets_;
};

}  // namespace

BatchLayout batch_layout(const graph::Program& program, std::uint32_t micro_batches) {
  BatchLayout layout;
  layout.micro_batches = micro_batches;
  for (std::uint32_t i = 0; i < program.tensors.size(); ++i) {
    const graph::Tensor& tensor = program.tensors[i];
    if (tensor.role != graph::Role::batch && tensor.role != graph::Role::count) continue;
    const auto nbytes = static_cast<std::uint64_t>(tensor.nbytes());
    layout.fields.push_back({graph::TensorId{i}, tensor.name, layout.micro_batch_nbytes, nbytes});
    layout.micro_batch_nbytes += align_buffer(nbytes);
  }
  return layout;
}

BuiltPlan build_train_plan(const graph::Program& program, const ModelState& state,
                           std::uint32_t micro_batches, const OptimizerPlan& optimizer,
                           const ScratchSizer& scratch) {
  PlanBuilder builder(program, state, micro_batches);
  builder.load_carried(state.staging);
  builder.micro_batches();
  builder.update(optimizer);
  return builder.finish(scratch);
}

BuiltPlan build_evaluate_plan(const graph::Program& program, const ModelState& state,
                              std::uint32_t micro_batches, const ScratchSizer& scratch) {
  PlanBuilder builder(program, state, micro_batches);
  builder.load_in_step(
      builder.region("staging", Category::staging, batch_layout(program, micro_batches).nbytes()));
  builder.micro_batches();
  return builder.finish(scratch);
}

BuiltPlan build_decode_plan(const graph::Program& program, const ModelState& state,
                            const ScratchSizer& scratch) {
  PlanBuilder builder(program, state, 1);
  builder.copy_in_step(
      builder.region("staging", Category::staging, batch_layout(program, 1).nbytes()));
  builder.micro_batches();
  return builder.finish(scratch);
}

}  // namespace megascale::plan
