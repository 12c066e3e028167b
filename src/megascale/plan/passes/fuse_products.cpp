// Fuses matrix products with the op that follows them. Each function looks for the second op of its
// pattern and finds the product that wrote its input. It then checks that no other op needs the
// tensor between the two. The fused op keeps the name of the product.
#include "megascale/plan/passes/fuse_products.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::OpDef;
using graph::Program;
using graph::TensorId;

namespace attribute = graph::attribute;
namespace linear = graph::linear;
namespace linear_input_gradient = graph::linear_input_gradient;

// Returns the index, below `end`, of the op of this kind that writes the tensor as its product.
std::optional<std::size_t> find_product(const std::vector<Op>& ops, std::size_t end,
                                        const OpDef& def, TensorId tensor) {
  for (std::size_t i = end; i-- > 0;) {
    if (ops[i].def == &def && ops[i].operands[def.row_product->output] == tensor) return i;
  }
  return std::nullopt;
}

// Returns whether only two ops touch the tensor: the one that writes it and one other.
bool is_between_two(const Program& program, TensorId tensor) {
  const auto knows = [tensor](const Op& op) {
    return std::find(op.operands.begin(), op.operands.end(), tensor) != op.operands.end();
  };
  return std::count_if(program.forward.begin(), program.forward.end(), knows) +
             std::count_if(program.backward.begin(), program.backward.end(), knows) ==
         2;
}

// Devices have fused products for bfloat16 only. In a model with several dtypes some products stay
// as they are.
bool is_fusible(const Program& program, const Op& product) {
  return program.tensor(product.operands[linear::input]).dtype == DType::bfloat16;
}
// Products with 8-bit operands cannot be fused with GELU, and cuBLASLt's epilogues compute its tanh form only.
bool takes_gelu(const Program& program, const Op& product, const Op& gelu) {
  return is_fusible(program, product) && product.attributes.integer(attribute::fp8, 0) == 0 &&
         gelu.attributes.integer(attribute::exact, 0) == 0;
}

template <class Name>
Op fused(const graph::OpKind<Name>& kind, const Op& product,
         std::initializer_list<graph::Given<Name, TensorId>> operands, Program& program) {
  return graph::make_op(kind, operands, product.attributes,
                        static_cast<const graph::OpOrigin&>(product), program.tensors);
}

void erase(std::vector<Op>& ops, std::size_t i) {
  ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
}

// The fused op also writes the sum before GELU, which the backward needs. So other ops may read it.
void fuse_gelu(Program& program) {
  std::vector<Op>& ops = program.forward;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].def != &graph::gelu_op()) continue;
    const TensorId sum = ops[i].operands[graph::gelu::input];
    const TensorId output = ops[i].operands[graph::gelu::output];
    const auto maker = find_product(ops, i, graph::linear_op(), sum);
    if (!maker || !takes_gelu(program, ops[*maker], ops[i])) continue;
    Op& product = ops[*maker];
    product = fused(graph::linear_gelu_op(), product,
                    {{graph::linear_gelu::input, product.operands[linear::input]},
                     {graph::linear_gelu::weight, product.operands[linear::weight]},
                     {graph::linear_gelu::bias, product.operands[linear::bias]},
                     {graph::linear_gelu::sum, sum},
                     {graph::linear_gelu::output, output}},
                    program);
    erase(ops, i--);
  }
}

void fuse_gelu_gradient(Program& program) {
  std::vector<Op>& ops = program.backward;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].def != &graph::gelu_gradient_op()) continue;
    const TensorId dy = ops[i].operands[graph::gelu_gradient::gradient];
    const auto maker = find_product(ops, i, graph::linear_input_gradient_op(), dy);
    if (!maker || ops[*maker].operands[linear_input_gradient::addend] != graph::kNoTensor ||
        !takes_gelu(program, ops[*maker], ops[i]) || !is_between_two(program, dy))
      continue;
    const Op& product = ops[*maker];
    ops[i] = fused(
        graph::linear_gelu_gradient_op(), product,
        {{graph::linear_gelu_gradient::gradient, product.operands[linear_input_gradient::gradient]},
         {graph::linear_gelu_gradient::weight, product.operands[linear_input_gradient::weight]},
         {graph::linear_gelu_gradient::sum, ops[i].operands[graph::gelu_gradient::input]},
         {graph::linear_gelu_gradient::sum_gradient,
          ops[i].operands[graph::gelu_gradient::input_gradient]}},
        program);
    erase(ops, *maker);
    --i;
  }
}

void fuse_residual(Program& program) {
  std::vector<Op>& ops = program.forward;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].def != &graph::add_op()) continue;
    // The branch is usually the second operand, so it is tried first.
    for (const auto& [branch, other] :
         {std::pair(graph::add::b, graph::add::a), std::pair(graph::add::a, graph::add::b)}) {
      const TensorId partial = ops[i].operands[branch];
      const auto maker = find_product(ops, i, graph::linear_op(), partial);
      if (!maker || !is_fusible(program, ops[*maker]) || !is_between_two(program, partial))
        continue;
      const Op& product = ops[*maker];
      ops[i] = fused(graph::linear_add_op(), product,
                     {{graph::linear_add::input, product.operands[linear::input]},
                      {graph::linear_add::weight, product.operands[linear::weight]},
                      {graph::linear_add::bias, product.operands[linear::bias]},
                      {graph::linear_add::addend, ops[i].operands[other]},
                      {graph::linear_add::output, ops[i].operands[graph::add::output]}},
                     program);
      erase(ops, *maker);
      --i;
      break;
    }
  }
}

// The epilogue of a product with 8-bit operands knows no bias gradient.
void fuse_bias_gradient(Program& program) {
  namespace weight_gradient = graph::linear_weight_gradient;
  for (Op& op : program.backward) {
    if (op.def != &graph::linear_weight_gradient_op() ||
        op.operands[weight_gradient::bias_gradient] == graph::kNoTensor ||
        program.tensor(op.operands[weight_gradient::gradient]).dtype != DType::bfloat16 ||
        op.attributes.integer(attribute::fp8, 0) != 0)
      continue;
    op.attributes.set(attribute::sums_bias, std::int64_t{1});
  }
}

}  // namespace

void fuse_products(Program& program, const FuseProducts& options) {
  if (options.gelu) {
    fuse_gelu(program);
    fuse_gelu_gradient(program);
  }
  if (options.residual) fuse_residual(program);
  if (options.bias) fuse_bias_gradient(program);
}

}  // namespace megascale::plan
