// Chooses the axes that are told apart. They are tried in turn; an axis is enumerated if the places
// of the given ranks, told apart on it too, are still at most kMostPlaces.
#include "megascale/plan/coordinates.h"

#include <set>

#include "megascale/parallel/rank_grid.h"

namespace megascale::plan {
namespace {

// Bounds the cost of a conflict search, which grows with the number of places.
constexpr std::size_t kMostPlaces = 16;

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
  return operand.term.n != 0 && enumerated.contains(operand.term.axes);
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
  // The places of all ranks, not all combinations of coordinates: the dense and the expert axes are
  // two factorisations of the same ranks, so their coordinates depend on each other.
  const parallel::RankGrid grid(plan.axes());
  const bool stages_differ = axes_of_terms(plan).contains(graph::Axis::pipeline);
  std::vector<Coordinates> ranks;
  for (std::uint32_t r = 0; r < (stages_differ ? grid.world_size() : grid.stage_size()); ++r) {
    ranks.push_back(grid.coordinates(r));
  }
  return cover_places(plan, ranks);
}

}  // namespace megascale::plan
