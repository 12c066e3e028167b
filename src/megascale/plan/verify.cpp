#include "megascale/plan/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "megascale/plan/access_history.h"
#include "megascale/plan/clocks.h"
#include "megascale/plan/coordinates.h"
#include "megascale/plan/reporter.h"
#include "megascale/plan/untimed.h"

namespace megascale::plan {
namespace {

// Carried tasks of a step that still run when the next one starts: those behind the last other task
// of their lane.
std::vector<std::uint32_t> carried_tail(const StepPlan& plan) {
  std::vector<std::uint32_t> tail;
  std::array<bool, graph::kLaneCount> ended{};
  for (auto id = static_cast<std::uint32_t>(plan.tasks().size()); id-- > 0;) {
    const Task& task = plan.tasks()[id];
    bool& lane_ended = ended[static_cast<std::size_t>(plan.op(task).lane)];
    lane_ended = lane_ended || !task.carried;
    if (!lane_ended) tail.push_back(id);
  }
  std::reverse(tail.begin(), tail.end());
  return tail;
}

// Every pair of conflicting accesses is ordered, those of the step before's carried tasks included:
// they are done once anything of their lane is.
void check_hazards(const RankPlan& rank, const PlaceCover& cover, const Coordinates& place,
                   std::vector<Violation>& violations) {
  const StepPlan& plan = *rank.plan;
  Reporter reporter(violations, rank);
  Clocks clocks(plan.tasks().size());
  AccessHistory history;
  constexpr std::uint32_t kStepBefore = 0;  // as a place in a lane
  for (const std::uint32_t id : carried_tail(plan)) {
    const Task& task = plan.tasks()[id];
    for (const Operand& operand : plan.op(task).operands) {
      if (operand.buffer == kNoBuffer) continue;
      history.visit(cover.range(plan, task, operand, place),
                    StepPlan::access(task, operand) != graph::Access::read,
                    {.task = id, .count = kStepBefore, .lane = plan.op(task).lane},
                    [](const auto&) {});
    }
  }
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const Task& task = plan.tasks()[id];
    const PlanOp& op = plan.op(task);
    Clock clock = clocks.lane_clock(op.lane);
    for (const Wait& wait : plan.waits(task)) clocks.join(clock, wait);
    clocks.push(op.lane, clock);
    const AccessHistory::Access self{.task = id, .count = clocks.issued(op.lane), .lane = op.lane};
    for (const Operand& operand : op.operands) {
      if (operand.buffer == kNoBuffer) continue;
      const bool writes = StepPlan::access(task, operand) != graph::Access::read;
      const ByteRange range = cover.range(plan, task, operand, place);
      history.visit(range, writes, self, [&](const AccessHistory::Access& earlier) {
        if (earlier.task == id) return;
        const bool carried = earlier.count == kStepBefore;
        if (carried && earlier.lane == op.lane) return;
        if (clock[static_cast<std::size_t>(earlier.lane)] >= (carried ? 1 : earlier.count)) return;
        reporter.add(
            ViolationKind::hazard, id,
            fmt::format(
                "{} bytes [{}, {}) of buffer {} without waiting for task {} ({}) on lane {}{}",
                writes ? "writes" : "reads", range.begin, range.end,
                plan.buffer(operand.buffer).name, earlier.task, plan.task_name(earlier.task),
                graph::to_string(earlier.lane),
                carried ? ", carried over from the step before" : ""));
      });
    }
  }
}

// At the one place of a rank.
void check_hazards(const RankPlan& rank, std::vector<Violation>& violations) {
  PlaceCover exact;
  for (std::size_t axis = 0; axis < graph::kAxisCount; ++axis) {
    exact.enumerated.insert(static_cast<graph::Axis>(axis));
  }
  check_hazards(rank, exact, rank.binding.coordinates, violations);
}

struct Transfer {
  std::uint32_t task = 0;
  const PlanOp* op = nullptr;
};

// "all_reduce of 4096 bytes (float32)"
std::string describe(const PlanOp& op) {
  std::string bytes;
  for (const Operand& operand : op.operands)
    bytes += fmt::format("{}{}", bytes.empty() ? "" : " and ", operand.nbytes);
  std::string text = fmt::format("{} of {} bytes", op.def->name, bytes);
  if (is(op, "all_reduce") || is(op, "reduce_scatter"))
    text += fmt::format(" ({})", megascale::to_string(dtype_of(op)));
  if (is(op, "broadcast")) text += fmt::format(" (root {})", op.attributes.integer("root", 0));
  if (is(op, "shift")) text += fmt::format(" (offset {})", op.attributes.integer("offset", 0));
  return text;
}

bool partners_agree(const PlanOp& a, const PlanOp& b) {
  if (is(a, "send") || is(a, "recv")) {
    return ((is(a, "send") && is(b, "recv")) || (is(a, "recv") && is(b, "send"))) &&
           a.operands[0].nbytes == b.operands[0].nbytes;
  }
  return describe(a) == describe(b);
}

// The transfers of every communicator come in the same number, order and size on all members.
void check_matching(const std::vector<RankPlan>& ranks, std::vector<Violation>& violations) {
  struct Side {
    const RankPlan* rank;
    std::vector<Transfer> transfers;
  };
  std::map<std::string, std::map<std::uint32_t, Side>> groups;  // key -> rank -> side
  std::map<std::string, std::vector<std::uint32_t>> members;
  for (const RankPlan& rank : ranks) {
    for (const CommunicatorBinding& binding : rank.binding.communicators) {
      groups[binding.key][rank.binding.rank].rank = &rank;
      const auto& [known, added] = members.try_emplace(binding.key, binding.members);
      if (added || known->second == binding.members) continue;
      Reporter(violations, rank)
          .add(ViolationKind::mismatch, 0,
               fmt::format("communicator {} is of ranks [{}] here, but [{}] on rank {}",
                           binding.key, fmt::join(binding.members, ", "),
                           fmt::join(known->second, ", "), groups[binding.key].begin()->first));
    }
    for (std::uint32_t id = 0; id < rank.plan->tasks().size(); ++id) {
      const PlanOp& op = rank.plan->op(rank.plan->tasks()[id]);
      if (!op.def->collective) continue;
      groups[rank.binding.communicators[index(op.communicator)].key][rank.binding.rank]
          .transfers.push_back({id, &op});
    }
  }
  for (const auto& [key, sides] : groups) {
    for (const std::uint32_t member : members[key]) {
      if (!sides.contains(member)) {
        const auto& [rank, side] = *sides.begin();
        if (side.transfers.empty()) continue;
        Reporter(violations, *side.rank)
            .add(ViolationKind::mismatch, side.transfers[0].task,
                 fmt::format("uses communicator {}, which rank {} does not have", key, member));
      }
    }
    const Side& first = sides.begin()->second;
    for (const auto& [rank, side] : sides) {
      Reporter reporter(violations, *side.rank);
      const std::size_t common = std::min(side.transfers.size(), first.transfers.size());
      for (std::size_t i = 0; &side != &first && i < common; ++i) {
        const Transfer &mine = side.transfers[i], &theirs = first.transfers[i];
        if (partners_agree(*mine.op, *theirs.op)) continue;
        reporter.add(
            ViolationKind::mismatch, mine.task,
            fmt::format("{} is number {} on {}, but rank {} does {} there (task {}, {})",
                        describe(*mine.op), i, key, first.rank->binding.rank, describe(*theirs.op),
                        theirs.task, first.rank->plan->task_name(theirs.task)));
        break;
      }
      if (side.transfers.size() == first.transfers.size()) continue;
      const bool mine_is_longer = side.transfers.size() > first.transfers.size();
      const Side& longer = mine_is_longer ? side : first;
      const Side& shorter = mine_is_longer ? first : side;
      Reporter(violations, *longer.rank)
          .add(ViolationKind::mismatch, longer.transfers[common].task,
               fmt::format("{} has no partner: rank {} does {} transfers on {}, this rank {}",
                           longer.transfers[common].op->def->name, shorter.rank->binding.rank,
                           shorter.transfers.size(), key, longer.transfers.size()));
    }
  }
}

// NCCL: a pair of ranks issues the transfers it shares in the same order, across lanes.
void check_issue_order(const std::vector<RankPlan>& ranks, std::vector<Violation>& violations) {
  using Shared = std::vector<std::pair<std::string, std::uint32_t>>;  // communicator, task
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<Shared, Shared>> pairs;
  for (const RankPlan& rank : ranks) {
    for (std::uint32_t id = 0; id < rank.plan->tasks().size(); ++id) {
      const PlanOp& op = rank.plan->op(rank.plan->tasks()[id]);
      if (!op.def->collective) continue;
      const CommunicatorBinding& binding = rank.binding.communicators[index(op.communicator)];
      const std::uint32_t me = rank.binding.rank;
      for (const std::uint32_t peer : binding.members) {
        if (peer == me) continue;
        auto& pair = pairs[{std::min(me, peer), std::max(me, peer)}];
        (me < peer ? pair.first : pair.second).emplace_back(binding.key, id);
      }
    }
  }
  for (const auto& [pair, sequences] : pairs) {
    const auto& [low, high] = sequences;
    for (std::size_t i = 0; i < std::min(low.size(), high.size()); ++i) {
      if (low[i].first == high[i].first) continue;
      const auto rank = std::find_if(
          ranks.begin(), ranks.end(),
          [&, high_rank = pair.second](const RankPlan& r) { return r.binding.rank == high_rank; });
      if (rank == ranks.end()) break;
      Reporter(violations, *rank)
          .add(ViolationKind::issue_order, high[i].second,
               fmt::format("issues its transfer number {} with rank {} on {}, but that rank issues "
                           "one on {} there",
                           i, pair.first, high[i].first, low[i].first));
      break;
    }
  }
}

}  // namespace

