// A list schedule of each layer on two resources: one processor and one link. The schedule decides
// the issue order only. On a rank each lane runs its tasks in this order as soon as their inputs
// exist.
#include "megascale/plan/passes/order_layers.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/graph/ops/float8_ops.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::TensorId;

// Rates of the nominal device: a GPU of 2023 in a node. Only their ratios matter. A machine with
// slower links needs more work beside a transfer; one with faster links loses nothing by this order.
constexpr double kFlopsPerSecond = 600e12, kMemoryBytesPerSecond = 2e12,
                 kLinkBytesPerSecond = 120e9;
constexpr double kOpSeconds = 5e-6, kTransferSeconds = 15e-6;  // of an op without work
// The longest wait for an input, as a share of the op that would run instead.
constexpr double kMostIdle = 0.25;

// Returns whether a piece of an expert layer goes through the op, from the arrival of tokens or of
// gradients to the sums that return. Weight gradients can be computed at any time.
bool works_on_piece(const Op& op) {
  static const std::array<const graph::OpDef*, 20> kKinds{
      &graph::join_rows_op(),
      &graph::split_rows_op(),
      &graph::dispatch_map_op(),
      &graph::regroup_map_op(),
      &graph::gather_rows_op(),
      &graph::gather_weights_op(),
      &graph::reorder_rows_op(),
      &graph::grouped_linear_op(),
      &graph::quantised_grouped_linear_op(),
      &graph::gated_swiglu_op(),
      &graph::combine_rows_op(),
      &graph::combine_weighted_rows_op(),
      &graph::combine_weighted_rows_gradient_op(),
      &graph::grouped_linear_input_gradient_op(),
      &graph::quantised_grouped_input_gradient_op(),
      &graph::gated_swiglu_gradient_op(),
      &graph::gather_weights_gradient_op(),
      &graph::float8_counts_op(),
      &graph::pack_float8_op(),
      &graph::unpack_float8_op()};
  return op.phase != graph::Phase::recompute &&
         std::find(kKinds.begin(), kKinds.end(), op.def) != kKinds.end();
}

// Returns whether the op shows that the experts of the layer are cut, by rank or by expert.
bool is_of_piece(const Op& op) {
  return op.def == &graph::shift_op() ||
         op.attributes.integer(graph::attribute::expert_pieces, 1) > 1;
}

// One op of the layer that is ordered.
struct Node {
  const Op* op = nullptr;
  bool is_transfer = false;
  bool is_repeated = false;  // a transfer that recomputation repeats
  double seconds = 0;
  double behind = 0;                // seconds of the longest chain that begins with this op
  bool leads_to_piece = false;      // the transfer of a piece of experts waits for it
  std::vector<std::size_t> before;  // ops that must be issued before
  std::vector<std::size_t> after;
  bool issued = false;
  double end = 0;
};

