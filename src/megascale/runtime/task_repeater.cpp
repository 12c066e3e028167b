// Operands of a task may overlap: it may write where it reads, or write a part of what it reads.
// Overlapping operands form a piece. Pieces with a written byte are copied as a whole, and their
// operands point into the copy in the second run. So both runs see the same picture. The scratch is
// left out: its content has no meaning after a task, and both runs use it.
#include "megascale/runtime/task_repeater.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "megascale/base/state_digest.h"
#include "megascale/runtime/bound_tasks.h"

namespace megascale::runtime {
namespace {

// Copies begin at the same place of a cache line as their originals: kernels see the same alignment.
constexpr std::uint64_t kAlignment = 64;

std::uint64_t address_of(const std::byte* byte) noexcept {
  return reinterpret_cast<std::uintptr_t>(byte);
}
const std::byte* at_address(std::uint64_t address) noexcept {
  return reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(address));
}

std::size_t operands_without_scratch(const plan::PlanOp& op) noexcept {
  return op.operands.size() - (op.has_scratch ? 1 : 0);
}

bool is_repeatable(const plan::Task& task, const plan::PlanOp& op) noexcept {
  return op.lane == graph::Lane::compute && !op.def->transfer && !task.carried;
}

}  // namespace

template <class BeginOf>
std::uint64_t TaskRepeater::find_pieces(const plan::StepPlan& plan, const plan::Task& task,
                                        const BeginOf& begin_of, std::vector<Piece>& pieces) {
  pieces.clear();
  const plan::PlanOp& op = plan.op(task);
  for (std::size_t i = 0; i < operands_without_scratch(op); ++i) {
    const plan::Operand& operand = op.operands[i];
    if (operand.buffer == plan::kNoBuffer || operand.nbytes == 0) continue;
    const std::uint64_t begin = begin_of(i);
    pieces.push_back({.begin = begin,
                      .end = begin + operand.nbytes,
                      .is_written = operand.access != graph::Access::read});
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  std::size_t count = 0;  // of pieces that do not overlap, so far
  for (const Piece& next : pieces) {
    if (count > 0 && next.begin < pieces[count - 1].end) {
      Piece& last = pieces[count - 1];
      last.end = std::max(last.end, next.end);
      last.is_written = last.is_written || next.is_written;
    } else {
      pieces[count++] = next;
    }
  }
  pieces.resize(count);
  std::erase_if(pieces, [](const Piece& piece) { return !piece.is_written; });
  std::uint64_t end = 0;
  for (Piece& piece : pieces) {
    piece.copy = (end + kAlignment - 1) / kAlignment * kAlignment + piece.begin % kAlignment;
    end = piece.copy + (piece.end - piece.begin);
  }
  return end;
}

std::uint64_t TaskRepeater::nbytes_for(const plan::VerifiedPlan& verified) {
  const plan::StepPlan& plan = verified.plan();
  std::vector<Piece> pieces;
  std::uint64_t nbytes = 0;
  for (const plan::Task& task : plan.tasks()) {
    const plan::PlanOp& op = plan.op(task);
    if (!is_repeatable(task, op)) continue;
    const auto begin_of = [&](std::size_t i) {
      return plan.range(task, op.operands[i], verified.binding().coordinates).begin;
    };
    nbytes = std::max(nbytes, find_pieces(plan, task, begin_of, pieces));
  }
  return nbytes;
}

void TaskRepeater::prepare(const plan::VerifiedPlan& plan) {
  const std::uint64_t nbytes = nbytes_for(plan) + kAlignment;
  std::size_t operands = 0;
  for (const plan::PlanOp& op : plan.plan().ops())
    operands = std::max(operands, op.operands.size());
  try {
    pieces_.reserve(operands);
    operands_.reserve(operands);
    if (allocated_.size() < nbytes) allocated_.resize(nbytes);
  } catch (const std::bad_alloc&) {
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("train.repeat_interval needs {} bytes for copies of what a task writes, "
                    "and the system refuses them; set it to 0, or use more ranks",
                    nbytes));
  }
  memory_ =
      allocated_.data() + (kAlignment - address_of(allocated_.data()) % kAlignment) % kAlignment;
}

const Error* TaskRepeater::run(const BoundTasks& tasks, std::uint32_t id) noexcept {
  const plan::StepPlan& plan = tasks.step_plan();
  const plan::Task& task = plan.tasks()[id];
  const TaskArguments arguments = tasks.arguments(id);
  find_pieces(
      plan, task, [&](std::size_t i) { return address_of(arguments.operands[i]); }, pieces_);
  for (const Piece& piece : pieces_)
    std::memcpy(copy_of(piece), at_address(piece.begin), piece.end - piece.begin);
  if (const Error* error = tasks.plan.functions[plan::index(task.op)]->run(arguments);
      error != nullptr)
    return error;
  const Error* const error = run_again(tasks, id, arguments);
  return error != nullptr ? error : compare(tasks, id);
}

// Runs the task on the copies.
const Error* TaskRepeater::run_again(const BoundTasks& tasks, std::uint32_t id,
                                     const TaskArguments& arguments) noexcept {
  const plan::Task& task = tasks.step_plan().tasks()[id];
  operands_.assign(arguments.operands.begin(), arguments.operands.end());
  for (std::size_t i = 0; i < operands_without_scratch(tasks.step_plan().op(task)); ++i) {
    const std::uint64_t begin = address_of(operands_[i]);
    for (const Piece& piece : pieces_) {
      if (begin >= piece.begin && begin < piece.end)
        operands_[i] = copy_of(piece) + (begin - piece.begin);
    }
  }
  TaskFunction& function = *tasks.plan.functions[plan::index(task.op)];
  TaskArguments again = arguments;
  again.operands = operands_;
  // The digests of an update count once.
  auto* const updates = dynamic_cast<UpdatesState*>(&function);
  const StateDigests digests = updates != nullptr ? updates->take_digests() : StateDigests{};
  const Error* const error = function.run(again);
  if (updates != nullptr) {
    (void)updates->take_digests();
    updates->add_digests(digests);
  }
  return error;
}

const Error* TaskRepeater::compare(const BoundTasks& tasks, std::uint32_t id) noexcept {
  const plan::PlanOp& op = tasks.step_plan().op(tasks.step_plan().tasks()[id]);
  const TaskArguments arguments = tasks.arguments(id);
  for (std::size_t i = 0; i < operands_without_scratch(op); ++i) {
    if (op.operands[i].buffer == plan::kNoBuffer || op.operands[i].access == graph::Access::read)
      continue;
    const std::byte* const first = arguments.operands[i];
    const std::byte* const second = operands_[i];
    const std::uint64_t nbytes = op.operands[i].nbytes;
    if (std::memcmp(first, second, nbytes) == 0) continue;
    std::uint64_t differ = 0, at = nbytes;
    for (std::uint64_t b = nbytes; b-- > 0;) {
      if (first[b] == second[b]) continue;
      ++differ;
      at = b;
    }
    error_.emplace(
        ErrorCode::corrupt_data,
        fmt::format("the task has two results: done twice with the same inputs, {} of {} bytes of "
                    "its operand {} differ, the first at {} ({:#04x} and {:#04x}); check the "
                    "processor and the memory of this host (megascale diagnose)",
                    differ, nbytes,
                    i < op.def->operands.size() ? op.def->operands[i].name : "(counts)", at,
                    std::to_integer<unsigned>(first[at]), std::to_integer<unsigned>(second[at])));
    return &*error_;
  }
  return nullptr;
}

}  // namespace megascale::runtime
