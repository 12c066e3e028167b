#include "megascale/plan/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "megascale/plan/access_history.h"
#include "megascale/plan/clocks.h"
#include "megascale/plan/untimed.h"

namespace megascale::plan {
namespace {

constexpr std::size_t kReportsPerRank = 8;

class Reporter {
 public:
  Reporter(std::vector<Violation>& out, const RankPlan& rank) : out_(&out), rank_(&rank) {}
  void add(ViolationKind kind, std::uint32_t task, const std::string& what) {
    if (++reported_ > kReportsPerRank) return;
    out_->push_back({kind, rank_->binding.rank, task,
                     fmt::format("{}: rank {}, task {} ({}): {}", to_string(kind), rank_->binding.rank, task,
                                 rank_->plan->task_name(task), what)});
  }
  [[nodiscard]] bool clean() const noexcept { return reported_ == 0; }

 private:
  std::vector<Violation>* out_;
  const RankPlan* rank_;
  std::size_t reported_ = 0;
};

void check_operand(const RankPlan& rank, std::uint32_t id, const Operand& operand, Reporter& reporter) {
  const StepPlan& plan = *rank.plan;
  if (index(operand.buffer) >= plan.buffers().size()) {
    reporter.add(ViolationKind::malformed, id, "names a buffer that does not exist");
    return;
  }
  const Buffer& buffer = plan.buffer(operand.buffer);
  const std::uint64_t reach = operand.term.n == 0 ? 0 : (operand.term.n - 1) * operand.term.stride;
  const std::uint64_t end = operand.offset + reach + operand.nbytes;
  if (end > buffer.nbytes) {
    reporter.add(ViolationKind::malformed, id,
                 fmt::format("touches bytes up to {} of buffer {}, which holds {}", end, buffer.name, buffer.nbytes));
  }
  const Task& task = plan.tasks()[id];
  const std::uint32_t slot = buffer.slot_use == SlotUse::none          ? 0
                             : buffer.slot_use == SlotUse::micro_batch ? task.micro_batch
                                                                       : task.slots[static_cast<std::size_t>(buffer.slot_use)];
  if (slot >= buffer.slot_count) {
    reporter.add(ViolationKind::malformed, id,
                 fmt::format("names slot {} of buffer {}, which has {}", slot, buffer.name, buffer.slot_count));
  }
  if (buffer.offset + (buffer.slot_count - 1) * buffer.slot_stride + buffer.nbytes > plan.arena_nbytes()) {
    reporter.add(ViolationKind::malformed, id, fmt::format("buffer {} ends outside the arena of {} bytes", buffer.name,
                                                           plan.arena_nbytes()));
  }
}

// Operands, communicators and waits of one rank. Fills `clocks` as far as the waits are good.
bool check_structure(const RankPlan& rank, std::vector<Violation>& violations) {
  const StepPlan& plan = *rank.plan;
  Reporter reporter(violations, rank);
  std::array<std::uint32_t, graph::kLaneCount> issued{};
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const Task& task = plan.tasks()[id];
    const PlanOp& op = plan.op(task);
    for (const Operand& operand : op.operands) {
      if (operand.buffer != kNoBuffer) check_operand(rank, id, operand, reporter);
    }
    if (op.def->collective && index(op.communicator) >= rank.binding.communicators.size()) {
      reporter.add(ViolationKind::malformed, id, "communicates without a communicator");
    }
    for (const Wait& wait : plan.waits(task)) {
      const std::uint32_t before = issued[static_cast<std::size_t>(wait.lane)];
      if (wait.count == 0 || wait.count > before) {
        reporter.add(ViolationKind::bad_wait, id,
                     fmt::format("waits for task {} of lane {}, but only {} of smaller id stand there", wait.count,
                                 graph::to_string(wait.lane), before));
      }
    }
    ++issued[static_cast<std::size_t>(op.lane)];
  }
  return reporter.clean();
}

// Every pair of conflicting accesses is ordered.
void check_hazards(const RankPlan& rank, std::vector<Violation>& violations) {
  const StepPlan& plan = *rank.plan;
  Reporter reporter(violations, rank);
  Clocks clocks(plan.tasks().size());
  AccessHistory history;
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
      const ByteRange range = plan.range(task, operand, rank.binding.coordinates);
      history.visit(range, writes, self, [&](const AccessHistory::Access& earlier) {
        if (earlier.task == id || clock[static_cast<std::size_t>(earlier.lane)] >= earlier.count) return;
        reporter.add(ViolationKind::hazard, id,
                     fmt::format("{} bytes [{}, {}) of buffer {} without waiting for task {} ({}) on lane {}",
                                 writes ? "writes" : "reads", range.begin, range.end, plan.buffer(operand.buffer).name,
                                 earlier.task, plan.task_name(earlier.task), graph::to_string(earlier.lane)));
      });
    }
  }
}

