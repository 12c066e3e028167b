// A verified plan has no deadlock. So if no rank goes on, following the waits always ends at a task
// that may run, at a transfer that all members have started, or at a rank that is between two steps.
// These ends are the suspects. Each rank is looked at by itself: the first task of each of its lanes
// whose waits are satisfied is either a computation, which makes the rank a suspect, or a transfer,
// whose other members tell the rest. A rank that stops leaves transfers on its other lanes that all
// members have started. Of those it is the suspect, and the other members wait.
#include "megascale/observe/hang.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace megascale::observe {
namespace {

// How far a member has come with transfer number `number` of a communicator.
enum class Stage : std::uint8_t { behind, started, matched, done };

// The number of a communicator in a rank's plan, or nothing.
std::optional<std::size_t> communicator_of(const RankProgress& rank, const std::string& key) {
  const auto& bindings = rank.rank.binding.communicators;
  const auto found = std::find_if(bindings.begin(), bindings.end(),
                                  [&](const auto& binding) { return binding.key == key; });
  if (found == bindings.end()) return std::nullopt;
  return static_cast<std::size_t>(found - bindings.begin());
}

Stage stage_of(const RankProgress& rank, const std::string& key, std::uint64_t number) {
  const auto communicator = communicator_of(rank, key);
  if (!communicator || rank.step < 0 || rank.transfers[*communicator] < number)
    return Stage::behind;
  if (rank.transfers[*communicator] > number) return Stage::done;
  for (const auto& head : rank.heads) {
    if (!head) continue;
    const plan::PlanOp& op = rank.rank.plan->op(rank.rank.plan->tasks()[head->task]);
    if (!op.def->transfer || plan::index(op.communicator) != *communicator) continue;
    if (head->matched) return Stage::matched;
    return head->started ? Stage::started : Stage::behind;
  }
  return Stage::behind;
}

class Search {
 public:
  explicit Search(std::span<const RankProgress> ranks) : ranks_(ranks) {}

  HangVerdict run() {
    for (const RankProgress& rank : ranks_) newest_ = std::max(newest_, rank.step);
    verdict_.between_steps = std::all_of(ranks_.begin(), ranks_.end(), [&](const auto& rank) {
      return rank.step == newest_ && rank.ended;
    });
    if (verdict_.between_steps) return std::move(verdict_);
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) look_at(rank);
    judge_stuck_transfers();
    for (Suspect& suspect : verdict_.suspects) suspect.waiting = waiting_for(suspect.rank);
    std::stable_sort(verdict_.suspects.begin(), verdict_.suspects.end(),
                     [](const Suspect& a, const Suspect& b) {
                       return std::pair(a.why, a.last_ns) < std::pair(b.why, b.last_ns);
                     });
    return std::move(verdict_);
  }

 private:
  void suspect(std::uint32_t rank, Suspect::Why why, const LaneHead* head = nullptr,
               std::string communicator = {}) {
    const RankProgress& progress = ranks_[rank];
    Suspect found{.rank = rank,
                  .why = why,
                  .step = progress.step,
                  .task_name = {},
                  .communicator = std::move(communicator),
                  .last_ns = progress.last_ns,
                  .waiting = {}};
    if (head != nullptr) {
      const plan::StepPlan& plan = *progress.rank.plan;
      found.lane = plan.op(plan.tasks()[head->task]).lane;
      found.task = head->task;
      found.task_name = plan.task_name(head->task);
    }
    verdict_.suspects.push_back(std::move(found));
  }

  void look_at(std::uint32_t number) {
    const RankProgress& rank = ranks_[number];
    if (rank.step < 0) return suspect(number, Suspect::Why::no_records);
    if (rank.ended) {
      // A rank that has ended the newest step holds nobody up; others have not come so far.
      if (rank.step < newest_) suspect(number, Suspect::Why::between_steps);
      return;
    }
    for (const auto& head : rank.heads) {
      if (!head || !head->ready) continue;
      const plan::Task& task = rank.rank.plan->tasks()[head->task];
      if (!head->started) {
        suspect(number, Suspect::Why::not_started, &*head);
      } else if (!rank.rank.plan->op(task).def->transfer) {
        if (!task.carried) suspect(number, Suspect::Why::not_done, &*head);
      } else {
        look_at_transfer(number, *head);
      }
    }
  }

  void look_at_transfer(std::uint32_t number, const LaneHead& head) {
    const RankProgress& rank = ranks_[number];
    const plan::PlanOp& op = rank.rank.plan->op(rank.rank.plan->tasks()[head.task]);
    const std::size_t communicator = plan::index(op.communicator);
    const plan::CommunicatorBinding& group = rank.rank.binding.communicators[communicator];
    const Stage mine = head.matched ? Stage::matched : Stage::started;
    std::vector<std::uint32_t> behind,
        equal;  // members that are not as far, and as far as this one
    for (const std::uint32_t member : group.members) {
      const Stage theirs = stage_of(ranks_[member], group.key, rank.transfers[communicator]);
      if (theirs < mine) behind.push_back(member);
      if (theirs == mine) equal.push_back(member);
    }
    if (!behind.empty()) {
      wait_for(number, head, std::move(behind));
    } else if (equal.size() == 1 && group.members.size() > 1) {
      suspect(number, Suspect::Why::not_noticed, &head, group.key);
    } else {
      stuck_.push_back(
          {.rank = number, .head = head, .key = group.key, .members = std::move(equal)});
    }
  }

