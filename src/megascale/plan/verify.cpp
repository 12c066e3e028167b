// Runs the checks of a set of plans in order. check_structure() comes first, and the others run
// only if it finds nothing, because they index the tables of a plan without further tests. For
// large jobs the groups of a rank are reduced to one member per class.
#include "megascale/plan/verify.h"

#include <algorithm>

#include "megascale/plan/bind.h"
#include "megascale/plan/checks.h"
#include "megascale/plan/fold.h"
#include "megascale/plan/untimed.h"

namespace megascale::plan {

VerifiedPlan VerifiedPlan::bound_to(Binding binding) const {
  MEGASCALE_CHECK(whole_stage_,
                  "a plan was proven for some ranks of its stage, and bound to another");
  return {{rank_.plan, std::move(binding)}, true};
}

std::string_view to_string(ViolationKind kind) noexcept {
  switch (kind) {
    case ViolationKind::malformed:
      return "malformed plan";
    case ViolationKind::bad_wait:
      return "bad wait";
    case ViolationKind::mismatch:
      return "mismatched transfer";
    case ViolationKind::deadlock:
      return "deadlock";
    case ViolationKind::hazard:
      return "hazard";
    case ViolationKind::issue_order:
      return "issue order";
  }
  return "?";
}

namespace {

// Returns all violations; empty if everything is right. `ranks` are those that stand for the job,
// together with the members of their groups.
std::vector<Violation> check(const std::vector<SharedPlan>& plans,
                             const std::vector<RankPlan>& ranks) {
  std::vector<Violation> violations;
  bool structure = true;
  for (const SharedPlan& plan : plans) structure = check_structure(plan, violations) && structure;
  if (!structure) return violations;  // the checks below rely on it
  for (const SharedPlan& plan : plans) check_hazards(plan, violations);
  for (const SharedPlan& plan : plans) check_fused_pairs(plan, violations);
  check_matching(ranks, violations);
  check_issue_order(ranks, violations);
  for (const StuckTask& stuck : run_untimed(ranks)) {
    Reporter(violations, ranks[stuck.rank_index])
        .add(ViolationKind::deadlock, stuck.task, stuck.reason);
  }
  return violations;
}

// Replaces the members of the rank's groups by the representatives of their classes, each once.
void fold_groups(RankPlan& rank, const Fold& fold) {
  for (CommunicatorBinding& group : rank.binding.communicators) {
    std::vector<std::uint32_t> members;
    for (const std::uint32_t member : group.members) {
      if (fold.representative(member) == member) members.push_back(member);
    }
    const auto me = std::find(members.begin(), members.end(), rank.binding.rank);
    group.my_index = static_cast<std::uint32_t>(me - members.begin());
    group.members = std::move(members);
  }
}

}  // namespace

Verification verify(std::vector<RankPlan> ranks) {
  std::vector<SharedPlan> plans;
  plans.reserve(ranks.size());
  for (const RankPlan& rank : ranks) {
    plans.push_back({rank, {{rank.binding.rank, rank.binding.coordinates}}});
  }
  Verification result{.plans = {}, .violations = check(plans, ranks)};
  if (!result.ok()) return result;
  for (RankPlan& rank : ranks) {
    result.plans.push_back(VerifiedPlan(std::move(rank), /*whole_stage=*/false));
  }
  return result;
}

Verification verify_folded(std::span<const std::shared_ptr<const StepPlan>> plan_of,
                           const parallel::RankGrid& grid) {
  MEGASCALE_CHECK(plan_of.size() == grid.world_size(), "a plan is needed for every rank");
  const Fold fold(grid, plan_of);
  std::vector<SharedPlan> plans;
  for (std::uint32_t rank = 0; rank < grid.world_size(); ++rank) {
    auto known = std::find_if(plans.begin(), plans.end(), [&](const SharedPlan& shared) {
      return shared.first.plan == plan_of[rank];
    });
    if (known == plans.end()) {
      plans.push_back({{plan_of[rank], bind(*plan_of[rank], grid, rank)}, {}});
      known = plans.end() - 1;
    }
    known->places.push_back({rank, grid.coordinates(rank)});
  }
  const std::vector<std::uint32_t> representatives = fold.representatives();
  std::vector<RankPlan> folded;
  for (const std::uint32_t rank : representatives) {
    folded.push_back({plan_of[rank], bind(*plan_of[rank], grid, rank)});
    fold_groups(folded.back(), fold);
  }
  Verification result{.plans = {}, .violations = check(plans, folded)};
  if (!result.ok()) return result;
  for (const std::uint32_t rank : representatives) {
    Binding binding = bind(*plan_of[rank], grid, rank);
    const std::uint32_t stage =
        binding.coordinates[static_cast<std::size_t>(graph::Axis::pipeline)];
    result.plans.push_back(
        VerifiedPlan({plan_of[rank], std::move(binding)}, fold.is_uniform(stage)));
  }
  return result;
}

}  // namespace megascale::plan
