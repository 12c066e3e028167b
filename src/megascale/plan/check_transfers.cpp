// Checks transfers across ranks. check_matching(): the n-th transfer on a communicator must be the
// same on all members. check_issue_order(): two ranks must issue the transfers that they share in
// the same order, even if those run on different communicators; NCCL would hang otherwise. Both
// compare lists of transfers that are collected once per rank.
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "megascale/graph/axis.h"
#include "megascale/plan/checks.h"

namespace megascale::plan {
namespace {

struct Transfer {
  std::uint32_t task = 0;
  const PlanOp* op = nullptr;
};

// The transfers that one member issues on a communicator, in issue order.
struct Side {
  const RankPlan* rank = nullptr;
  std::vector<Transfer> transfers;
};

struct Group {
  std::vector<std::uint32_t> members;
  std::map<std::uint32_t, Side> sides;  // by rank
};
using Groups = std::map<std::string, Group>;  // by key of the communicator

// Returns, for instance, "all_reduce of 4096 bytes (float32)".
std::string describe(const PlanOp& op) {
  std::string bytes;
  for (const Operand& operand : op.operands)
    bytes += fmt::format("{}{}", bytes.empty() ? "" : " and ", operand.nbytes);
  std::string text = fmt::format("{} of {} bytes", op.def->name, bytes);
  const TransferRule& rule = *op.def->transfer;
  if (rule.sum) text += fmt::format(" ({})", megascale::to_string(dtype_of(op)));
  if (rule.has_root())
    text += fmt::format(" (root {})", op.attributes.integer(graph::attribute::root, 0));
  if (rule.has_offset())
    text += fmt::format(" (offset {})", op.attributes.integer(graph::attribute::offset, 0));
  return text;
}

// Returns the bytes that this side of a send or receive moves.
std::uint64_t moved_nbytes(const PlanOp& op) {
  const graph::TransferOperands& named = op.def->transfer_operands;
  return op.operands[named.given ? *named.given : *named.taken].nbytes;
}

// Returns whether the transfers of two members match. Different transfers often have equal sizes.
// So both must also belong to one micro-batch and, if the members share a stage, be the same op.
bool partners_agree(const StepPlan& mine, std::uint32_t my_task, const StepPlan& theirs,
                    std::uint32_t their_task) {
  if (&mine == &theirs && my_task == their_task) return true;
  const Task &s = mine.tasks()[my_task], &t = theirs.tasks()[their_task];
  const PlanOp &a = mine.op(s), &b = theirs.op(t);
  if (s.micro_batch != t.micro_batch) return false;
  const TransferRule& rule = *a.def->transfer;
  if (rule.between_two()) {
    const TransferRule& other = *b.def->transfer;
    return other.between_two() && rule.gives == other.takes && rule.takes == other.gives &&
           moved_nbytes(a) == moved_nbytes(b);
  }
  const bool same_operands =
      std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                 [](const Operand& x, const Operand& y) { return x.nbytes == y.nbytes; });
  if (a.def != b.def || !same_operands) return false;
  const bool one_stage =
      !mine.communicators()[index(a.communicator)].axes.contains(graph::Axis::pipeline);
  if (one_stage &&
      (a.phase != b.phase || a.chunk != b.chunk || a.scope != b.scope || a.path != b.path)) {
    return false;
  }
  if (rule.sum && dtype_of(a) != dtype_of(b)) return false;
  const auto same = [&](std::string_view name) {
    return a.attributes.integer(name, 0) == b.attributes.integer(name, 0);
  };
  return (!rule.counted || same(graph::attribute::row_nbytes)) &&
         (!rule.has_root() || same(graph::attribute::root)) &&
         (!rule.has_offset() || same(graph::attribute::offset));
}

Groups find_groups(const std::vector<RankPlan>& ranks, std::vector<Violation>& violations) {
  Groups groups;
  for (const RankPlan& rank : ranks) {
    std::vector<Side*> sides;  // by communicator
    for (const CommunicatorBinding& binding : rank.binding.communicators) {
      const auto [found, added] =
          groups.try_emplace(binding.key, Group{.members = binding.members, .sides = {}});
      Group& group = found->second;
      group.sides[rank.binding.rank].rank = &rank;
      sides.push_back(&group.sides[rank.binding.rank]);
      if (added || group.members == binding.members) continue;
      Reporter(violations, rank)
          .add(ViolationKind::mismatch, 0,
               fmt::format("communicator {} is of ranks [{}] here, but [{}] on rank {}",
                           binding.key, fmt::join(binding.members, ", "),
                           fmt::join(group.members, ", "), group.sides.begin()->first));
    }
    for (std::uint32_t id = 0; id < rank.plan->tasks().size(); ++id) {
      const PlanOp& op = rank.plan->op(rank.plan->tasks()[id]);
      if (op.def->transfer) sides[index(op.communicator)]->transfers.push_back({id, &op});
    }
  }
  return groups;
}

// Compares one member with the first member of the group.
void compare(const std::string& key, const Side& side, const Side& first,
             std::vector<Violation>& violations) {
  const std::size_t common = std::min(side.transfers.size(), first.transfers.size());
  for (std::size_t i = 0; i < common; ++i) {
    const Transfer &mine = side.transfers[i], &theirs = first.transfers[i];
    if (partners_agree(*side.rank->plan, mine.task, *first.rank->plan, theirs.task)) continue;
    Reporter(violations, *side.rank)
        .add(ViolationKind::mismatch, mine.task,
             fmt::format("{} is number {} on {}, but rank {} does {} there (task {}, {})",
                         describe(*mine.op), i, key, first.rank->binding.rank, describe(*theirs.op),
                         theirs.task, first.rank->plan->task_name(theirs.task)));
    break;
  }
  if (side.transfers.size() == first.transfers.size()) return;
  const bool mine_is_longer = side.transfers.size() > first.transfers.size();
  const Side& longer = mine_is_longer ? side : first;
  const Side& shorter = mine_is_longer ? first : side;
  Reporter(violations, *longer.rank)
      .add(ViolationKind::mismatch, longer.transfers[common].task,
           fmt::format("{} has no partner: rank {} does {} transfers on {}, this rank {}",
                       longer.transfers[common].op->def->name, shorter.rank->binding.rank,
                       shorter.transfers.size(), key, longer.transfers.size()));
}

}  // namespace