VerifiedPlan VerifiedPlan::bound_to(Binding binding) const {
  MEGASCALE_CHECK(whole_class_,
                  "a plan was proven for one rank of its class, and bound to another");
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

// Transfers match in kind, order and size, and one untimed execution completes.
void check_transfers(const std::vector<RankPlan>& ranks, std::vector<Violation>& violations) {
  check_matching(ranks, violations);
  check_issue_order(ranks, violations);
  for (const StuckTask& stuck : run_untimed(ranks)) {
    Reporter(violations, ranks[stuck.rank_index])
        .add(ViolationKind::deadlock, stuck.task, stuck.reason);
  }
}

// The ranks as if every class had one: members of a communicator become the first ranks of their
// classes, each once.
std::vector<RankPlan> fold(std::vector<RankPlan> classes, const parallel::RankGrid& grid) {
  constexpr auto kPipeline = static_cast<std::size_t>(graph::Axis::pipeline);
  for (RankPlan& rank : classes) {
    for (CommunicatorBinding& group : rank.binding.communicators) {
      std::vector<std::uint32_t> members;
      for (const std::uint32_t member : group.members) {
        Coordinates first{};
        first[kPipeline] = grid.coordinates(member)[kPipeline];
        const std::uint32_t folded = grid.rank(first);
        if (std::find(members.begin(), members.end(), folded) == members.end()) {
          members.push_back(folded);
        }
      }
      const auto me = std::find(members.begin(), members.end(), rank.binding.rank);
      group.my_index = static_cast<std::uint32_t>(me - members.begin());
      group.members = std::move(members);
    }
  }
  return classes;
}

}  // namespace

