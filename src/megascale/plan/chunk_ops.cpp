// Translates ops of the graph into ops of a plan. Each tensor id is looked up in a table of places:
// a buffer, an offset and, for a tensor that is a part of another, an axis term. The counts of
// run-time extents become additional operands, so that every byte that a task reads is visible to
// the verifier.
#include "megascale/plan/chunk_ops.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "megascale/base/error.h"

namespace megascale::plan {
namespace {

struct BufferPlace {
  BufferId buffer{};
  std::uint64_t offset = 0;
  AxisTerm term;
};
using Places = std::map<graph::TensorId, BufferPlace>;

Operand operand_of(const graph::Tensor& tensor, const BufferPlace& place, graph::Access access) {
  return {.buffer = place.buffer,
          .offset = place.offset,
          .nbytes = static_cast<std::uint64_t>(tensor.nbytes()),
          .access = access,
          .term = place.term};
}

// Notes for every run-time extent of the op which operand holds its counts. A count tensor that the
// op's kind does not name becomes an additional operand behind the others.
void add_extents(const graph::Op& op, const graph::Program& program, const Places& places,
                 PlanOp& result) {
  std::map<graph::TensorId, std::uint16_t> operand_of_count;
  for (std::size_t i = 0; i < op.operands.size(); ++i)
    operand_of_count.try_emplace(op.operands[i], static_cast<std::uint16_t>(i));
  for (const graph::TensorId count : graph::counts_of(op, program.tensors)) {
    const auto next = static_cast<std::uint16_t>(result.operands.size());
    if (!operand_of_count.try_emplace(count, next).second) continue;
    result.operands.push_back(
        operand_of(program.tensor(count), places.at(count), graph::Access::read));
  }
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    if (op.operands[i] == graph::kNoTensor) continue;
    const graph::Shape& shape = program.tensor(op.operands[i]).shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (!shape[axis].bounded()) continue;
      result.extents.push_back({.operand = static_cast<std::uint16_t>(i),
                                .axis = static_cast<std::uint16_t>(axis),
                                .count_operand = operand_of_count.at(shape[axis].count),
                                .first = shape[axis].first,
                                .terms = shape[axis].terms});
    }
  }
}

// Returns the communicator of a transfer in a chunk program: an edge, or the group over its axes.
CommunicatorId communicator_of(PlanTemplate& plan_template, const graph::Op& op, graph::Lane lane) {
  switch (lane) {
    case graph::Lane::forward_send:
      return plan_template.edge("forward", 1, lane);
    case graph::Lane::forward_receive:
      return plan_template.edge("forward", -1, lane);
    case graph::Lane::backward_send:
      return plan_template.edge("backward", -1, lane);
    case graph::Lane::backward_receive:
      return plan_template.edge("backward", 1, lane);
    default:
      return plan_template.group(graph::AxisSet::from_bits(static_cast<std::uint8_t>(
                                     op.attributes.integer(graph::attribute::axes))),
                                 lane);
  }
}

PlanOp plan_op(PlanTemplate& plan_template, const graph::Op& op, const graph::Program& program,
               const Places& places, std::uint16_t chunk) {
  PlanOp result{.def = op.def,
                .attributes = op.attributes,
                .scope = op.scope,
                .path = op.path,
                .phase = op.phase,
                .chunk = chunk,
                .lane = graph::lane_of(op),
                .pair = op.pair};
  if (op.def->transfer) {
    result.communicator = communicator_of(plan_template, op, result.lane);
  }
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    if (op.operands[i] == graph::kNoTensor) {
      result.tensors.emplace_back();
      result.operands.emplace_back();
      continue;
    }
    const graph::Tensor& tensor = program.tensor(op.operands[i]);
    const auto place = places.find(op.operands[i]);
    MEGASCALE_CHECK(place != places.end(), tensor.name);
    result.tensors.emplace_back(tensor);
    result.operands.push_back(operand_of(tensor, place->second, op.def->operands[i].access));
  }
  add_extents(op, program, places, result);
  if (op.def->cost != nullptr) result.cost = op.def->cost(graph::OpView(op, program.tensors));
  if (op.phase == graph::Phase::recompute) result.cost.model_flops = result.cost.megatron_flops = 0;
  return result;
}

}  // namespace

