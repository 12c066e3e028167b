// Looks for products of one piece of the experts, and replaces the operand with a matrix for each expert by a
// part of it.
#include "megascale/plan/passes/split_experts.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "megascale/graph/ops/ops.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::TensorId;

// Returns the operand with a matrix for each expert; nothing if the op is no product of experts.
std::optional<std::size_t> matrices_of(const Op& op) {
  if (op.def == &graph::grouped_linear_op()) return graph::grouped_linear::weight;
  if (op.def == &graph::grouped_linear_input_gradient_op())
    return graph::grouped_linear_input_gradient::weight;
  if (op.def == &graph::grouped_linear_weight_gradient_op())
    return graph::grouped_linear_weight_gradient::weight_gradient;
  return std::nullopt;
}

class ExpertSplitter {
 public:
  explicit ExpertSplitter(graph::Program& program) : program_(&program) {}

  void split(std::vector<Op>& ops) {
    for (Op& op : ops) {
      const std::int64_t pieces = op.attributes.integer(graph::attribute::expert_pieces, 1);
      const std::optional<std::size_t> operand = matrices_of(op);
      if (pieces == 1 || !operand) continue;
      TensorId& matrices = op.operands[*operand];
      matrices = part(matrices, pieces, op.attributes.integer(graph::attribute::expert_piece));
    }
  }

 private:
  TensorId part(TensorId whole, std::int64_t pieces, std::int64_t piece) {
    if (const auto known = parts_.find({whole, piece}); known != parts_.end()) return known->second;
    graph::Tensor tensor = program_->tensor(whole);
    const std::int64_t experts = tensor.shape[0].size / pieces;
    tensor.name += fmt::format("/piece{}", piece);
    tensor.shape[0] = experts;
    tensor.part = {.whole = whole, .axes = {}, .k = 0, .n = 1, .begin = piece * experts};
    const TensorId id{static_cast<std::uint32_t>(program_->tensors.size())};
    program_->tensors.push_back(std::move(tensor));
    return parts_[{whole, piece}] = id;
  }

  graph::Program* program_;
  std::map<std::pair<TensorId, std::int64_t>, TensorId> parts_;
};

}  // namespace

void split_experts(graph::Program& program) {
  ExpertSplitter splitter(program);
  splitter.split(program.forward);
  splitter.split(program.backward);
}

}  // namespace megascale::plan