std::uint64_t bytes_of(const PlanOp& op) {
  std::uint64_t bytes = 0;
  for (const Operand& operand : op.operands) bytes += operand.buffer == kNoBuffer ? 0 : operand.nbytes;
  return bytes;
}

struct Transfer {
  std::uint32_t task = 0;
  const PlanOp* op = nullptr;
};

bool partners_agree(const PlanOp& a, const PlanOp& b) {
  const auto is = [](const PlanOp& op, const char* name) { return op.def->name == name; };
  if (is(a, "send") || is(a, "recv")) {
    return ((is(a, "send") && is(b, "recv")) || (is(a, "recv") && is(b, "send"))) && bytes_of(a) == bytes_of(b);
  }
  return a.def == b.def && bytes_of(a) == bytes_of(b);
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
      members[binding.key] = binding.members;
    }
    for (std::uint32_t id = 0; id < rank.plan->tasks().size(); ++id) {
      const PlanOp& op = rank.plan->op(rank.plan->tasks()[id]);
      if (!op.def->collective) continue;
      groups[rank.binding.communicators[index(op.communicator)].key][rank.binding.rank].transfers.push_back({id, &op});
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
        reporter.add(ViolationKind::mismatch, mine.task,
                     fmt::format("{} of {} bytes is number {} on {}, but rank {} does {} of {} bytes there (task {}, {})",
                                 mine.op->def->name, bytes_of(*mine.op), i, key, first.rank->binding.rank,
                                 theirs.op->def->name, bytes_of(*theirs.op), theirs.task,
                                 first.rank->plan->task_name(theirs.task)));
        break;
      }
      if (side.transfers.size() == first.transfers.size()) continue;
      const bool mine_is_longer = side.transfers.size() > first.transfers.size();
      const Side& longer = mine_is_longer ? side : first;
      const Side& shorter = mine_is_longer ? first : side;
      Reporter(violations, *longer.rank)
          .add(ViolationKind::mismatch, longer.transfers[common].task,
               fmt::format("{} has no partner: rank {} does {} transfers on {}, this rank {}",
                           longer.transfers[common].op->def->name, shorter.rank->binding.rank, shorter.transfers.size(), key,
                           longer.transfers.size()));
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
      const auto rank = std::find_if(ranks.begin(), ranks.end(),
                                     [&, high_rank = pair.second](const RankPlan& r) { return r.binding.rank == high_rank; });
      if (rank == ranks.end()) break;
      Reporter(violations, *rank)
          .add(ViolationKind::issue_order, high[i].second,
               fmt::format("issues its transfer number {} with rank {} on {}, but that rank issues one on {} there", i,
                           pair.first, high[i].first, low[i].first));
      break;
    }
  }
}

}  // namespace

std::string_view to_string(ViolationKind kind) noexcept {
  switch (kind) {
    case ViolationKind::malformed: return "malformed plan";
    case ViolationKind::bad_wait: return "bad wait";
    case ViolationKind::mismatch: return "mismatched transfer";
    case ViolationKind::deadlock: return "deadlock";
    case ViolationKind::hazard: return "hazard";
    case ViolationKind::issue_order: return "issue order";
  }
  return "?";
}

Verification verify(std::vector<RankPlan> ranks) {
  Verification result;
  bool structure = true;
  for (const RankPlan& rank : ranks) structure = check_structure(rank, result.violations) && structure;
  if (!structure) return result;  // the checks below count on it
  for (const RankPlan& rank : ranks) check_hazards(rank, result.violations);
  check_matching(ranks, result.violations);
  check_issue_order(ranks, result.violations);
  for (const StuckTask& stuck : run_untimed(ranks)) {
    Reporter(result.violations, ranks[stuck.rank_index]).add(ViolationKind::deadlock, stuck.task, stuck.reason);
  }
  if (!result.ok()) return result;
  for (RankPlan& rank : ranks) result.plans.push_back(VerifiedPlan(std::move(rank)));
  return result;
}

}  // namespace megascale::plan
