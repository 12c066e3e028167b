#ifndef MEGASCALE_PLAN_REPORTER_H_
#define MEGASCALE_PLAN_REPORTER_H_

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "megascale/plan/verify.h"

// How the checks of verify() report, and what they share. Internal to plan/.
namespace megascale::plan {

// The violations that one check finds on one rank, at most a few.
class Reporter {
 public:
  static constexpr std::size_t kMost = 8;
  Reporter(std::vector<Violation>& out, const RankPlan& rank) : out_(&out), rank_(&rank) {}
  void add(ViolationKind kind, std::uint32_t task, const std::string& what) {
    if (++reported_ > kMost) return;
    out_->push_back({kind, rank_->binding.rank, task,
                     fmt::format("{}: rank {}, task {} ({}): {}", to_string(kind),
                                 rank_->binding.rank, task, name(task), what)});
  }
  [[nodiscard]] bool clean() const noexcept { return reported_ == 0; }
  [[nodiscard]] std::size_t count() const noexcept { return reported_; }

 private:
  // The task may be what is wrong.
  [[nodiscard]] std::string name(std::uint32_t task) const {
    const StepPlan& plan = *rank_->plan;
    const bool named =
        task < plan.tasks().size() && index(plan.tasks()[task].op) < plan.ops().size();
    return named ? plan.task_name(task) : "no such op";
  }

  std::vector<Violation>* out_;
  const RankPlan* rank_;
  std::size_t reported_ = 0;
};

inline bool is(const PlanOp& op, std::string_view name) { return op.def->name == name; }
// Of the elements that a transfer adds.
inline DType dtype_of(const PlanOp& op) {
  return static_cast<DType>(op.attributes.integer("dtype", 0));
}

// Ops, operands, communicators and waits of one rank: everything that the other checks take for
// granted. True if all are good.
bool check_structure(const RankPlan& rank, std::vector<Violation>& violations);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_REPORTER_H_
