#ifndef MEGASCALE_PLAN_FOLD_H_
#define MEGASCALE_PLAN_FOLD_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "megascale/parallel/rank_grid.h"
#include "megascale/plan/step_plan.h"

// Which ranks of a job need not be looked at, because others do the same.
namespace megascale::plan {

// The job's ranks in classes. Ranks of a class have one plan, and each of their groups has members
// of the same classes, in the same order; so what holds for one rank holds for its class.
//
// Most ranks of a pipeline stage have the plan of their stage; the others are odd. On every axis
// but that of the pipeline the coordinates of odd ranks count by themselves, all others are alike.
// A class is a stage and a coordinate, or "one of the others", on each axis: groups are products of
// axes and edges change the stage only, so they lead from one class to the same classes for all its
// ranks. One odd rank makes four classes of each stage on two axes: itself, the rest of its group
// along either axis, and all others.
class Fold {
 public:
  // `plan_of`: by rank; equal plans are one object.
  Fold(const parallel::RankGrid& grid, std::span<const std::shared_ptr<const StepPlan>> plan_of);

  // The lowest rank of each class, ascending.
  [[nodiscard]] std::vector<std::uint32_t> representatives() const;
  // That of a rank's class.
  [[nodiscard]] std::uint32_t representative(std::uint32_t rank) const;
  // Whether all ranks of the stage have one plan.
  [[nodiscard]] bool is_uniform(std::uint32_t stage) const { return uniform_[stage]; }

 private:
  parallel::RankGrid grid_;
  // By axis and coordinate: the coordinate that stands for it.
  std::array<std::vector<std::uint32_t>, graph::kAxisCount> stands_for_;
  std::vector<bool> uniform_;  // by stage
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_FOLD_H_
