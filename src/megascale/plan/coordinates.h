#ifndef MEGASCALE_PLAN_COORDINATES_H_
#define MEGASCALE_PLAN_COORDINATES_H_

#include <vector>

#include "megascale/plan/step_plan.h"

namespace megascale::plan {

// How to look at a plan at every place in the groups that its operands refer to, without visiting
// each. Axes are enumerated while that takes few places (`places`). A term over other axes counts
// as all bytes that it means at any place: more conflicts are seen than any one rank has, never
// fewer. An order found for them holds on every rank.
struct PlaceCover {
  std::vector<Coordinates> places;  // at least one
  graph::AxisSet enumerated;
  [[nodiscard]] ByteRange range(const StepPlan& plan, const Task& task, const Operand& operand,
                                const Coordinates& place) const noexcept;
};
[[nodiscard]] PlaceCover cover_places(const StepPlan& plan);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_COORDINATES_H_
