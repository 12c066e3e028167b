// Runs the lanes of each rank as far as possible. When a transfer completes, its members are tried
// again. The execution ends when no rank can go on; every lane that is not at its end is then
// stuck, and its head names the reason.
#include "megascale/plan/untimed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace megascale::plan {
namespace {

// The tasks of a rank by lane, and the progress of each lane.
struct RankState {
  std::array<std::vector<std::uint32_t>, graph::kLaneCount> lanes;
  std::array<std::uint32_t, graph::kLaneCount> done{};
  // By lane: its head is a transfer that has started.
  std::array<bool, graph::kLaneCount> started{};
  // By communicator: the number of its group, and of the transfers that this rank has started.
  std::vector<std::size_t> group;
  std::vector<std::uint32_t> sequence;
};

// A transfer that some members have started.
struct Transfer {
  std::uint32_t sequence = 0;                              // its number on the communicator
  std::vector<std::pair<std::size_t, std::size_t>> heads;  // (rank index, lane) of each of them
};

class UntimedRun {
 public:
  explicit UntimedRun(std::span<const RankPlan> ranks) : ranks_(ranks), states_(ranks.size()) {
    std::map<std::string_view, std::size_t> numbers;  // of groups, by key
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const StepPlan& plan = *ranks[r].plan;
      for (const CommunicatorBinding& binding : ranks[r].binding.communicators) {
        states_[r].group.push_back(numbers.try_emplace(binding.key, numbers.size()).first->second);
      }
      for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
        states_[r].lanes[static_cast<std::size_t>(plan.op(plan.tasks()[id]).lane)].push_back(id);
      }
      states_[r].sequence.resize(ranks[r].binding.communicators.size());
      work_.push_back(r);
    }
    open_.resize(numbers.size());
  }

  std::vector<StuckTask> run() {
    while (!work_.empty()) {
      const std::size_t rank = work_.front();
      work_.pop_front();
      advance(rank);
    }
    return stuck();
  }

 private:
  void advance(std::size_t rank) {
    bool progress = true;
    while (progress) {
      progress = false;
      for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
        while (try_head(rank, lane)) progress = true;
      }
    }
  }

  // Starts the head of the lane if its waits are done. Finishes it too, unless it is a transfer
  // whose partners have not all started it. Returns whether the lane made progress.
  bool try_head(std::size_t rank, std::size_t lane) {
    RankState& state = states_[rank];
    if (state.started[lane] || state.done[lane] == state.lanes[lane].size()) return false;
    const StepPlan& plan = *ranks_[rank].plan;
    const Task& task = plan.tasks()[state.lanes[lane][state.done[lane]]];
    for (const Wait& wait : plan.waits(task)) {
      if (state.done[static_cast<std::size_t>(wait.lane)] < wait.count) return false;
    }
    const PlanOp& op = plan.op(task);
    if (!op.def->transfer) {
      ++state.done[lane];
      return true;
    }
    start_transfer(rank, lane, op);
    return true;
  }

  void start_transfer(std::size_t rank, std::size_t lane, const PlanOp& op) {
    RankState& state = states_[rank];
    const std::size_t communicator = index(op.communicator);
    std::vector<Transfer>& open = open_[state.group[communicator]];
    const std::uint32_t sequence = state.sequence[communicator]++;
    auto transfer = std::find_if(open.begin(), open.end(),
                                 [&](const Transfer& t) { return t.sequence == sequence; });
    if (transfer == open.end()) transfer = open.insert(open.end(), {sequence, {}});
    transfer->heads.emplace_back(rank, lane);
    state.started[lane] = true;
    if (transfer->heads.size() < ranks_[rank].binding.communicators[communicator].members.size())
      return;
    for (const auto& [member, member_lane] : transfer->heads) {
      states_[member].started[member_lane] = false;
      ++states_[member].done[member_lane];
      if (member != rank) work_.push_back(member);
    }
    open.erase(transfer);
  }

  std::vector<StuckTask> stuck() const {
    std::vector<StuckTask> result;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const RankState& state = states_[r];
      for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
        if (state.done[lane] == state.lanes[lane].size()) continue;
        result.push_back({r, state.lanes[lane][state.done[lane]], reason(r, lane)});
      }
    }
    return result;
  }

  std::string reason(std::size_t rank, std::size_t lane) const {
    const RankState& state = states_[rank];
    const StepPlan& plan = *ranks_[rank].plan;
    const Task& task = plan.tasks()[state.lanes[lane][state.done[lane]]];
    if (state.started[lane]) {
      const std::size_t communicator = index(plan.op(task).communicator);
      const auto& binding = ranks_[rank].binding.communicators[communicator];
      std::string missing;
      for (const std::uint32_t member : binding.members) {
        if (!has_started(state.group[communicator], member)) missing += fmt::format(" {}", member);
      }
      return fmt::format("never ends: on {} these ranks do not start it:{}", binding.key, missing);
    }
    for (const Wait& wait : plan.waits(task)) {
      const auto other = static_cast<std::size_t>(wait.lane);
      if (state.done[other] >= wait.count) continue;
      const std::uint32_t earlier = state.lanes[other][wait.count - 1];
      return fmt::format("never starts: waits for task {} ({})", earlier, plan.task_name(earlier));
    }
    return "never starts";
  }

  [[nodiscard]] bool has_started(std::size_t group, std::uint32_t rank) const {
    for (const Transfer& transfer : open_[group]) {
      for (const auto& [member, lane] : transfer.heads) {
        if (ranks_[member].binding.rank == rank) return true;
      }
    }
    return false;
  }

  std::span<const RankPlan> ranks_;
  std::vector<RankState> states_;
  // By group: its unfinished transfers; rarely more than one, since a communicator has one lane.
  std::vector<std::vector<Transfer>> open_;
  std::deque<std::size_t> work_;
};

}  // namespace

std::vector<StuckTask> run_untimed(std::span<const RankPlan> ranks) {
  return UntimedRun(ranks).run();
}

}  // namespace megascale::plan
