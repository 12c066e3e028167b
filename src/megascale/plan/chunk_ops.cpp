#include "megascale/plan/chunk_ops.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "megascale/base/error.h"

namespace megascale::plan {
namespace {

using Places = std::map<graph::TensorId, std::pair<BufferId, std::uint64_t>>;

// An op over a bounded extent reads the count as one more operand. All bounded extents of an op are
// bounded by the same.
void append_count(const graph::Op& op, const graph::Program& program, const Places& places,
                  PlanOp& result) {
  for (const graph::TensorId operand : op.operands) {
    if (operand == graph::kNoTensor || result.has_count) continue;
    for (const graph::Dim& dim : program.tensor(operand).shape) {
      if (!dim.bounded()) continue;
      const auto& [buffer, offset] = places.at(dim.count);
      const auto nbytes = static_cast<std::uint64_t>(program.tensor(dim.count).nbytes());
      result.has_count = true;
      result.count_element = dim.element;
      result.operands.push_back(
          {.buffer = buffer, .offset = offset, .nbytes = nbytes, .access = graph::Access::read});
      break;
    }
  }
}

PlanOp plan_op(const graph::Op& op, const graph::Program& program, const Places& places) {
  PlanOp result{.def = op.def,
                .attributes = op.attributes,
                .scope = op.scope,
                .path = op.path,
                .phase = op.phase,
                .lane = op.def->lane};
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
    result.operands.push_back({.buffer = place->second.first,
                               .offset = place->second.second,
                               .nbytes = static_cast<std::uint64_t>(tensor.nbytes()),
                               .access = op.def->operands[i].access});
  }
  append_count(op, program, places, result);
  if (op.def->cost != nullptr) result.cost = op.def->cost(graph::OpView(op, program.tensors));
  if (op.phase == graph::Phase::recompute) result.cost.model_flops = result.cost.megatron_flops = 0;
  return result;
}

}  // namespace

std::uint32_t add_chunk(PlanTemplate& plan_template, const graph::Program& program,
                        const ActivationPlacement& placement,
                        const std::vector<ExternalTensor>& external, std::uint64_t slot_offset,
                        std::uint32_t slots, std::uint64_t transient_offset) {
  Places places;
  for (const ExternalTensor& e : external) places[e.tensor] = {e.buffer, e.offset};
  for (std::uint32_t i = 0; i < program.tensors.size(); ++i) {
    const ActivationPlace& place = placement.places[i];
    if (!place.placed) continue;
    const graph::Tensor& tensor = program.tensors[i];
    Buffer buffer{.name = tensor.name,
                  .category = place.retained ? Category::retained : Category::transients,
                  .nbytes = static_cast<std::uint64_t>(tensor.nbytes()),
                  .offset = (place.retained ? slot_offset : transient_offset) + place.offset};
    if (place.retained) {
      buffer.slot_use = SlotUse::retained;
      buffer.slot_count = slots;
      buffer.slot_stride = placement.slot_nbytes;
    }
    places[graph::TensorId{i}] = {plan_template.add(std::move(buffer)), 0};
  }
  const auto first_segment = static_cast<std::uint32_t>(plan_template.segments.size());
  const auto ops = timeline(program);
  for (const SegmentRange& range : placement.segments) {
    plan_template.segments.push_back(
        {static_cast<std::uint32_t>(plan_template.ops.size()), range.end - range.begin});
    for (std::uint32_t i = range.begin; i < range.end; ++i)
      plan_template.add(plan_op(*ops[i], program, places));
  }
  return first_segment;
}

void add_scratch(PlanTemplate& plan_template, const ScratchSizer& scratch) {
  std::array<std::uint64_t, graph::kLaneCount> largest{};
  for (PlanOp& op : plan_template.ops) {
    const std::uint64_t nbytes = op.def->collective ? 0 : scratch(op);
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
