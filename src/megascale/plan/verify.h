#ifndef MEGASCALE_PLAN_VERIFY_H_
#define MEGASCALE_PLAN_VERIFY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/parallel/rank_grid.h"
#include "megascale/plan/step_plan.h"

// Proves, before anything is launched, that the plans of a job can run: no deadlock, no data
// hazard, no mismatch between ranks. Only verify() and verify_folded() make a VerifiedPlan, and
// only VerifiedPlans are executed or simulated. Pure functions; any thread may call them.
namespace megascale::plan {

// The members of one communicator of a plan, as one rank sees them.
struct CommunicatorBinding {
  std::string key;                     // unique name of the group in the job; equal on all members
  std::vector<std::uint32_t> members;  // ranks, in group order
  // This rank is members[my_index].
  std::uint32_t my_index = 0;
};

// The numbers that one rank adds to the plan of its class.
struct Binding {
  std::uint32_t rank = 0;
  Coordinates coordinates{};
  std::vector<CommunicatorBinding> communicators;  // by CommunicatorId
};

// A plan together with the rank that runs it.
struct RankPlan {
  std::shared_ptr<const StepPlan> plan;
  Binding binding;
};

// The classes of errors that a plan can have.
enum class ViolationKind : std::uint8_t {
  // An operand outside its buffer; an unknown op, lane, buffer or communicator; an impossible
  // transfer.
  malformed,
  // A wait for a task with a larger id, or for a task that does not exist.
  bad_wait,
  // Partners of a transfer differ in members, kind, bytes, dtype, root, micro-batch or op, or in
  // the number of their transfers.
  mismatch,
  // The untimed execution does not complete.
  deadlock,
  // Two tasks touch the same bytes without an order, and one of them writes.
  hazard,
  // Two ranks issue the transfers that they share in different orders (NCCL would hang).
  issue_order,
};
[[nodiscard]] std::string_view to_string(ViolationKind kind) noexcept;

// One error, on one task of one rank.
struct Violation {
  ViolationKind kind{};
  std::uint32_t rank = 0;
  std::uint32_t task = 0;
  std::string message;  // names rank and task, what was expected and what was found
};

// A plan that was proven correct, bound to one rank. Lane runners and simulators accept no
// other type. Immutable, so any thread may read it.
class VerifiedPlan {
 public:
  [[nodiscard]] const StepPlan& plan() const noexcept { return *rank_.plan; }
  [[nodiscard]] const Binding& binding() const noexcept { return rank_.binding; }
  // For owners that keep the plan: all ranks of a class share one object.
  [[nodiscard]] const std::shared_ptr<const StepPlan>& shared_plan() const noexcept {
    return rank_.plan;
  }
  // Returns the same plan for another rank of its stage. All ranks of the stage must have this plan
  // (verify_folded), else it is a bug.
  [[nodiscard]] VerifiedPlan bound_to(Binding binding) const;

 private:
  friend struct Verification verify(std::vector<RankPlan> ranks);
  friend struct Verification verify_folded(std::span<const std::shared_ptr<const StepPlan>> plan_of,
                                           const parallel::RankGrid& grid);
  VerifiedPlan(RankPlan rank, bool whole_stage)
      : rank_(std::move(rank)), whole_stage_(whole_stage) {}
  RankPlan rank_;
  bool whole_stage_;
};

// The result of a verification.
struct Verification {
  // In the order of the given ranks, or of the classes. Empty if anything is wrong.
  std::vector<VerifiedPlan> plans;
  std::vector<Violation> violations;  // at most a few per rank and kind
  [[nodiscard]] bool ok() const noexcept { return violations.empty(); }
};

// Checks the plans of all ranks of a job:
// - Every operand lies inside its buffer, and every wait names a task with a smaller id.
// - Every transfer is on the lane of its communicator, and the sizes of its operands fit.
// - Transfers match on all members of their communicator, in kind, order, bytes and micro-batch. If
//   the members share a stage, they are the same op.
// - One untimed execution completes. Matching is fixed, so every timing then completes.
// - No two tasks of a rank touch overlapping bytes without an order by lanes and waits, if one of
//   them writes. This also holds between carried tasks of a step and all tasks of the next step.
// - Any two ranks issue the transfers that they share in the same order.
// - The tasks of a fused pair may run at the same time: they share only the bytes that flow from one to
//   the next (fused_pairs.h). Their order is checked like that of all other tasks.
Verification verify(std::vector<RankPlan> ranks);

// Gives the same verdict and messages for a job on a grid, but looks at one rank of each class
// (Fold) instead of at all ranks. `plan_of` holds the plan of every rank; ranks with equal plans
// (by digest) must have the same object. Every rank is bound with bind(). A rank may have a plan of
// its own: a slow host, a plan from a file, a fault.
//
// Transfers and deadlocks are checked with one rank of each class, because a group does the same on
// all members of one class. Structure and hazards are checked once per plan, at the places of all
// ranks that have it. A message names a rank for which it is true: the first of its class, or one
// at the place where the error is.
//
// The result holds a plan for the first rank of every class, ascending. If all
// ranks of each stage have one plan, these are the first ranks of the stages, and bound_to() makes
// the plans of all others.
Verification verify_folded(std::span<const std::shared_ptr<const StepPlan>> plan_of,
                           const parallel::RankGrid& grid);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_VERIFY_H_