class LayerOrder {
 public:
  LayerOrder(const graph::Program& program, std::vector<Op>::iterator begin,
             std::vector<Op>::iterator end)
      : program_(&program) {
    for (auto op = begin; op != end; ++op) add(*op);
    connect();
    keep_order_of_pieces();
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      for (const std::size_t next : nodes_[i].after) {
        nodes_[i].behind = std::max(nodes_[i].behind, nodes_[next].behind);
        nodes_[i].leads_to_piece |= nodes_[next].leads_to_piece;
      }
      // Weight gradients can be computed at any time, so they never come before an op that the next
      // layer waits for.
      if (nodes_[i].op->phase != graph::Phase::weight_gradient)
        nodes_[i].behind += nodes_[i].seconds;
    }
  }

  std::vector<Op> run() {
    while (order_.size() < nodes_.size()) {
      issue_transfers();
      const std::optional<std::size_t> next = next_computation();
      if (!next) {  // only repeated transfers are left that nothing runs beside
        issue_transfer(*best([&](const Node& node) { return node.is_transfer; }));
        continue;
      }
      if (nodes_[*next].op->def->gemm && link_free_ <= now_) issue_repeated();
      Node& node = nodes_[*next];
      now_ = std::max(now_, start(node)) + node.seconds;
      node.end = now_;
      issue(*next);
    }
    std::vector<Op> ops;
    ops.reserve(order_.size());
    for (const std::size_t i : order_) ops.push_back(*nodes_[i].op);
    return ops;
  }

 private:
  void add(const Op& op) {
    Node node{.op = &op, .is_transfer = op.def->transfer != nullptr};
    node.is_repeated = node.is_transfer && op.phase == graph::Phase::recompute;
    const std::int64_t pieces = op.attributes.integer(graph::attribute::expert_pieces, 1);
    double nbytes = 0, largest = 0;
    for (const TensorId operand : op.operands) {
      if (operand == graph::kNoTensor) continue;
      const graph::Tensor& tensor = program_->tensor(operand);
      MEGASCALE_CHECK(tensor.part.n == 0, "order_layers runs before split_tensor");
      double one = static_cast<double>(tensor.nbytes()) * tensor.expected_share();
      if (tensor.shape.size() == 3) one /= static_cast<double>(pieces);  // matrices of all experts
      nbytes += one;
      largest = std::max(largest, one);
    }
    if (node.is_transfer) {
      node.seconds = kTransferSeconds + largest / kLinkBytesPerSecond;
    } else {
      const double flops =
          op.def->cost == nullptr ? 0 : op.def->cost(graph::OpView(op, program_->tensors)).flops;
      node.seconds = kOpSeconds + std::max(flops / kFlopsPerSecond, nbytes / kMemoryBytesPerSecond);
    }
    nodes_.push_back(std::move(node));
  }

  // An op stands behind the last writer of everything that it touches, and a writer also behind
  // all readers. Counts of rows are read by every op that has such rows.
  void connect() {
    struct Users {
      std::optional<std::size_t> writer;
      std::vector<std::size_t> readers;
    };
    std::map<TensorId, Users> users;
    const auto order = [&](std::size_t first, std::size_t second) {
      if (first == second) return;
      nodes_[first].after.push_back(second);
      nodes_[second].before.push_back(first);
    };
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Op& op = *nodes_[i].op;
      const auto read = [&](TensorId tensor) {
        Users& of = users[tensor];
        if (of.writer) order(*of.writer, i);
        of.readers.push_back(i);
      };
      for (const TensorId count : graph::counts_of(op, program_->tensors)) read(count);
      for (std::size_t o = 0; o < op.operands.size(); ++o) {
        if (op.operands[o] == graph::kNoTensor) continue;
        if (op.def->operands[o].access == graph::Access::read) {
          read(op.operands[o]);
          continue;
        }
        Users& of = users[op.operands[o]];
        if (of.writer) order(*of.writer, i);
        for (const std::size_t reader : of.readers) order(reader, i);
        of = {.writer = i, .readers = {}};
      }
    }
  }

  // If experts are cut, the program has the pieces in the order in which they arrive and return.
  // By the lengths of their chains all pieces would advance together, and their results would be sent at
  // the end, when nothing is left to run beside.
  void keep_order_of_pieces() {
    if (std::none_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return is_of_piece(*node.op); }))
      return;
    std::optional<std::size_t> sent, computed;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const bool transfers = moves_piece(nodes_[i]);
      if (!transfers && !works_on_piece(*nodes_[i].op)) continue;
      nodes_[i].leads_to_piece = transfers;
      std::optional<std::size_t>& last = transfers ? sent : computed;
      if (last) {
        nodes_[*last].after.push_back(i);
        nodes_[i].before.push_back(*last);
      }
      last = i;
    }
  }
  static bool moves_piece(const Node& node) {
    return (node.op->def == &graph::shift_op() || node.op->def == &graph::all_to_all_v_op()) &&
           !node.is_repeated;
  }

  [[nodiscard]] bool can_be_issued(const Node& node) const {
    return !node.issued && std::all_of(node.before.begin(), node.before.end(),
                                       [&](std::size_t i) { return nodes_[i].issued; });
  }
  // Returns when the inputs of an op exist.
  [[nodiscard]] double start(const Node& node) const {
    double latest = 0;
    for (const std::size_t i : node.before) latest = std::max(latest, nodes_[i].end);
    return latest;
  }
  // A piece is sent as early as possible. Other work, such as a shared expert, is kept to run beside the
  // first and the last transfer, whether its chain is longer or not.
  [[nodiscard]] static bool comes_before(const Node& a, const Node& b) {
    if (a.leads_to_piece != b.leads_to_piece) return a.leads_to_piece;
    return a.behind > b.behind;
  }
  // Returns the op with the longest chain behind it among those that can be issued and for which
  // `is_wanted` is true. Of equals the first in the program wins.
  template <class Predicate>
  [[nodiscard]] std::optional<std::size_t> best(const Predicate& is_wanted) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!can_be_issued(nodes_[i]) || !is_wanted(nodes_[i])) continue;
      if (!found || comes_before(nodes_[i], nodes_[*found])) found = i;
    }
    return found;
  }
  // Returns the computation to issue next: of those whose inputs exist now, the one with the
  // longest chain behind it. If there is none, the one whose inputs exist first. The processor
  // rather idles for a moment than begins a long op before one with a longer chain.
  [[nodiscard]] std::optional<std::size_t> next_computation() const {
    const auto now =
        best([&](const Node& node) { return !node.is_transfer && start(node) <= now_; });
    if (now) {
      const Node& ready = nodes_[*now];
      const auto soon = best([&](const Node& node) {
        return !node.is_transfer && comes_before(node, ready) &&
               start(node) - now_ < kMostIdle * ready.seconds;
      });
      return soon ? soon : now;
    }
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].is_transfer || !can_be_issued(nodes_[i])) continue;
      if (!first || start(nodes_[i]) < start(nodes_[*first])) first = i;
    }
    return first;
  }

  void issue(std::size_t i) {
    nodes_[i].issued = true;
    order_.push_back(i);
  }
  void issue_transfer(std::size_t i) {
    Node& node = nodes_[i];
    link_free_ = std::max(link_free_, start(node)) + node.seconds;
    node.end = link_free_;
    issue(i);
  }
  void issue_transfers() {
    while (const auto next =
               best([](const Node& node) { return node.is_transfer && !node.is_repeated; }))
      issue_transfer(*next);
  }
  void issue_repeated() {
    if (const auto next = best([](const Node& node) { return node.is_repeated; }))
      issue_transfer(*next);
  }

  const graph::Program* program_;
  std::vector<Node> nodes_;         // in the order of the program
  std::vector<std::size_t> order_;  // result: numbers of nodes
  double now_ = 0;                  // the processor has ended its last op
  double link_free_ = 0;            // the link has ended its last transfer
};

bool has_expert_transfers(std::vector<Op>::const_iterator begin,
                          std::vector<Op>::const_iterator end) {
  return std::any_of(begin, end, [](const Op& op) {
    return op.def->transfer != nullptr && graph::lane_of(op) == graph::Lane::expert;
  });
}

void order_scopes(const graph::Program& program, std::vector<Op>& ops) {
  for (auto begin = ops.begin(); begin != ops.end();) {
    const auto end = std::find_if(begin, ops.end(), [&](const Op& op) {
      return op.scope != begin->scope || op.phase == graph::Phase::loss;
    });
    if (begin == end) {  // the loss unit stays as it is
      ++begin;
      continue;
    }
    if (has_expert_transfers(begin, end)) {
      std::vector<Op> ordered = LayerOrder(program, begin, end).run();
      std::move(ordered.begin(), ordered.end(), begin);
    }
    begin = end;
  }
}

}  // namespace

void order_layers(graph::Program& program) {
  order_scopes(program, program.forward);
  order_scopes(program, program.backward);
}

}  // namespace megascale::plan
