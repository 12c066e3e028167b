#ifndef MEGASCALE_PLAN_CHECKS_H_
#define MEGASCALE_PLAN_CHECKS_H_

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "megascale/plan/verify.h"

// The checks of verify(), and the reporter through which they write their violations. Internal to
// plan/.
namespace megascale::plan {

// A rank that runs a plan, and its coordinates.
struct Place {
  std::uint32_t rank = 0;
  Coordinates coordinates{};
};

// A plan and all ranks that run it.
struct SharedPlan {
  RankPlan first;             // the plan as bound to the first of these ranks
  std::vector<Place> places;  // of all these ranks, the first rank's first
};

// Writes the violations that one check finds in one plan; drops all after the first kMost.
class Reporter {
 public:
  static constexpr std::size_t kMost = 8;
  Reporter(std::vector<Violation>& out, const RankPlan& rank)
      : out_(&out), plan_(rank.plan.get()), rank_(rank.binding.rank) {}
  // `task` is the id of the task that is wrong. `what` continues a sentence that begins with it.
  void add(ViolationKind kind, std::uint32_t task, const std::string& what) {
    add(kind, rank_, task, what);
  }
  // Reports a violation on another rank with the same plan.
  void add(ViolationKind kind, std::uint32_t rank, std::uint32_t task, const std::string& what) {
    if (++reported_ > kMost) return;
    out_->push_back({kind, rank, task,
                     fmt::format("{}: rank {}, task {} ({}): {}", to_string(kind), rank, task,
                                 name(task), what)});
  }
  [[nodiscard]] bool clean() const noexcept { return reported_ == 0; }
  [[nodiscard]] bool full() const noexcept { return reported_ >= kMost; }
  [[nodiscard]] std::size_t count() const noexcept { return reported_; }

 private:
  // The id of the task or its op may be the very thing that is wrong.
  [[nodiscard]] std::string name(std::uint32_t task) const {
    const bool named =
        task < plan_->tasks().size() && index(plan_->tasks()[task].op) < plan_->ops().size();
    return named ? plan_->task_name(task) : "no such op";
  }

  std::vector<Violation>* out_;
  const StepPlan* plan_;
  std::uint32_t rank_;
  std::size_t reported_ = 0;
};

// Returns the dtype of the elements that a transfer adds.
inline DType dtype_of(const PlanOp& op) {
  return static_cast<DType>(op.attributes.integer(graph::attribute::dtype, 0));
}

// Checks the ops, operands, communicators and waits of a plan at all of its places. Returns true if
// all are good. The other checks may run only then.
bool check_structure(const SharedPlan& shared, std::vector<Violation>& violations);

// Checks that every pair of conflicting accesses is ordered, at all places of the plan.
void check_hazards(const SharedPlan& shared, std::vector<Violation>& violations);

// Checks that the tasks of every fused pair have the form that fused_pairs.h describes, and that they
// share no bytes but those that flow from one to the next.
void check_fused_pairs(const SharedPlan& shared, std::vector<Violation>& violations);

// check_matching(): the transfers of each communicator have the same number, order and sizes on all
// members. check_issue_order(): two ranks issue the transfers that they share in the same order
// (NCCL would hang otherwise).
void check_matching(const std::vector<RankPlan>& ranks, std::vector<Violation>& violations);
void check_issue_order(const std::vector<RankPlan>& ranks, std::vector<Violation>& violations);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_CHECKS_H_
