// Makes a job of verified plans. Communicators of the ranks are matched by key, and each becomes
// one group with the representatives of its members.
#include "megascale/simulate/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "megascale/base/error.h"

namespace megascale::simulate {

Job make_job(std::span<const plan::VerifiedPlan> plans,
             const std::function<std::uint32_t(std::uint32_t)>& representative,
             const CostFunction& cost) {
  Job job;
  std::map<std::uint32_t, std::uint32_t> index_of;  // rank -> index into job.ranks
  for (const plan::VerifiedPlan& plan : plans)
    index_of.emplace(plan.binding().rank, static_cast<std::uint32_t>(index_of.size()));
  std::map<std::string, std::uint32_t> group_of;  // communicator's key -> index into job.groups
  for (const plan::VerifiedPlan& plan : plans) {
    JobRank rank{.plan = plan.shared_plan(), .groups = {}, .costs = cost(plan)};
    for (const plan::CommunicatorBinding& communicator : plan.binding().communicators) {
      std::vector<std::uint32_t> members;
      for (const std::uint32_t member : communicator.members) {
        const auto found = index_of.find(representative(member));
        if (found == index_of.end()) {
          throw Error(ErrorCode::failed, fmt::format("simulate: rank {} of communicator {} has "
                                                     "neither a plan nor a representative with one",
                                                     member, communicator.key));
        }
        members.push_back(found->second);
      }
      std::sort(members.begin(), members.end());
      members.erase(std::unique(members.begin(), members.end()), members.end());
      const auto [place, is_new] =
          group_of.emplace(communicator.key, static_cast<std::uint32_t>(job.groups.size()));
      if (is_new) {
        job.groups.push_back(std::move(members));
      } else if (job.groups[place->second] != members) {
        throw Error(ErrorCode::failed,
                    fmt::format("simulate: expected the same members of communicator {} on all its "
                                "ranks, found others: their representatives differ",
                                communicator.key));
      }
      rank.groups.push_back(place->second);
    }
    job.ranks.push_back(std::move(rank));
  }
  return job;
}

}  // namespace megascale::simulate
