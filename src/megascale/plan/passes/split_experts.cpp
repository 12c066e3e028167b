// Looks for products of one piece of the experts, and replaces the operands with a matrix or a scale for each
// expert by a part of them.
#include "megascale/plan/passes/split_experts.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::TensorId;

// Returns the operands that have one element for each expert along their first axis: matrices, and the scales of
// their codes. None if the op is no product of experts.
std::vector<std::size_t> operands_by_expert(const Op& op) {
  namespace quantised = graph::quantised_grouped_linear;
  namespace quantised_gradient = graph::quantised_grouped_input_gradient;
  if (op.def == &graph::grouped_linear_op()) return {graph::grouped_linear::weight};
  if (op.def == &graph::grouped_linear_input_gradient_op())
    return {graph::grouped_linear_input_gradient::weight};
  if (op.def == &graph::grouped_linear_weight_gradient_op())
    return {graph::grouped_linear_weight_gradient::weight_gradient};
  if (op.def == &graph::quantised_grouped_linear_op())
    return {quantised::weight, quantised::weight_scales};
  if (op.def == &graph::quantised_grouped_input_gradient_op())
    return {quantised_gradient::weight, quantised_gradient::weight_scales};
  return {};
}

class ExpertSplitter {
 public:
  explicit ExpertSplitter(graph::Program& program) : program_(&program) {}

  void split(std::vector<Op>& ops) {
    for (Op& op : ops) {
      const std::int64_t pieces = op.attributes.integer(graph::attribute::expert_pieces, 1);
      if (pieces == 1) continue;
      for (const std::size_t operand : operands_by_expert(op)) {
        TensorId& all = op.operands[operand];
        all = part(all, pieces, op.attributes.integer(graph::attribute::expert_piece));
      }
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
