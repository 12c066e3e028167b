// Collects the groups of all plans of a rank. A communicator is created once per key and serves
// all plans, so it may use windows only if all plans allow it.
#include "megascale/engine/process_groups.h"

#include <algorithm>
#include <set>

#include "megascale/plan/equal_offsets.h"

namespace megascale::engine {
namespace {

bool may_have_window(const job::JobPlan& job, const plan::VerifiedPlan& plan, std::size_t i) {
  const plan::CommunicatorBinding& group = plan.binding().communicators[i];
  std::vector<plan::Coordinates> members;
  for (const std::uint32_t member : group.members) {
    if (&job.stage_of(member) != &job.stage_of(plan.binding().rank)) return false;
    members.push_back(job.grid.coordinates(member));
  }
  return plan::has_equal_offsets(plan.plan(), plan::CommunicatorId{static_cast<std::uint32_t>(i)},
                                 members);
}

}  // namespace

std::vector<comm::ProcessRank::Group> process_groups(const job::JobPlan& job, std::uint32_t rank,
                                                     bool windows,
                                                     std::span<const job::BatchPlan> smaller) {
  std::vector<comm::ProcessRank::Group> groups;
  std::set<std::string> apart;  // keys of the groups that must not use windows
  const auto collect = [&](const job::JobPlan& of, const plan::Verification& verification) {
    const plan::VerifiedPlan plan = of.plan_of(rank, verification);
    for (std::size_t i = 0; i < plan.binding().communicators.size(); ++i) {
      const plan::CommunicatorBinding& group = plan.binding().communicators[i];
      groups.push_back({group.key, group.members});
      if (!windows || !may_have_window(of, plan, i)) apart.insert(group.key);
    }
  };
  collect(job, job.train_verification);
  collect(job, job.evaluate_verification);
  for (const job::BatchPlan& one : smaller) collect(one.job, one.job.train_verification);
  for (auto& group : groups) group.equal_offsets = !apart.contains(group.key);
  return groups;
}

}  // namespace megascale::engine
