// Turns the programs and the schedule of a pipeline stage into a plan template. Slots are assigned
// to the events of the schedule, and every activation gets an offset in its slot. Each chunk
// becomes a run of segments; each event appends an instance of its segments. Reductions of main
// gradients follow at the end, but those of divided buckets stand between the segments; the pass
// overlap_data() moves each of the others forward. All buffers of
// the plan are appended to the arena behind the model state, in the order in which they are asked
// for.
#include "megascale/plan/stage_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "megascale/base/error.h"
#include "megascale/base/step_numbers.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/plan/passes/overlap.h"
#include "megascale/plan/passes/pipeline_overlap.h"
#include "megascale/plan/passes/tensor_overlap.h"

namespace megascale::plan {
namespace {

namespace collective = graph::collective;
namespace host_copy = graph::host_copy;
namespace load_batch = graph::load_batch;
using graph::Access;
using graph::Axis;
using parallel::StageEvent;
using parallel::Work;

constexpr std::uint64_t kStopNbytes = sizeof(double);

std::vector<StageEvent> forward_only(const std::vector<StageEvent>& events) {
  std::vector<StageEvent> kept;
  for (const StageEvent& event : events) {
    const bool transfer = event.kind == StageEvent::Kind::send_forward ||
                          event.kind == StageEvent::Kind::receive_forward;
    const bool work = event.kind == StageEvent::Kind::work && event.item.work == Work::forward;
    if (transfer || work) kept.push_back(event);
  }
  return kept;
}

// Returns whether the event runs the segments of this kind.
bool runs(const StageEvent& event, SegmentKind kind, bool training) {
  switch (event.kind) {
    case StageEvent::Kind::send_forward:
      return kind == SegmentKind::send_forward;
    case StageEvent::Kind::receive_forward:
      return kind == SegmentKind::receive_forward;
    case StageEvent::Kind::send_backward:
      return kind == SegmentKind::send_backward;
    case StageEvent::Kind::receive_backward:
      return kind == SegmentKind::receive_backward;
    case StageEvent::Kind::work:
      break;
  }
  switch (event.item.work) {
    case Work::forward:  // without gradients, the loss unit runs with the forward
      return kind == SegmentKind::forward || (!training && kind == SegmentKind::backward);
    case Work::backward:
      return kind == SegmentKind::backward;
    case Work::weight_gradient:
      return kind == SegmentKind::weight_gradient;
  }
  return false;
}

// Returns the bytes of the slots of all uses and of the transients. Chunks share both.
std::uint64_t planned_nbytes(const std::vector<ActivationPlacement>& placements,
                             const SlotAssignment& slots) {
  std::array<std::uint64_t, kTaskSlots> slot_nbytes{};
  std::uint64_t nbytes = 0;
  for (const ActivationPlacement& placement : placements) {
    nbytes = std::max(nbytes, placement.transient_nbytes);
    for (std::size_t use = 0; use < kTaskSlots; ++use)
      slot_nbytes[use] = std::max(slot_nbytes[use], placement.slot_nbytes[use]);
  }
  for (std::size_t use = 0; use < kTaskSlots; ++use) nbytes += slot_nbytes[use] * slots.counts[use];
  return nbytes;
}

}  // namespace

StageBuilder::StageBuilder(const StageSpec& stage, bool training)
    : stage_(&stage),
      state_(stage.state),
      training_(training),
      events_(training ? stage.events : forward_only(stage.events)),
      loss_axes_(existing(stage.axes, {Axis::context, Axis::data})),
      scope_buckets_(stage.chunks.size()) {
  // The programs of one model (train, evaluate, decode) number their tensors differently, but they
  // have the same parameters.
  std::size_t parameters = 0;
  for (const graph::Program* chunk : stage.chunks) parameters += chunk->parameters.size();
  MEGASCALE_CHECK(parameters == state_->parameters.size(), "the program is of another model");
  built_.batch = batch_layout(stage.chunks, stage.micro_batches);
  template_.buffers = state_->buffers;
  template_.arena_nbytes = state_->nbytes;
  batch_ = region("batch", Category::batches, built_.batch.nbytes());
  built_.step_batch = batch_;
  numbers_ = template_.add(Buffer{.name = "numbers",
                                  .category = Category::batches,
                                  .nbytes = sizeof(StepNumbers),
                                  .offset = template_.buffers[index(batch_)].offset,
                                  .view_of = batch_});
  if (training) {
    place_training_sums();
    place_records();
  } else {
    place_losses();
  }
}

// Evaluation: every rank writes its losses where the gather expects them.
void StageBuilder::place_losses() {
  const std::uint64_t own = stage_->micro_batches * loss_nbytes();
  built_.losses = region("losses", Category::results, own * loss_axes_.group_size(stage_->axes));
  add_loss_slots(built_.losses,
                 template_.buffers[index(built_.losses)].nbytes - own + loss_nbytes());
}

// Training: [losses of this rank | stop request | gradients' sums by parameter].
// The request is first added over (tensor, pipeline) with the sums, then gathered over (context,
// data) with the losses. So every rank learns of it without a transfer of its own.
void StageBuilder::place_training_sums() {
  const std::uint64_t own = stage_->micro_batches * loss_nbytes();
  const std::uint64_t sums = state_->global_parameters * sizeof(double);
  step_sums_ = region("step_sums", Category::results, own + kStopNbytes + sums);
  const auto part = [&](const char* name, std::uint64_t begin, std::uint64_t nbytes) {
    return template_.add(Buffer{.name = name,
                                .category = Category::results,
                                .nbytes = nbytes,
                                .offset = template_.buffers[index(step_sums_)].offset + begin,
                                .view_of = step_sums_});
  };
  own_losses_ = part("own_losses", 0, own + kStopNbytes);
  stop_ = part("stop", own, kStopNbytes);
  gradient_sums_ = part("gradient_sums", own + kStopNbytes, sums);
  const std::uint32_t group = loss_axes_.group_size(stage_->axes);
  built_.losses =
      group == 1 ? own_losses_ : region("losses", Category::results, (own + kStopNbytes) * group);
  add_loss_slots(step_sums_, loss_nbytes());
}

void StageBuilder::place_records() {
  std::uint64_t own = 0;
  for (const graph::Program* chunk : stage_->chunks) {
    for (const graph::Tensor& tensor : chunk->tensors) {
      if (tensor.role != graph::Role::record) continue;
      const auto count = static_cast<std::uint64_t>(graph::numel(tensor.shape));
      const auto begin = static_cast<std::uint64_t>(tensor.number);
      MEGASCALE_CHECK(begin + count <= stage_->records, tensor.name);
      record_segments_.push_back({.begin = begin, .count = count});
      own += count;
    }
  }
  if (own > 0) own_records_ = region("own_records", Category::results, own * sizeof(double));
  if (stage_->records > 0)
    built_.records = region("records", Category::results, stage_->records * sizeof(double));
}

// A stage without records adds zeros, since all ranks take part in the sum.
void StageBuilder::share_records() {
  if (built_.records == kNoBuffer) return;
  Operand own;
  if (own_records_ != kNoBuffer) own = whole(own_records_, Access::read);
  step_task(graph::collect_records_op(), "records/collect",
            {{graph::collect_records::own, own},
             {graph::collect_records::sums, whole(built_.records, Access::write)}})
      .segments = record_segments_;
  transfer(graph::all_reduce_op(), "records/sum",
           existing(stage_->axes, {Axis::tensor, Axis::context, Axis::data, Axis::pipeline}),
           graph::Lane::step,
           {{graph::in_place_collective::buffer, whole(built_.records, Access::accumulate)}},
           DType::float64);
}

void StageBuilder::add_loss_slots(BufferId region, std::uint64_t nbytes) {
  loss_slots_ = template_.add(Buffer{.name = "loss",
                                     .category = Category::results,
                                     .nbytes = nbytes,
                                     .offset = template_.buffers[index(region)].offset,
                                     .slot_use = SlotUse::micro_batch,
                                     .slot_count = stage_->micro_batches,
                                     .slot_stride = loss_nbytes(),
                                     .view_of = region});
}

BufferId StageBuilder::region(std::string name, Category category, std::uint64_t nbytes) {
  const BufferId id = template_.add(Buffer{.name = std::move(name),
                                           .category = category,
                                           .nbytes = nbytes,
                                           .offset = template_.arena_nbytes});
  template_.arena_nbytes += align_buffer(nbytes);
  return id;
}

AxisTerm StageBuilder::shard_term(const FlatBucket& bucket, std::uint64_t shard_nbytes) {
  if (bucket.shards == 1) return {};
  return {.axes = bucket.summed_over, .n = bucket.shards, .stride = shard_nbytes};
}

Operand StageBuilder::whole(BufferId buffer, Access access) const {
  return {.buffer = buffer, .nbytes = template_.buffers[index(buffer)].nbytes, .access = access};
}

Operand StageBuilder::staged(BufferId staging, Access access) const {
  return {.buffer = staging, .nbytes = built_.batch.nbytes(), .access = access};
}

Operand StageBuilder::shard(const FlatBucket& bucket, BufferId buffer, Access access) const {
  const std::uint64_t nbytes = template_.buffers[index(buffer)].nbytes / bucket.shards;
  return {.buffer = buffer, .nbytes = nbytes, .access = access, .term = shard_term(bucket, nbytes)};
}

Operand StageBuilder::reduced(const FlatBucket& bucket, BufferId gradients, Access access) const {
  Operand operand = kept(bucket, gradients, access);
  if (!packs_main_gradients(bucket)) return operand;
  // The sum of rounded shards is written to the begin of the buffer, a float32 sum behind the shards
  // that are sent.
  operand.term = {};
  if (!exchanges_bfloat16(bucket)) operand.offset = exchanging(bucket) * operand.nbytes;
  return operand;
}

bool StageBuilder::is_last_stage() const noexcept {
  return stage_->stage + 1 == stage_->axes[Axis::pipeline];
}

PlanOp& StageBuilder::append_step_task(const graph::OpDef& def, const std::string& path,
                                       std::vector<Operand> operands, graph::Attributes attributes,
                                       bool carried) {
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

void StageBuilder::append_transfer(const graph::OpDef& def, const std::string& path,
                                   graph::AxisSet axes, graph::Lane lane,
                                   std::vector<Operand> operands, DType dtype,
                                   graph::Attributes attributes, graph::HostFactor factor) {
  if (axes.empty()) return;
  attributes.set(graph::attribute::dtype, static_cast<std::int64_t>(dtype));
  const CommunicatorId communicator = template_.group(axes, lane, factor);
  PlanOp& op = append_step_task(def, path, std::move(operands), std::move(attributes), false);
  op.lane = lane;
  op.communicator = communicator;
}

void StageBuilder::load_in_step(BufferId staging) {
  step_task(graph::load_batch_op(), "data/load",
            {{load_batch::staging, staged(staging, Access::write)}});
  copy_in_step(staging);
}

void StageBuilder::copy_in_step(BufferId staging) {
  built_.staging = staging;
  step_task(graph::host_copy_op(), "data/copy",
            {{host_copy::staging, staged(staging, Access::read)},
             {host_copy::batch, whole(batch_, Access::write)}});
}

void StageBuilder::load_carried(BufferId staging) {
  copy_in_step(staging);
  step_task(graph::load_batch_op(), "data/load",
            {{load_batch::staging, staged(staging, Access::write)}}, {}, true);
}

// Transients by segment and by kind: neither is always smaller, so both are tried.
void StageBuilder::place_chunks(const SlotAssignment& slots, PlacementRules rules) {
  const auto place_all = [&] {
    std::vector<ActivationPlacement> placements;
    for (std::uint32_t c = 0; c < stage_->chunks.size(); ++c) {
      placements.push_back(place_activations(
          *stage_->chunks[c], [&](const graph::Op& op) { return bucket_of_scope(c, op.scope); },
          rules));
    }
    return placements;
  };
  placements_ = place_all();
  rules.transients_by_kind = true;
  std::vector<ActivationPlacement> by_kind = place_all();
  if (planned_nbytes(by_kind, slots) < planned_nbytes(placements_, slots))
    placements_ = std::move(by_kind);
}

void StageBuilder::run_schedule() {
  const bool splits = training_ && stage_->splits_weight_gradients;
  const bool inputs_as_received = training_ && stage_->chunks.size() > 1;
  const SlotAssignment slots = assign_slots(events_, {.splits_weight_gradients = splits,
                                                      .forward_only = !training_,
                                                      .inputs_as_received = inputs_as_received});
  place_chunks(slots, {.split_weight_gradients = splits, .input_as_received = inputs_as_received});
  ActivationMemory memory;
  for (std::size_t use = 0; use < kTaskSlots; ++use) {
    auto& pool = memory.slots[use];
    pool.count = slots.counts[use];
    for (const ActivationPlacement& placement : placements_) {
      pool.nbytes = std::max(pool.nbytes, placement.slot_nbytes[use]);
    }
    pool.offset = template_.arena_nbytes;
    template_.arena_nbytes += pool.nbytes * pool.count;
    by_category(Category::retained) += pool.nbytes * pool.count;
  }
  memory.transient_offset = template_.arena_nbytes;
  for (const ActivationPlacement& placement : placements_) {
    by_category(Category::transients) =
        std::max(by_category(Category::transients), placement.transient_nbytes);
    built_.memory.activation_peak_live =
        std::max(built_.memory.activation_peak_live, placement.peak_live_nbytes);
  }
  template_.arena_nbytes += by_category(Category::transients);
  built_.memory.activations_planned =
      by_category(Category::retained) + by_category(Category::transients);
  tabulate_retained();
  place_whole_buckets();
  for (std::uint32_t c = 0; c < stage_->chunks.size(); ++c) {
    first_segment_.push_back(add_chunk(template_, *stage_->chunks[c], placements_[c], external(c),
                                       memory, static_cast<std::uint16_t>(c)));
  }
  if (training_) clear_packed();
  for (std::size_t event = 0; event < events_.size(); ++event) add_event(event, slots);
  gather_and_reduce_divided();
  if (training_) reduce_gradients();
}

void StageBuilder::add_event(std::size_t number, const SlotAssignment& slots) {
  const StageEvent& event = events_[number];
  const ActivationPlacement& placement = placements_[event.item.chunk];
  for (std::uint32_t s = 0; s < placement.segments.size(); ++s) {
    if (!runs(event, placement.segments[s].kind, training_)) continue;
    const std::uint32_t segment = first_segment_[event.item.chunk] + s;
    template_.items.emplace_back(Instance{.segment = segment,
                                          .micro_batch = event.item.micro_batch,
                                          .slots = slots.by_event[number],
                                          .first = event.item.micro_batch == 0});
  }
}

void StageBuilder::share_losses() {
  const std::uint64_t all = template_.buffers[index(built_.losses)].nbytes;
  const std::uint32_t group = loss_axes_.group_size(stage_->axes);
  Operand own = whole(training_ ? own_losses_ : built_.losses, Access::read);
  if (!training_ && group > 1) {
    own.nbytes = all / group;
    own.term = {.axes = loss_axes_, .n = group, .stride = own.nbytes};
  }
  if (is_last_stage()) {
    transfer(graph::all_gather_op(), "loss/gather", loss_axes_, graph::Lane::step,
             {{collective::send, own}, {collective::receive, whole(built_.losses, Access::write)}},
             DType::float64);
  }
  const std::uint32_t stages = stage_->axes[Axis::pipeline];
  transfer(graph::broadcast_op(), "loss/broadcast", existing(stage_->axes, {Axis::pipeline}),
           graph::Lane::step,
           {{graph::in_place_collective::buffer, whole(built_.losses, Access::accumulate)}},
           DType::float64, {{graph::attribute::root, std::int64_t{stages} - 1}});
}

BuiltPlan StageBuilder::finish(const ScratchSizer& scratch) {
  add_scratch(template_, scratch);
  make_transfers_serial(template_);
  if (stage_->overlap.tensor) overlap_tensor(template_);
  if (stage_->overlap.pipeline) overlap_pipeline(template_);
  if (stage_->overlap.data) {
    overlap_data(template_, reductions_, static_cast<std::uint16_t>(stage_->micro_batches - 1),
                 /*in_pipeline=*/stage_->axes[Axis::pipeline] > 1);
  }
  for (const Buffer& buffer : template_.buffers) {
    // Activations share bytes, so their regions were counted as a whole and not by buffer.
    const bool region_of_its_own = buffer.category != Category::retained &&
                                   buffer.category != Category::transients &&
                                   buffer.view_of == kNoBuffer;
    if (region_of_its_own) by_category(buffer.category) += align_buffer(buffer.nbytes);
  }
  built_.memory.total = template_.arena_nbytes;
  built_.expansion = expand(template_, stage_->axes);
  return std::move(built_);
}

std::uint32_t StageBuilder::bucket_of_scope(std::uint32_t chunk, const std::string& scope) {
  auto& buckets = scope_buckets_[chunk];
  if (buckets.empty()) {
    const graph::Program& program = *stage_->chunks[chunk];
    std::map<graph::TensorId, std::uint32_t> place_of;  // by parameter: its index in the state
    for (std::uint32_t i = 0; i < state_->parameters.size(); ++i) {
      const ParameterPlace& place = state_->parameters[i];
      if (place.chunk == chunk) place_of[program.parameters[place.in_chunk].tensor] = i;
    }
    // The first op of a scope that reads parameters decides, by the first of them in the state.
    for (const graph::Op& op : program.forward) {
      std::uint32_t first = ~0U;
      for (const graph::TensorId operand : op.operands) {
        if (operand == graph::kNoTensor) continue;
        const auto place = place_of.find(program.owner(operand));
        if (place != place_of.end()) first = std::min(first, place->second);
      }
      if (first != ~0U) buckets.try_emplace(op.scope, state_->parameters[first].bucket);
    }
  }
  const auto found = buckets.find(scope);
  return found == buckets.end() ? ~0U : found->second;
}

std::vector<ExternalTensor> StageBuilder::external_parameters(std::uint32_t chunk) const {
  const graph::Program& program = *stage_->chunks[chunk];
  std::vector<ExternalTensor> result;
  for (const ParameterPlace& place : state_->parameters) {
    if (place.chunk != chunk) continue;
    const FlatBucket& bucket = state_->buckets[place.bucket];
    const graph::Parameter& parameter = program.parameters[place.in_chunk];
    const auto item = itemsize(program.tensor(parameter.tensor).dtype);
    const WholeBuffers& of_bucket = whole_buckets_[place.bucket];
    result.push_back({parameter.tensor,
                      bucket.divided ? of_bucket.parameters : bucket.parameters,
                      place.begin * item,
                      {}});
    if (place.scales > 0) {
      result.push_back(
          {parameter.scales, bucket.scale_values, place.first_scale * sizeof(float), {}});
    }
    const BufferId uses[] = {bucket.divided ? of_bucket.gradients : bucket.gradients,
                             bucket.second_use_gradients};
    for (std::size_t use = 0; use < parameter.main_gradients.size(); ++use) {
      result.push_back({parameter.main_gradients[use], uses[use], place.begin * sizeof(float), {}});
    }
  }
  return result;
}

std::vector<ExternalTensor> StageBuilder::external(std::uint32_t chunk) {
  const graph::Program& program = *stage_->chunks[chunk];
  std::vector<ExternalTensor> result = external_parameters(chunk);
  const std::uint64_t batch_offset = template_.buffers[index(batch_)].offset;
  for (const BatchLayout::Field& field : built_.batch.fields) {
    const auto tensor =
        std::find_if(program.tensors.begin(), program.tensors.end(), [&](const graph::Tensor& t) {
          return t.role == graph::Role::batch && t.name == field.name;
        });
    if (tensor == program.tensors.end()) continue;
    const BufferId buffer =
        template_.add(Buffer{.name = field.name,
                             .category = Category::batches,
                             .nbytes = field.nbytes,
                             .offset = batch_offset + BatchLayout::kHeader + field.offset,
                             .slot_use = SlotUse::micro_batch,
                             .slot_count = built_.batch.micro_batches,
                             .slot_stride = built_.batch.micro_batch_nbytes,
                             .view_of = batch_});
    result.push_back({graph::TensorId{static_cast<std::uint32_t>(tensor - program.tensors.begin())},
                      buffer,
                      0,
                      {}});
  }
  // Where the records of this chunk begin among those of the stage.
  std::uint64_t record_offset = 0;
  for (std::uint32_t before = 0; before < chunk; ++before) {
    for (const graph::Tensor& tensor : stage_->chunks[before]->tensors) {
      if (tensor.role == graph::Role::record)
        record_offset += static_cast<std::uint64_t>(tensor.nbytes());
    }
  }
  for (std::uint32_t i = 0; i < program.tensors.size(); ++i) {
    const graph::Tensor& tensor = program.tensors[i];
    const auto nbytes = static_cast<std::uint64_t>(tensor.nbytes());
    if (tensor.role == graph::Role::record) {
      result.push_back({graph::TensorId{i}, own_records_, record_offset, {}});
      record_offset += nbytes;
    } else if (tensor.role == graph::Role::state) {
      result.push_back({graph::TensorId{i}, region(tensor.name, Category::caches, nbytes), 0, {}});
    } else if (tensor.role == graph::Role::output) {
      built_.logits = region(tensor.name, Category::results, nbytes);
      result.push_back({graph::TensorId{i}, built_.logits, 0, {}});
    } else if (tensor.role == graph::Role::loss) {
      MEGASCALE_CHECK(nbytes == loss_nbytes(), tensor.name);
      const std::uint32_t group = loss_axes_.group_size(stage_->axes);
      AxisTerm term;
      if (group > 1 && !training_) {
        term = {.axes = loss_axes_, .n = group, .stride = stage_->micro_batches * loss_nbytes()};
      }
      result.push_back({graph::TensorId{i}, loss_slots_, 0, term});
    }
  }
  return result;
}

void StageBuilder::tabulate_retained() {
  std::map<std::string, std::uint64_t> bytes;
  for (std::uint32_t c = 0; c < stage_->chunks.size(); ++c) {
    const graph::Program& program = *stage_->chunks[c];
    // An op that works in place takes over the bytes of its input, so the last op that writes bytes
    // of a slot stands for them.
    std::map<std::pair<SlotUse, std::uint64_t>, std::pair<std::string, std::int64_t>> retained;
    for (const graph::Op& op : program.forward) {
      for (std::size_t i = 0; i < op.operands.size(); ++i) {
        if (op.operands[i] == graph::kNoTensor || op.def->operands[i].access == Access::read)
          continue;
        const graph::TensorId tensor = program.owner(op.operands[i]);
        const ActivationPlace& place = placements_[c].places[graph::index(tensor)];
        if (!place.placed || place.slot == SlotUse::none) continue;
        retained[{place.slot, place.offset}] = {
            fmt::format("{}:{}", op.def->name, op.def->operands[i].name),
            program.tensor(tensor).nbytes()};
      }
    }
    for (const auto& [place, kept] : retained)
      bytes[kept.first] += static_cast<std::uint64_t>(kept.second);
  }
  built_.memory.retained_by_op.assign(bytes.begin(), bytes.end());
}

}  // namespace megascale::plan
