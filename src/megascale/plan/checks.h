#ifndef MEGASCALE_PLAN_CHECKS_H_
#define MEGASCALE_PLAN_CHECKS_H_

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "megascale/plan/verify.h"

// The checks of verify(), and how they report. Internal to plan/.
namespace megascale::plan {

// A rank that runs a plan, and where it stands.
struct Place {
  std::uint32_t rank = 0;
  Coordinates coordinates{};
};

// A plan and all ranks that run it.
struct SharedPlan {
  RankPlan first;             // the plan as the first of them sees it
  std::vector<Place> places;  // of all, that one's first
};

// The violations that one check finds in one plan, at most a few.
class Reporter {
 public:
  static constexpr std::size_t kMost = 8;
  Reporter(std::vector<Violation>& out, const RankPlan& rank)
      : out_(&out), plan_(rank.plan.get()), rank_(rank.binding.rank) {}
  void add(ViolationKind kind, std::uint32_t task, const std::string& what) {
    add(kind, rank_, task, what);
  }
  // Of another rank with the same plan.
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
  // The task may be what is wrong.
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

// Of the elements that a transfer adds.
inline DType dtype_of(const PlanOp& op) {
  return static_cast<DType>(op.attributes.integer(graph::attribute::dtype, 0));
}

// Ops, operands, communicators and waits, at every place of the plan: all that the other checks
// take for granted. True if all are good.
bool check_structure(const SharedPlan& shared, std::vector<Violation>& violations);

// Every pair of conflicting accesses is ordered, at every place of the plan.
void check_hazards(const SharedPlan& shared, std::vector<Violation>& violations);

// The transfers of every communicator come in the same number, order and size on all members, and
// those that two ranks share in the same order on both (NCCL would hang).
void check_matching(const std::vector<RankPlan>& ranks, std::vector<Violation>& violations);
void check_issue_order(const std::vector<RankPlan>& ranks, std::vector<Violation>& violations);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_CHECKS_H_
