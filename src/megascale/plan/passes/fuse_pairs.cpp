// Goes through the transfers of a program in order. From each it follows the rows to the product that
// first reads them, or back to the product that made them. The ops of the way are then brought together.
#include "megascale/plan/passes/fuse_pairs.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace megascale::plan {
namespace {

using graph::Access;
using graph::Op;
using graph::TensorId;

class PairFinder {
 public:
  PairFinder(const graph::Program& program, std::vector<Op>& ops, std::uint32_t& pairs)
      : program_(program), ops_(ops), pairs_(pairs) {}

  void run() {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (!can_be_paired(ops_[i]) || !is_group_transfer(ops_[i])) continue;
      if (!mark(i, ops_behind(i))) (void)mark(i, ops_before(i));
    }
  }

 private:
  static bool is_group_transfer(const Op& op) {
    if (op.def->transfer == nullptr || graph::is_between_stages(op)) return false;
    const graph::TransferOperands& named = op.def->transfer_operands;
    return named.given && named.taken && *named.given != *named.taken;
  }
  static bool can_be_paired(const Op& op) {
    return op.pair == 0 &&
           (op.phase == graph::Phase::forward || op.phase == graph::Phase::backward);
  }
  // Returns whether the op can stand between the ends of a pair, or be its product.
  [[nodiscard]] bool takes_tiles(const Op& op, const Op& transfer) const {
    return can_be_paired(op) && op.def->tile_flow && op.scope == transfer.scope &&
           op.phase == transfer.phase && graph::lane_of(op) == graph::Lane::compute;
  }

  [[nodiscard]] bool touches(const Op& op, TensorId tensor, bool writing) const {
    for (std::size_t o = 0; o < op.operands.size(); ++o) {
      if (op.operands[o] == graph::kNoTensor ||
          program_.owner(op.operands[o]) != program_.owner(tensor))
        continue;
      if (!writing || op.def->operands[o].access != Access::read) return true;
    }
    if (writing) return false;
    const std::vector<TensorId> counts = graph::counts_of(op, program_.tensors);
    return std::find(counts.begin(), counts.end(), tensor) != counts.end();
  }
  // Returns whether the two ops must keep their order.
  [[nodiscard]] bool depend(const Op& a, const Op& b) const {
    const auto writes_what_touches = [&](const Op& writer, const Op& other) {
      for (std::size_t o = 0; o < writer.operands.size(); ++o) {
        if (writer.operands[o] != graph::kNoTensor &&
            writer.def->operands[o].access != Access::read &&
            touches(other, writer.operands[o], false))
          return true;
      }
      return false;
    };
    return writes_what_touches(a, b) || writes_what_touches(b, a);
  }

  // Returns the ops from the first reader of what the transfer brings to a product; empty if the way
  // leads to no product.
  [[nodiscard]] std::vector<std::size_t> ops_behind(std::size_t transfer) const {
    std::vector<std::size_t> way;
    TensorId rows = ops_[transfer].operands[*ops_[transfer].def->transfer_operands.taken];
    for (std::size_t at = transfer + 1; at < ops_.size(); ++at) {
      const Op& op = ops_[at];
      if (op.scope != ops_[transfer].scope) break;
      if (!touches(op, rows, false)) continue;
      if (!takes_tiles(op, ops_[transfer])) break;
      const graph::TileFlow& flow = *op.def->tile_flow;
      const bool flows = op.operands[flow.input] == rows ||
                         (flow.second_input && op.operands[*flow.second_input] == rows);
      if (!flows) break;
      way.push_back(at);
      if (op.def->gemm) return way;
      rows = op.operands[flow.output];
    }
    return {};
  }

  [[nodiscard]] std::optional<std::size_t> writer_of(TensorId tensor, std::size_t before) const {
    if (tensor == graph::kNoTensor) return std::nullopt;
    for (std::size_t i = before; i-- > 0;) {
      if (touches(ops_[i], tensor, true)) return i;
    }
    return std::nullopt;
  }
  // Returns the ops from a product to the last writer of what the transfer sends; empty if the way comes
  // from no product.
  [[nodiscard]] std::vector<std::size_t> ops_before(std::size_t transfer) const {
    std::vector<std::size_t> way;
    TensorId rows = ops_[transfer].operands[*ops_[transfer].def->transfer_operands.given];
    for (std::size_t at = transfer;;) {
      const auto writer = writer_of(rows, at);
      if (!writer || !takes_tiles(ops_[*writer], ops_[transfer])) return {};
      const Op& op = ops_[*writer];
      const graph::TileFlow& flow = *op.def->tile_flow;
      if (op.operands[flow.output] != rows) return {};
      at = *writer;
      way.insert(way.begin(), at);
      if (op.def->gemm) return way;
      rows = op.operands[flow.input];
      // Of two inputs that are added, the one that is written last holds up the sum.
      if (flow.second_input && writer_of(op.operands[*flow.second_input], at) > writer_of(rows, at))
        rows = op.operands[*flow.second_input];
    }
  }

  // Brings the ops of the way together. Returns the place of the first; nothing if an op between them
  // has to stay there. Dependencies are kept even then.
  std::optional<std::size_t> join(const std::vector<std::size_t>& way) {
    const auto at = [&](std::size_t i) { return ops_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::size_t begin = way.front(), end = begin + 1;
    for (std::size_t k = 1; k < way.size(); ++k) {
      const std::size_t next = way[k];
      const auto between_depends_on = [&](const Op& op) {
        return std::any_of(at(end), at(next), [&](const Op& other) { return depend(op, other); });
      };
      if (!between_depends_on(ops_[next])) {
        std::rotate(at(end), at(next), at(next) + 1);
      } else if (std::none_of(at(begin), at(end), between_depends_on)) {
        std::rotate(at(begin), at(end), at(next));
        begin = next - (end - begin);
        end = next;
      } else {
        return std::nullopt;
      }
      ++end;
    }
    return begin;
  }

  bool mark(std::size_t transfer, const std::vector<std::size_t>& way) {
    if (way.empty()) return false;
    const auto begin = join(way);
    if (!begin) return false;
    ops_[transfer].pair = ++pairs_;
    for (std::size_t k = 0; k < way.size(); ++k) ops_[*begin + k].pair = pairs_;
    return true;
  }

  const graph::Program& program_;
  std::vector<Op>& ops_;
  std::uint32_t& pairs_;  // of the program so far
};

}  // namespace

void fuse_pairs(graph::Program& program) {
  std::uint32_t pairs = 0;
  PairFinder(program, program.forward, pairs).run();
  PairFinder(program, program.backward, pairs).run();
}

}  // namespace megascale::plan
