#ifndef MEGASCALE_PLAN_FOLD_H_
#define MEGASCALE_PLAN_FOLD_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "megascale/parallel/rank_grid.h"
#include "megascale/plan/step_plan.h"

// Divides the ranks of a job into classes. Ranks of a class do the same work, so verification looks
// at one rank of each class instead of at all ranks.
namespace megascale::plan {

// The classes of a job. Ranks of a class have the same plan, and each of their groups has members
// of the same classes in the same order. So a property of one rank holds for its whole class.
//
// Most ranks of a pipeline stage have the plan of their stage. A rank with another plan is called
// odd: a slow host, a plan from a file, a fault. The classes are found as follows.
//
// A rank's position in its stage is written as a number with several digits. Every axis (of both
// factorisations) and the ranks of a host are products of whole digits. If a job has dense axes
// only, each digit is an axis. On each digit, the values of odd ranks are kept apart, and all other
// values count as one. Ranks are of one class if they have the same stage and, on each digit, the
// same value by this count. Groups are products of digits, and edges change the stage only. So the
// groups and edges of all ranks of a class lead to the same classes.
//
// Example: with two digits, one odd rank makes four classes of its stage: the odd rank, the rest of
// its group along either digit, and all other ranks. The other stages are divided in the same way.
//
// If the borders of axes do not divide each other (2 x 3 x 4 ranks beside 3 x 2 x 4), no such
// digits exist. All ranks up to the common multiple of these borders are then one digit. If a rank
// is odd, all values of such a digit are kept apart.
class Fold {
 public:
  // `plan_of`: the plan of every rank. Equal plans must be one object.
  Fold(const parallel::RankGrid& grid, std::span<const std::shared_ptr<const StepPlan>> plan_of);

  // Returns the lowest rank of each class, in ascending order.
  [[nodiscard]] std::vector<std::uint32_t> representatives() const;
  // Returns the lowest rank of the class of `rank`.
  [[nodiscard]] std::uint32_t representative(std::uint32_t rank) const;
  // Returns whether all ranks of the stage have one plan.
  [[nodiscard]] bool is_uniform(std::uint32_t stage) const { return uniform_[stage]; }

 private:
  struct Digit {
    std::uint32_t stride = 1, size = 1;
    bool is_product = true;  // of an axis or of a part of one, so that values can be alike
    std::vector<std::uint32_t> stands_for;  // by value: the value that represents its class
    [[nodiscard]] std::uint32_t of(std::uint32_t rank) const { return rank / stride % size; }
  };
  static std::vector<Digit> digits_of(const parallel::RankGrid& grid);

  std::uint32_t world_size_;
  std::vector<Digit> digits_;  // of the position in a stage, innermost first
  std::vector<bool> uniform_;  // by stage
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_FOLD_H_