std::uint32_t add_chunk(PlanTemplate& plan_template, const graph::Program& program,
                        const ActivationPlacement& placement,
                        const std::vector<ExternalTensor>& external, const ActivationMemory& memory,
                        std::uint16_t chunk) {
  Places places;
  for (const ExternalTensor& e : external) places[e.tensor] = {e.buffer, e.offset, e.term};
  for (std::uint32_t i = 0; i < program.tensors.size(); ++i) {
    const ActivationPlace& place = placement.places[i];
    if (!place.placed) continue;
    const graph::Tensor& tensor = program.tensors[i];
    Buffer buffer{.name = tensor.name,
                  .category = Category::transients,
                  .nbytes = static_cast<std::uint64_t>(tensor.nbytes()),
                  .offset = memory.transient_offset + place.offset};
    if (place.slot != SlotUse::none) {
      const auto& slots = memory.slots[static_cast<std::size_t>(place.slot)];
      buffer.category = Category::retained;
      buffer.offset = slots.offset + place.offset;
      buffer.slot_use = place.slot;
      buffer.slot_count = slots.count;
      buffer.slot_stride = slots.nbytes;
    }
    places[graph::TensorId{i}] = {plan_template.add(std::move(buffer)), 0, {}};
  }
  for (std::uint32_t i = 0; i < program.tensors.size(); ++i) {
    const graph::Tensor& tensor = program.tensors[i];
    if (tensor.part.n == 0) continue;
    const auto whole_nbytes =
        static_cast<std::uint64_t>(program.tensor(tensor.part.whole).nbytes());
    const auto row_nbytes = static_cast<std::uint64_t>(tensor.nbytes() / tensor.shape[0].size);
    BufferPlace place = places.at(tensor.part.whole);
    place.offset += static_cast<std::uint64_t>(tensor.part.begin) * row_nbytes;
    if (tensor.part.n > 1) {
      place.term = {.axes = tensor.part.axes,
                    .k = tensor.part.k,
                    .n = tensor.part.n,
                    .stride = whole_nbytes / tensor.part.n};
    }
    places[graph::TensorId{i}] = place;
  }
  const auto first_segment = static_cast<std::uint32_t>(plan_template.segments.size());
  for (const SegmentRange& range : placement.segments) {
    plan_template.segments.push_back(
        {static_cast<std::uint32_t>(plan_template.ops.size()), range.end - range.begin});
    for (std::uint32_t i = range.begin; i < range.end; ++i)
      plan_template.add(plan_op(plan_template, *placement.ops[i], program, places, chunk));
  }
  return first_segment;
}

void add_scratch(PlanTemplate& plan_template, const ScratchSizer& scratch) {
  std::array<std::uint64_t, graph::kLaneCount> largest{};
  for (PlanOp& op : plan_template.ops) {
    const std::uint64_t nbytes = op.def->transfer ? 0 : scratch(op);
    if (nbytes == 0) continue;
    op.has_scratch = true;
    op.operands.push_back({.nbytes = nbytes, .access = graph::Access::write});
    auto& lane = largest[static_cast<std::size_t>(op.lane)];
    lane = std::max(lane, nbytes);
  }
  std::array<BufferId, graph::kLaneCount> buffers{};
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    if (largest[lane] == 0) continue;
    buffers[lane] = plan_template.add(
        Buffer{.name = fmt::format("scratch/{}", to_string(static_cast<graph::Lane>(lane))),
               .category = Category::scratch,
               .nbytes = largest[lane],
               .offset = plan_template.arena_nbytes});
    plan_template.arena_nbytes += align_buffer(largest[lane]);
  }
  for (PlanOp& op : plan_template.ops) {
    if (op.has_scratch) op.operands.back().buffer = buffers[static_cast<std::size_t>(op.lane)];
  }
}

}  // namespace megascale::plan
