#include "megascale/plan/coordinates.h"

namespace megascale::plan {
namespace {

constexpr std::size_t kMostPlaces = 16;

bool contains_all(graph::AxisSet set, graph::AxisSet axes) { return (set | axes) == set; }

}  // namespace

ByteRange PlaceCover::range(const StepPlan& plan, const Task& task, const Operand& operand,
                            const Coordinates& place) const noexcept {
  if (operand.term.n == 0 || contains_all(enumerated, operand.term.axes)) {
    return plan.range(task, operand, place);
  }
  Operand constant = operand;
  constant.term.n = 0;
  const ByteRange first = plan.range(task, constant, place);
  return {first.begin, first.end + (operand.term.n - 1) * operand.term.stride};
}

PlaceCover cover_places(const StepPlan& plan) {
  graph::AxisSet used;
  for (const PlanOp& op : plan.ops()) {
    for (const Operand& operand : op.operands) {
      if (operand.term.n != 0) used = used | operand.term.axes;
    }
  }
  PlaceCover cover{.places = {Coordinates{}}, .enumerated = {}};
  for (std::size_t axis = 0; axis < graph::kAxisCount; ++axis) {
    const std::uint32_t size = plan.axes().sizes[axis];
    if (!used.contains(static_cast<graph::Axis>(axis)) || cover.places.size() * size > kMostPlaces)
      continue;
    cover.enumerated.insert(static_cast<graph::Axis>(axis));
    std::vector<Coordinates> extended;
    for (const Coordinates& place : cover.places) {
      for (std::uint32_t value = 0; value < size; ++value) {
        extended.push_back(place);
        extended.back()[axis] = value;
      }
    }
    cover.places = std::move(extended);
  }
  return cover;
}

}  // namespace megascale::plan