Verification verify(std::vector<RankPlan> ranks) {
  Verification result;
  bool structure = true;
  for (const RankPlan& rank : ranks)
    structure = check_structure(rank, result.violations) && structure;
  if (!structure) return result;  // the checks below count on it
  for (const RankPlan& rank : ranks) check_hazards(rank, result.violations);
  check_transfers(ranks, result.violations);
  if (!result.ok()) return result;
  for (RankPlan& rank : ranks) {
    result.plans.push_back(VerifiedPlan(std::move(rank), /*whole_class=*/false));
  }
  return result;
}

Verification verify_folded(std::vector<RankPlan> classes, const parallel::RankGrid& grid) {
  Verification result;
  bool structure = true;
  for (const RankPlan& rank : classes)
    structure = check_structure(rank, result.violations) && structure;
  if (!structure) return result;
  for (const RankPlan& rank : classes) {
    const PlaceCover cover = cover_places(*rank.plan);
    for (const Coordinates& place : cover.places) {
      check_hazards(rank, cover, place, result.violations);
    }
  }
  check_transfers(fold(classes, grid), result.violations);
  if (!result.ok()) return result;
  for (RankPlan& rank : classes) {
    result.plans.push_back(VerifiedPlan(std::move(rank), /*whole_class=*/true));
  }
  return result;
}

}  // namespace megascale::plan