  void wait_for(std::uint32_t number, const LaneHead& head, std::vector<std::uint32_t> awaited) {
    const plan::StepPlan& plan = *ranks_[number].rank.plan;
    for (const std::uint32_t member : awaited) waits_for_[member].insert(number);
    verdict_.waiting.push_back({.rank = number,
                                .step = ranks_[number].step,
                                .lane = plan.op(plan.tasks()[head.task]).lane,
                                .task = head.task,
                                .task_name = plan.task_name(head.task),
                                .awaited = std::move(awaited)});
  }

  // Decides who is to blame for transfers in which several members are least far: those of them that
  // are suspects for another reason, else the ranks that are among them in all of these transfers,
  // else all of them.
  void judge_stuck_transfers() {
    std::set<std::uint32_t> known;
    for (const Suspect& one : verdict_.suspects) known.insert(one.rank);
    std::vector<StuckTransfer> open;
    for (const StuckTransfer& stuck : stuck_) {
      auto awaited = members_in(stuck.members, known);
      if (known.contains(stuck.rank)) {
        suspect(stuck.rank, Suspect::Why::transfer_stuck, &stuck.head, stuck.key);
      } else if (!awaited.empty()) {
        wait_for(stuck.rank, stuck.head, std::move(awaited));
      } else {
        open.push_back(stuck);
      }
    }
    if (open.empty()) return;
    std::set<std::uint32_t> common(open.front().members.begin(), open.front().members.end());
    for (const StuckTransfer& stuck : open) {
      const auto rest = members_in(stuck.members, common);
      common = {rest.begin(), rest.end()};
    }
    for (const StuckTransfer& stuck : open) {
      if (common.empty() || common.contains(stuck.rank)) {
        suspect(stuck.rank, Suspect::Why::transfer_stuck, &stuck.head, stuck.key);
      } else {
        wait_for(stuck.rank, stuck.head, {common.begin(), common.end()});
      }
    }
  }

  static std::vector<std::uint32_t> members_in(const std::vector<std::uint32_t>& members,
                                               const std::set<std::uint32_t>& ranks) {
    std::vector<std::uint32_t> found;
    std::copy_if(members.begin(), members.end(), std::back_inserter(found),
                 [&](std::uint32_t member) { return ranks.contains(member); });
    return found;
  }

  // Returns all ranks from which a chain of waits leads to `rank`.
  [[nodiscard]] std::vector<std::uint32_t> waiting_for(std::uint32_t rank) const {
    std::set<std::uint32_t> found;
    std::vector<std::uint32_t> open{rank};
    while (!open.empty()) {
      const auto waiting = waits_for_.find(open.back());
      open.pop_back();
      if (waiting == waits_for_.end()) continue;
      for (const std::uint32_t one : waiting->second) {
        if (one != rank && found.insert(one).second) open.push_back(one);
      }
    }
    return {found.begin(), found.end()};
  }

  // A transfer that all members have started, seen from one of those that are least far.
  struct StuckTransfer {
    std::uint32_t rank = 0;
    LaneHead head;
    std::string key;                     // of the communicator
    std::vector<std::uint32_t> members;  // that are least far; several
  };

  std::span<const RankProgress> ranks_;
  std::int64_t newest_ = -1;
  std::vector<StuckTransfer> stuck_;
  HangVerdict verdict_;
  std::map<std::uint32_t, std::set<std::uint32_t>>
      waits_for_;  // by rank: who waits for it directly
};

std::string_view reason(Suspect::Why why) noexcept {
  switch (why) {
    case Suspect::Why::no_records:
      return "has recorded no step";
    case Suspect::Why::between_steps:
      return "has ended its step and not begun the next one";
    case Suspect::Why::not_started:
      return "could start this task and has not started it";
    case Suspect::Why::not_done:
      return "has started this task and not finished it";
    case Suspect::Why::not_noticed:
      return "is behind all other members in this transfer, which they have started";
    case Suspect::Why::transfer_stuck:
      return "has started this transfer, as all members have, and it does not end";
  }
  return "?";
}

}  // namespace

HangVerdict find_hang(std::span<const RankProgress> ranks) { return Search(ranks).run(); }

std::vector<std::uint32_t> find_stopped(std::span<const RankProgress> before,
                                        std::span<const RankProgress> after) {
  std::vector<std::uint32_t> stopped;
  for (std::uint32_t rank = 0; rank < after.size(); ++rank) {
    const RankProgress &one = before[rank], &other = after[rank];
    if (one.step == other.step && one.ended == other.ended && one.done == other.done)
      stopped.push_back(rank);
  }
  return stopped;
}

std::string to_string(const Suspect& suspect) {
  std::string text = fmt::format("rank {}", suspect.rank);
  if (suspect.step >= 0) text += fmt::format(", step {}", suspect.step);
  if (!suspect.task_name.empty())
    text += fmt::format(", lane {}, task {} ({})", graph::to_string(suspect.lane), suspect.task,
                        suspect.task_name);
  text += fmt::format(": {}", reason(suspect.why));
  if (!suspect.communicator.empty()) text += fmt::format(" ({})", suspect.communicator);
  if (!suspect.waiting.empty())
    text += fmt::format("; ranks {} wait for it", fmt::join(suspect.waiting, ", "));
  return text;
}

}  // namespace megascale::observe
