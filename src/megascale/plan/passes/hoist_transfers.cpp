// Moves group transfers in the backward program forward, to the op that writes their input. Ops
// that pack the input of a transfer move in the same way, since they stand in front of it.
#include "megascale/plan/passes/hoist_transfers.h"

#include <algorithm>

namespace megascale::plan {
namespace {

bool makes_input_of(const graph::Op& maker, const graph::Op& transfer) {
  for (std::size_t t = 0; t < transfer.operands.size(); ++t) {
    if (transfer.operands[t] == graph::kNoTensor ||
        transfer.def->operands[t].access != graph::Access::read)
      continue;
    for (std::size_t m = 0; m < maker.operands.size(); ++m) {
      if (maker.def->operands[m].access != graph::Access::read &&
          maker.operands[m] == transfer.operands[t]) {
        return true;
      }
    }
  }
  return false;
}

// Returns whether the op is a transfer of a group, or packs the bytes for one. A packing op that
// stayed behind the weight gradient would keep its transfer there, too.
bool is_group_transfer(const graph::Op& op) {
  const bool transfers = op.def->transfer != nullptr && !graph::is_between_stages(op);
  return (transfers || op.def->packs) && op.phase != graph::Phase::recompute;
}

}  // namespace

void hoist_transfers(graph::Program& program) {
  auto& ops = program.backward;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!is_group_transfer(ops[i])) continue;
    std::size_t behind = i;
    while (behind > 0 && !makes_input_of(ops[behind - 1], ops[i])) --behind;
    if (behind == 0) continue;  // its input was written in the forward program: it stays
    // Transfers of one tensor stay in their order, in which their results are needed.
    const graph::Op& writer = ops[behind - 1];
    while (behind < i && is_group_transfer(ops[behind]) && makes_input_of(writer, ops[behind]))
      ++behind;
    std::rotate(ops.begin() + static_cast<std::ptrdiff_t>(behind),
                ops.begin() + static_cast<std::ptrdiff_t>(i),
                ops.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

}  // namespace megascale::plan
