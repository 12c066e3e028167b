// Finds the gradient products that add to one main gradient, and lays what they read one behind the
// other.
#include "megascale/plan/passes/merge_weight_gradients.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::TensorId;

bool is_grouped_weight_gradient(const Op& op) {
  return op.def == &graph::grouped_linear_weight_gradient_op() ||
         op.def == &graph::grouped_linear_weight_gradient_added_op();
}

class PieceMerger {
 public:
  explicit PieceMerger(graph::Program& program) : program_(&program) {}

  Op merged(std::vector<const Op*> products) {
    using enum graph::grouped_linear_weight_gradient::Operand;
    // The products of all weights have the pieces in one order, since they share the counts.
    std::sort(products.begin(), products.end(),
              [](const Op* a, const Op* b) { return a->operands[groups] < b->operands[groups]; });
    Op op = *products.front();
    for (const std::size_t operand : {gradient, input, groups}) {
      std::vector<TensorId> parts;
      parts.reserve(products.size());
      for (const Op* product : products) parts.push_back(product->operands[operand]);
      op.operands[operand] = whole(parts);
    }
    op.attributes.set(graph::attribute::pieces, static_cast<std::int64_t>(products.size()));
    return op;
  }

 private:
  // Returns the tensor that consists of these. Two products may read the same ones.
  TensorId whole(const std::vector<TensorId>& parts) {
    if (const auto known = wholes_.find(parts); known != wholes_.end()) return known->second;
    graph::Tensor tensor = program_->tensor(parts.front());
    tensor.name += "/pieces";
    graph::Dim rows(0);
    const TensorId id{static_cast<std::uint32_t>(program_->tensors.size())};
    for (const TensorId part : parts) {
      graph::Tensor& one = program_->tensors[graph::index(part)];
      const graph::Dim& own = one.shape[0];
      MEGASCALE_CHECK(one.part.n == 0 && own.size == tensor.shape[0].size,
                      "pieces of one size that are no parts of other tensors");
      one.part = {.whole = id, .axes = {graph::Axis::expert}, .k = 0, .n = 1, .begin = rows.size};
      rows.size += own.size;
      rows.mean += own.mean;
    }
    tensor.shape[0] = rows;
    program_->tensors.push_back(std::move(tensor));
    return wholes_[parts] = id;
  }

  graph::Program* program_;
  std::map<std::vector<TensorId>, TensorId> wholes_;
};

}  // namespace

void merge_weight_gradients(graph::Program& program) {
  using enum graph::grouped_linear_weight_gradient::Operand;
  std::vector<Op>& ops = program.backward;
  // By main gradient, and by the size of a piece: a rank's own tokens may be more than those of a part.
  std::map<TensorId, std::map<std::int64_t, std::vector<std::size_t>>> products;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!is_grouped_weight_gradient(ops[i])) continue;
    const std::int64_t rows = program.tensor(ops[i].operands[input]).shape[0].size;
    products[ops[i].operands[weight_gradient]][rows].push_back(i);
  }
  PieceMerger merger(program);
  std::map<std::size_t, Op> merged;  // by place
  std::vector<bool> gone(ops.size(), false);
  for (const auto& [gradient, by_size] : products) {
    std::map<std::size_t, Op> of_gradient;  // by place
    for (const auto& [rows, places] : by_size) {
      if (places.size() < 2) continue;
      std::vector<const Op*> pieces;
      for (const std::size_t place : places) {
        pieces.push_back(&ops[place]);
        gone[place] = true;
      }
      of_gradient.emplace(places.back(), merger.merged(std::move(pieces)));
    }
    if (of_gradient.empty()) continue;
    for (const auto& [rows, places] : by_size) {
      if (places.size() == 1) of_gradient.emplace(places.front(), ops[places.front()]);
    }
    // Only the first product of a micro-batch may overwrite the gradient.
    for (auto& [place, op] : of_gradient)
      op.def = place == of_gradient.begin()->first
                   ? &graph::grouped_linear_weight_gradient_op()
                   : &graph::grouped_linear_weight_gradient_added_op();
    merged.merge(of_gradient);
  }
  if (merged.empty()) return;
  std::vector<Op> out;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (const auto found = merged.find(i); found != merged.end()) {
      out.push_back(std::move(found->second));
    } else if (!gone[i]) {
      out.push_back(std::move(ops[i]));
    }
  }
  ops = std::move(out);
}

}  // namespace megascale::plan
