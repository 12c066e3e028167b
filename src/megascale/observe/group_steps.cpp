#include "megascale/observe/group_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "megascale/plan/communication_volume.h"

namespace megascale::observe {
namespace {

constexpr std::uint32_t kNoGroup = ~0U;

// Whether `other`, of a member of the group of `one`, is the same communicator. A rank between two others
// has an edge of the same name on either side; only the one that begins at the source is meant there.
bool is_same(const plan::Communicator& one, const plan::Communicator& other, bool is_source) {
  if (one.name != other.name) return false;
  if (one.edge_offset == 0)
    return other.edge_offset == 0 && one.axes == other.axes && one.factor == other.factor;
  return other.edge_offset != 0 && (other.edge_offset > 0) == is_source;
}

}  // namespace

void add_moving_seconds(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                        std::span<double> seconds) {
  for (std::size_t id = 0; id < records.size(); ++id) {
    const plan::PlanOp& op = plan.op(plan.tasks()[id]);
    if (op.def->transfer == nullptr || records[id].done_ns == 0) continue;
    seconds[plan::index(op.communicator)] +=
        1e-9 * static_cast<double>(records[id].done_ns - moving_since(records[id]));
  }
}

GroupIndex::GroupIndex(std::span<const plan::StepPlan* const> plan_of,
                       const BindCommunicator& bind) {
  std::map<const plan::StepPlan*, std::vector<plan::GroupVolume>> volumes;
  for (const plan::StepPlan* plan : plan_of)
    of_rank_.emplace_back(plan->communicators().size(), kNoGroup);
  for (std::uint32_t rank = 0; rank < plan_of.size(); ++rank) {
    const auto communicators = std::span(plan_of[rank]->communicators());
    for (std::size_t c = 0; c < communicators.size(); ++c) {
      if (of_rank_[rank][c] != kNoGroup) continue;
      const auto number = static_cast<std::uint32_t>(groups_.size());
      plan::CommunicatorBinding binding = bind(rank, c);
      for (const std::uint32_t member : binding.members) {
        const bool is_source = member == binding.members.front();
        const auto of_member = std::span(plan_of[member]->communicators());
        for (std::size_t m = 0; m < of_member.size(); ++m) {
          if (of_rank_[member][m] != kNoGroup ||
              !is_same(communicators[c], of_member[m], is_source))
            continue;
          of_rank_[member][m] = number;
          break;
        }
      }
      of_rank_[rank][c] = number;
      auto& of_plan = volumes[plan_of[rank]];
      if (of_plan.empty()) of_plan = plan::count_by_communicator(*plan_of[rank]);
      groups_.push_back({.name = communicators[c].name,
                         .members = std::move(binding.members),
                         .bytes = std::max(of_plan[c].sent, of_plan[c].received)});
    }
  }
}

void GroupCollector::add(std::uint32_t rank, std::string_view work,
                         std::span<const std::span<const double>> moving,
                         std::span<const double> core_waits) {
  const auto groups = index_->groups_of(rank);
  for (std::size_t c = 0; c < groups.size(); ++c) {
    Sums& sums = sums_[groups[c]];
    if (sums.members == 0) {
      sums.kind = std::string(work) + "/" + index_->groups()[groups[c]].name;
      sums.moving_seconds.assign(steps_, 0.0);
      sums.core_waits.assign(core_waits.size(), 0.0);
    }
    for (std::size_t s = 0; s < steps_; ++s) sums.moving_seconds[s] += moving[s][c];
    for (std::size_t s = 0; s < core_waits.size(); ++s)
      sums.core_waits[s] = std::max(sums.core_waits[s], core_waits[s]);
    ++sums.members;
  }
}

std::vector<GroupSteps> GroupCollector::take() && {
  std::vector<GroupSteps> result;
  for (std::size_t g = 0; g < sums_.size(); ++g) {
    Sums& sums = sums_[g];
    if (sums.members == 0) continue;
    for (double& seconds : sums.moving_seconds) seconds /= sums.members;
    const GroupIndex::Group& group = index_->groups()[g];
    const auto judged = sums.moving_seconds.begin() + static_cast<std::ptrdiff_t>(before_);
    const auto waits = sums.core_waits.begin() +
                       static_cast<std::ptrdiff_t>(std::min(before_, sums.core_waits.size()));
    result.push_back({.kind = std::move(sums.kind),
                      .members = group.members,
                      .moving_seconds = {judged, sums.moving_seconds.end()},
                      .core_waits = {waits, sums.core_waits.end()},
                      .like = fmt::format("{} of {}", group.name, group.members.size()),
                      .bytes = group.bytes,
                      .before = {sums.moving_seconds.begin(), judged},
                      .core_waits_before = {sums.core_waits.begin(), waits}});
  }
  return result;
}

}  // namespace megascale::observe
