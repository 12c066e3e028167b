#include "megascale/plan/coordinates.h"

#include <set>

namespace megascale::plan {
namespace {

constexpr std::size_t kMostPlaces = 16;

bool contains_all(graph::AxisSet set, graph::AxisSet axes) { return (set | axes) == set; }

graph::AxisSet axes_of_terms(const StepPlan& plan) {
  graph::AxisSet used;
  for (const PlanOp& op : plan.ops()) {
    for (const Operand& operand : op.operands) {
      if (operand.buffer != kNoBuffer && operand.term.n != 0) used = used | operand.term.axes;
    }
  }
  return used;
}

}  // namespace

Coordinates PlaceCover::of(const Coordinates& coordinates) const noexcept {
  Coordinates place{};
  for (std::size_t axis = 0; axis < graph::kAxisCount; ++axis) {
    if (enumerated.contains(static_cast<graph::Axis>(axis))) place[axis] = coordinates[axis];
  }
  return place;
}

bool PlaceCover::varies(const Operand& operand) const noexcept {
  return operand.term.n != 0 && contains_all(enumerated, operand.term.axes);
}

ByteRange PlaceCover::range(const StepPlan& plan, const Task& task, const Operand& operand,
                            const Coordinates& place) const noexcept {
  if (operand.term.n == 0 || varies(operand)) return plan.range(task, operand, place);
  Operand constant = operand;
  constant.term.n = 0;
  const ByteRange first = plan.range(task, constant, place);
  return {first.begin, first.end + (operand.term.n - 1) * operand.term.stride};
}

PlaceCover cover_places(const StepPlan& plan, std::span<const Coordinates> ranks) {
  const graph::AxisSet used = axes_of_terms(plan);
  PlaceCover cover{.places = {Coordinates{}}, .enumerated = {}};
  for (std::size_t axis = 0; axis < graph::kAxisCount; ++axis) {
    if (!used.contains(static_cast<graph::Axis>(axis))) continue;
    PlaceCover finer = cover;
    finer.enumerated.insert(static_cast<graph::Axis>(axis));
    std::set<Coordinates> places;
    for (const Coordinates& rank : ranks) {
      places.insert(finer.of(rank));
      if (places.size() > kMostPlaces) break;
    }
    if (places.size() > kMostPlaces) continue;
    finer.places.assign(places.begin(), places.end());
    cover = std::move(finer);
  }
  return cover;
}

PlaceCover cover_places(const StepPlan& plan) {
  const graph::AxisSet used = axes_of_terms(plan);
  std::vector<Coordinates> ranks{Coordinates{}};
  for (std::size_t axis = 0; axis < graph::kAxisCount; ++axis) {
    if (!used.contains(static_cast<graph::Axis>(axis))) continue;
    const std::size_t before = ranks.size();
    for (std::uint32_t value = 1; value < plan.axes().sizes[axis]; ++value) {
      for (std::size_t i = 0; i < before; ++i) {
        ranks.push_back(ranks[i]);
        ranks.back()[axis] = value;
      }
    }
  }
  return cover_places(plan, ranks);
}

}  // namespace megascale::plan
