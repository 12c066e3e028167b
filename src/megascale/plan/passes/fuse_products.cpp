#include "megascale/plan/passes/fuse_products.h"

#include <algorithm>
#include <optional>

#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::OpDef;
using graph::Program;
using graph::TensorId;

constexpr std::size_t kOutputOfProduct = 3;  // of a linear and of its input gradient

// The product of the kind before `end` that makes the tensor.
std::optional<std::size_t> find_product(const std::vector<Op>& ops, std::size_t end,
                                        const OpDef& def, TensorId tensor) {
  for (std::size_t i = end; i-- > 0;) {
    if (ops[i].def == &def && ops[i].operands[kOutputOfProduct] == tensor) return i;
  }
  return std::nullopt;
}

// Only the op that makes it and one other know the tensor.
bool is_between_two(const Program& program, TensorId tensor) {
  const auto knows = [tensor](const Op& op) {
    return std::find(op.operands.begin(), op.operands.end(), tensor) != op.operands.end();
  };
  return std::count_if(program.forward.begin(), program.forward.end(), knows) +
             std::count_if(program.backward.begin(), program.backward.end(), knows) ==
         2;
}

// Devices have fused products for bfloat16 only: in a model of several dtypes some products stay.
bool is_fusible(const Program& program, const Op& product) {
  return program.tensor(product.operands[0]).dtype == DType::bfloat16;
}
// Nor do products with 8-bit operands compute GELU.
bool takes_gelu(const Program& program, const Op& product) {
  return is_fusible(program, product) && product.attributes.integer("fp8", 0) == 0;
}

Op fused(const OpDef& def, const Op& product, std::vector<TensorId> operands, Program& program) {
  return graph::make_op(def, std::move(operands), product.attributes, product, program.tensors);
}

void erase(std::vector<Op>& ops, std::size_t i) {
  ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
}

// The sum before GELU is kept for the backward, so others may read it.
void fuse_gelu(Program& program) {
  std::vector<Op>& ops = program.forward;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].def != &graph::gelu_op()) continue;
    const TensorId sum = ops[i].operands[0], output = ops[i].operands[1];
    const auto maker = find_product(ops, i, graph::linear_op(), sum);
    if (!maker || !takes_gelu(program, ops[*maker])) continue;
    Op& product = ops[*maker];
    product = fused(graph::linear_gelu_op(), product,
                    {product.operands[0], product.operands[1], product.operands[2], sum, output},
                    program);
    erase(ops, i--);
  }
}

void fuse_gelu_gradient(Program& program) {
  std::vector<Op>& ops = program.backward;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].def != &graph::gelu_gradient_op()) continue;
    const TensorId dy = ops[i].operands[0];
    const auto maker = find_product(ops, i, graph::linear_input_gradient_op(), dy);
    if (!maker || ops[*maker].operands[2] != graph::kNoTensor ||
        !takes_gelu(program, ops[*maker]) || !is_between_two(program, dy))
      continue;
    const Op& product = ops[*maker];
    ops[i] =
        fused(graph::linear_gelu_gradient_op(), product,
              {product.operands[0], product.operands[1], ops[i].operands[1], ops[i].operands[2]},
              program);
    erase(ops, *maker);
    --i;
  }
}

void fuse_residual(Program& program) {
  std::vector<Op>& ops = program.forward;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].def != &graph::add_op()) continue;
    // The branch is the second of the two, as a rule.
    for (const std::size_t branch : {std::size_t{1}, std::size_t{0}}) {
      const TensorId partial = ops[i].operands[branch];
      const auto maker = find_product(ops, i, graph::linear_op(), partial);
      if (!maker || !is_fusible(program, ops[*maker]) || !is_between_two(program, partial))
        continue;
      const Op& product = ops[*maker];
      ops[i] = fused(graph::linear_add_op(), product,
                     {product.operands[0], product.operands[1], product.operands[2],
                      ops[i].operands[1 - branch], ops[i].operands[2]},
                     program);
      erase(ops, *maker);
      --i;
      break;
    }
  }
}

}  // namespace

void fuse_products(Program& program, const FuseProducts& options) {
  if (options.gelu) {
    fuse_gelu(program);
    fuse_gelu_gradient(program);
  }
  if (options.residual) fuse_residual(program);
}

}  // namespace megascale::plan
