#ifndef MEGASCALE_PLAN_COORDINATES_H_
#define MEGASCALE_PLAN_COORDINATES_H_

#include <span>
#include <vector>

#include "megascale/plan/step_plan.h"

namespace megascale::plan {

// How to look at a plan at every place in the groups that its operands refer to, without visiting
// each rank. Axes are told apart while that takes few places (`enumerated`). A term over other axes
// counts as all bytes that it means at any place: more conflicts are seen than any one rank has,
// never fewer. An order found for them holds on every rank.
struct PlaceCover {
  std::vector<Coordinates> places;  // at least one; zero on axes that are not told apart
  graph::AxisSet enumerated;

  // Which of the places a rank with these coordinates is at.
  [[nodiscard]] Coordinates of(const Coordinates& coordinates) const noexcept;
  // Whether the operand's bytes may differ from place to place.
  [[nodiscard]] bool varies(const Operand& operand) const noexcept;
  [[nodiscard]] ByteRange range(const StepPlan& plan, const Task& task, const Operand& operand,
                                const Coordinates& place) const noexcept;
};

// For the ranks with these coordinates, one at least. Of a single rank: exact.
[[nodiscard]] PlaceCover cover_places(const StepPlan& plan, std::span<const Coordinates> ranks);
// For all ranks of the plan's axes.
[[nodiscard]] PlaceCover cover_places(const StepPlan& plan);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_COORDINATES_H_
