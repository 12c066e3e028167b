#ifndef MEGASCALE_PLAN_COORDINATES_H_
#define MEGASCALE_PLAN_COORDINATES_H_

#include <span>
#include <vector>

#include "megascale/plan/step_plan.h"

// Places: the positions of ranks as far as a plan depends on them. The operands of a plan may
// depend on a rank's coordinates (AxisTerm). Waits and hazards must hold for all ranks, but many
// ranks stand at the same place, so far fewer places than ranks are looked at.
namespace megascale::plan {

// A set of places that covers all ranks of a plan. Axes in `enumerated` are told apart: there is a
// place for each combination of coordinates on them. This is done while the number of places stays
// small. A term over any other axis counts as all bytes that it covers on any rank. That may add
// conflicts which no single rank has, but it never hides one. So an order that is found for the
// places holds on every rank.
struct PlaceCover {
  std::vector<Coordinates> places;  // at least one; coordinate 0 on axes that are not enumerated
  graph::AxisSet enumerated;

  // Returns the place of a rank with these coordinates.
  [[nodiscard]] Coordinates of(const Coordinates& coordinates) const noexcept;
  // Returns whether the operand's bytes may differ from place to place.
  [[nodiscard]] bool varies(const Operand& operand) const noexcept;
  // Returns the arena bytes of an operand of a task at a place.
  [[nodiscard]] ByteRange range(const StepPlan& plan, const Task& task, const Operand& operand,
                                const Coordinates& place) const noexcept;
};

// Returns the cover for ranks with these coordinates, of which there must be at least one. For a
// single rank the cover is exact.
[[nodiscard]] PlaceCover cover_places(const StepPlan& plan, std::span<const Coordinates> ranks);
// Returns the cover for all ranks of the plan's axes.
[[nodiscard]] PlaceCover cover_places(const StepPlan& plan);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_COORDINATES_H_
