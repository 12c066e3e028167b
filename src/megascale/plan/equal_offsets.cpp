// Compares the offsets of every transfer of a communicator over all members. The memory rule of the
// transfer (TransferRule::Memory) says which operands must lie at equal offsets.
#include "megascale/plan/equal_offsets.h"

#include <set>

namespace megascale::plan {
namespace {

// The operands of one transfer, on all members.
class Offsets {
 public:
  Offsets(const StepPlan& plan, const Task& task, std::span<const Coordinates> members)
      : plan_(plan), task_(task), members_(members) {
    for (const Operand& operand : plan.op(task).operands) {
      if (operand.buffer == kNoBuffer) continue;
      (operand.access == graph::Access::read ? send_ : receive_) = &operand;
    }
  }
  [[nodiscard]] bool are_equal() const {
    const TransferRule& rule = *plan_.op(task_).def->transfer;
    switch (rule.memory) {
      case TransferRule::Memory::apart:
        return true;
      case TransferRule::Memory::same:
        return are_equal(*receive_);
      case TransferRule::Memory::own_block:
        break;
    }
    return rule.placed == TransferRule::Share::block
               ? are_equal(*receive_) && are_parts(*send_, *receive_)
               : are_equal(*send_) && are_parts(*receive_, *send_);
  }

 private:
  [[nodiscard]] std::uint64_t of(const Operand& operand, std::size_t member) const {
    return plan_.range(task_, operand, members_[member]).begin;
  }
  [[nodiscard]] bool are_equal(const Operand& operand) const {
    if (plan_.buffer(operand.buffer).category == Category::staging) return false;
    for (std::size_t m = 1; m < members_.size(); ++m) {
      if (of(operand, m) != of(operand, 0)) return false;
    }
    return true;
  }
  [[nodiscard]] bool are_parts(const Operand& part, const Operand& whole) const {
    if (are_equal(part)) return true;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (of(part, m) != of(whole, m) + m * part.nbytes) return false;
    }
    return true;
  }

  const StepPlan& plan_;
  const Task& task_;
  std::span<const Coordinates> members_;
  const Operand *send_ = nullptr, *receive_ = nullptr;
};

}  // namespace

bool has_equal_offsets(const StepPlan& plan, CommunicatorId communicator,
                       std::span<const Coordinates> members) {
  // One task per op suffices: another micro-batch moves the operands of all members alike.
  std::set<OpIndex> seen;
  for (const Task& task : plan.tasks()) {
    if (plan.op(task).communicator != communicator || !seen.insert(task.op).second) continue;
    if (!Offsets(plan, task, members).are_equal()) return false;
  }
  return true;
}

}  // namespace megascale::plan