void check_matching(const std::vector<RankPlan>& ranks, std::vector<Violation>& violations) {
  for (const auto& [key, group] : find_groups(ranks, violations)) {
    const Side& first = group.sides.begin()->second;
    for (const std::uint32_t member : group.members) {
      if (group.sides.contains(member) || first.transfers.empty()) continue;
      Reporter(violations, *first.rank)
          .add(ViolationKind::mismatch, first.transfers[0].task,
               fmt::format("uses communicator {}, which rank {} does not have", key, member));
    }
    for (const auto& [rank, side] : group.sides) {
      if (&side != &first) compare(key, side, first, violations);
    }
  }
}

void check_issue_order(const std::vector<RankPlan>& ranks, std::vector<Violation>& violations) {
  struct Shared {
    const std::string* key = nullptr;  // of the communicator
    std::uint32_t task = 0;
  };
  struct Pair {
    std::vector<Shared> low, high;        // in the order in which the two ranks issue them
    const RankPlan* high_rank = nullptr;  // null: not among the given ranks
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pair> pairs;
  for (const RankPlan& rank : ranks) {
    const std::uint32_t me = rank.binding.rank;
    std::vector<std::vector<std::vector<Shared>*>> peers;  // by communicator
    for (const CommunicatorBinding& binding : rank.binding.communicators) {
      auto& sequences = peers.emplace_back();
      for (const std::uint32_t peer : binding.members) {
        if (peer == me) continue;
        Pair& pair = pairs[{std::min(me, peer), std::max(me, peer)}];
        if (me > peer) pair.high_rank = &rank;
        sequences.push_back(me < peer ? &pair.low : &pair.high);
      }
    }
    for (std::uint32_t id = 0; id < rank.plan->tasks().size(); ++id) {
      const PlanOp& op = rank.plan->op(rank.plan->tasks()[id]);
      if (!op.def->transfer) continue;
      for (std::vector<Shared>* sequence : peers[index(op.communicator)]) {
        sequence->push_back({&rank.binding.communicators[index(op.communicator)].key, id});
      }
    }
  }
  for (const auto& [numbers, pair] : pairs) {
    for (std::size_t i = 0; i < std::min(pair.low.size(), pair.high.size()); ++i) {
      if (*pair.low[i].key == *pair.high[i].key) continue;
      Reporter(violations, *pair.high_rank)
          .add(ViolationKind::issue_order, pair.high[i].task,
               fmt::format("issues its transfer number {} with rank {} on {}, but that rank issues "
                           "one on {} there",
                           i, numbers.first, *pair.high[i].key, *pair.low[i].key));
      break;
    }
  }
}

}  // namespace megascale::plan
