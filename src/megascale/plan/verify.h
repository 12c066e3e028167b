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

// Proof, before anything is launched, that a set of plans runs: see verify().
namespace megascale::plan {

// How a rank sees one of its plan's communicators.
struct CommunicatorBinding {
  std::string key;                     // names the group in the whole job: equal on all members
  std::vector<std::uint32_t> members;  // ranks in group order
  std::uint32_t my_index = 0;
};

// What a rank adds to the plan of its class.
struct Binding {
  std::uint32_t rank = 0;
  Coordinates coordinates{};
  std::vector<CommunicatorBinding> communicators;  // by CommunicatorId
};

struct RankPlan {
  std::shared_ptr<const StepPlan> plan;
  Binding binding;
};

enum class ViolationKind : std::uint8_t {
  malformed,  // an operand outside its buffer, an unknown op, lane, buffer or communicator, a
              // transfer that cannot be
  bad_wait,   // a wait for a larger id, or for a task that does not exist
  mismatch,  // partners disagree on members, kind, bytes, dtype, root, micro-batch, op or number of
             // transfers
  deadlock,  // the untimed execution stops
  hazard,    // two tasks touch the same bytes without an order
  issue_order,  // two ranks issue the transfers they share in different orders (NCCL would hang)
};
[[nodiscard]] std::string_view to_string(ViolationKind kind) noexcept;

struct Violation {
  ViolationKind kind{};
  std::uint32_t rank = 0;
  std::uint32_t task = 0;
  std::string message;  // names rank, task, what was expected and what was found
};

// A plan that was proven right; only verify() makes one, and lane runners and simulators take
// nothing else.
class VerifiedPlan {
 public:
  [[nodiscard]] const StepPlan& plan() const noexcept { return *rank_.plan; }
  [[nodiscard]] const Binding& binding() const noexcept { return rank_.binding; }
  // For who keeps the plan: ranks of a stage share one.
  [[nodiscard]] const std::shared_ptr<const StepPlan>& shared_plan() const noexcept {
    return rank_.plan;
  }
  // The same plan for another rank of its stage, where all have it (verify_folded).
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

struct Verification {
  std::vector<VerifiedPlan> plans;  // of every rank, in the order given; empty if anything is wrong
  std::vector<Violation> violations;  // at most a few per rank and kind
  [[nodiscard]] bool ok() const noexcept { return violations.empty(); }
};

// Checks, over all ranks of a job:
//   every operand lies inside its buffer, every wait names a task of smaller id;
//   every transfer is on the lane of its communicator, and what it sends fits what it receives;
//   transfers match in kind, order, bytes and micro-batch on all members of their communicator, and
//   are the same op where these share a stage;
//   one untimed execution completes (matching is fixed, so every timing completes);
//   no two tasks of a rank touch overlapping bytes, one of them writing, without an order by lanes
//   and waits; this holds also between carried tasks of a step and all tasks of the next; any two
//   ranks issue the transfers they share in the same order.
Verification verify(std::vector<RankPlan> ranks);

// The same verdict and messages for a job on a grid, at the cost of its classes of ranks (Fold)
// instead of its ranks. `plan_of` says the plan of every rank; ranks with equal plans (by digest)
// must have the same object, and every rank is bound by bind(). A rank may have a plan of its own:
// a slow host, a plan from a file, a fault. What a group does is the same on all members of one
// class, so one of each is looked at; hazards are looked for at all places of the ranks that have
// the plan. A message names a rank that it is true of: the first of its class, or one at the place
// that is wrong.
//
// Plans: of the first rank of every class, ascending. In a job without odd ranks these are the
// first ranks of the stages, and may be bound to all others (bound_to).
Verification verify_folded(std::span<const std::shared_ptr<const StepPlan>> plan_of,
                           const parallel::RankGrid& grid);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_VERIFY_H_
