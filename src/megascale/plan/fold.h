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
// Most ranks of a pipeline stage have the plan of their stage; the others are odd. A rank's place
// in its stage is written in digits such that every axis, of both factorisations, and the ranks of
// a host are products of whole digits (with dense axes only: a digit is an axis). On every digit
// the values of odd ranks count by themselves, all others are alike. A class is a stage and a
// value, or "one of the others", of each digit: groups are products of digits and edges change the
// stage only, so they lead from one class to the same classes for all its ranks. One odd rank makes
// four classes of each stage on two digits: itself, the rest of its group along either digit, and
// all others.
//
// Where borders of axes do not divide each other (2 x 3 x 4 ranks beside 3 x 2 x 4) there are no
// such digits. The ranks up to the borders' common multiple are then one digit, all of whose values
// count by themselves where a rank is odd.
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
  struct Digit {
    std::uint32_t stride = 1, size = 1;
    bool is_product = true;                 // of an axis or of a part of one: values can be alike
    std::vector<std::uint32_t> stands_for;  // by value: the value that stands for it
    [[nodiscard]] std::uint32_t of(std::uint32_t rank) const { return rank / stride % size; }
  };
  static std::vector<Digit> digits_of(const parallel::RankGrid& grid);

  std::uint32_t world_size_;
  std::vector<Digit> digits_;  // of the place in a stage, the innermost first
  std::vector<bool> uniform_;  // by stage
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_FOLD_H_
