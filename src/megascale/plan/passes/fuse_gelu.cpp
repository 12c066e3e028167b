#include "megascale/plan/passes/fuse_gelu.h"

#include <algorithm>
#include <optional>

#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::OpDef;
using graph::TensorId;

// The op of the kind before `end` that writes the tensor as its operand `output`.
std::optional<std::size_t> find_maker(const std::vector<Op>& ops, std::size_t end, const OpDef& def,
                                      std::size_t output, TensorId tensor) {
  for (std::size_t i = end; i-- > 0;) {
    if (ops[i].def == &def && ops[i].operands[output] == tensor) return i;
  }
  return std::nullopt;
}

bool reads(const Op& op, TensorId tensor) {
  return std::find(op.operands.begin(), op.operands.end(), tensor) != op.operands.end();
}

Op fused(const OpDef& def, const Op& product, std::vector<TensorId> operands,
         graph::Program& program) {
  return graph::make_op(def, std::move(operands), product.attributes, product.scope, product.path,
                        product.phase, program.tensors);
}

void fuse_forward(graph::Program& program) {
  std::vector<Op>& ops = program.forward;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].def != &graph::gelu_op()) continue;
    const TensorId sum = ops[i].operands[0], output = ops[i].operands[1];
    const auto maker = find_maker(ops, i, graph::linear_op(), 3, sum);
    if (!maker) continue;
    Op& product = ops[*maker];
    product = fused(graph::linear_gelu_op(), product,
                    {product.operands[0], product.operands[1], product.operands[2], sum, output},
                    program);
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i--));
  }
}

void fuse_backward(graph::Program& program) {
  std::vector<Op>& ops = program.backward;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].def != &graph::gelu_gradient_op()) continue;
    const TensorId dy = ops[i].operands[0];
    const auto maker = find_maker(ops, i, graph::linear_input_gradient_op(), 3, dy);
    if (!maker || ops[*maker].operands[2] != graph::kNoTensor) continue;
    const auto readers =
        std::count_if(ops.begin(), ops.end(), [&](const Op& op) { return reads(op, dy); });
    if (readers != 2) continue;  // the two of them
    const Op& product = ops[*maker];
    ops[i] =
        fused(graph::linear_gelu_gradient_op(), product,
              {product.operands[0], product.operands[1], ops[i].operands[1], ops[i].operands[2]},
              program);
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(*maker));
    --i;
  }
}

}  // namespace

void fuse_gelu(graph::Program& program) {
  fuse_forward(program);
  fuse_backward(program);
}

}  // namespace megascale::plan
