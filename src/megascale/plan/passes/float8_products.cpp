// A table says for each kind of product over which dimension of its operands the sum runs: along the
// rows (by_row) or down the columns (by_column) of a matrix. Scales lie along it, so they could be
// taken out of the sum, as products of 8-bit values on devices do.
#include "megascale/plan/passes/float8_products.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/ops/float8_ops.h"
#include "megascale/graph/ops/float8_parameter_ops.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::plan {
namespace {

using graph::Float8Scales;
using graph::Op;
using graph::TensorId;

namespace attribute = graph::attribute;

struct Factor {
  std::size_t operand = 0;
  Float8Scales scales = Float8Scales::by_row;
  // A stack of weights, one per expert, or rows that are sorted by expert.
  bool is_by_expert = false;
};
struct Product {
  const graph::OpDef* def = nullptr;
  std::array<Factor, 2> factors;
  std::optional<std::size_t> groups;  // rows of each expert
};

const std::vector<Product>& products() {
  using enum Float8Scales;
  namespace input_gradient = graph::linear_input_gradient;
  namespace weight_gradient = graph::linear_weight_gradient;
  namespace grouped = graph::grouped_linear;
  namespace grouped_input = graph::grouped_linear_input_gradient;
  namespace grouped_weight = graph::grouped_linear_weight_gradient;
  static const std::array<Factor, 2> rows_of_experts{
      {{grouped_weight::gradient, by_column, true}, {grouped_weight::input, by_column, true}}};
  static const std::vector<Product> all{
      {&graph::linear_op(),
       {{{graph::linear::input, by_row}, {graph::linear::weight, by_row}}},
       {}},
      {&graph::linear_input_gradient_op(),
       {{{input_gradient::gradient, by_row}, {input_gradient::weight, by_column}}},
       {}},
      {&graph::linear_weight_gradient_op(),
       {{{weight_gradient::gradient, by_column}, {weight_gradient::input, by_column}}},
       {}},
      {&graph::grouped_linear_op(),
       {{{grouped::input, by_row}, {grouped::weight, by_row, true}}},
       grouped::groups},
      {&graph::grouped_linear_input_gradient_op(),
       {{{grouped_input::gradient, by_row}, {grouped_input::weight, by_column, true}}},
       grouped_input::groups},
      {&graph::grouped_linear_weight_gradient_op(), rows_of_experts, grouped_weight::groups},
      {&graph::grouped_linear_weight_gradient_added_op(), rows_of_experts, grouped_weight::groups}};
  return all;
}

class Float8Products {
 public:
  Float8Products(graph::Program& program, const Float8Options& options)
      : program_(&program), options_(options) {}

  void run(std::vector<Op>& ops) {
    for (Op& op : ops) {
      if (op.def->gemm && op.attributes.integer(attribute::fp8, 0) != 0) round_factors(op);
      out_.push_back(std::move(op));
    }
    ops = std::exchange(out_, {});
    rounded_.clear();
    read_.clear();
  }

  // Other ops would take codes for values.
  void check_readers(const std::vector<Op>& ops) const {
    for (const Op& op : ops) {
      if (op.def == &graph::dequantise_float8_op()) continue;
      for (const TensorId operand : op.operands) {
        if (operand == graph::kNoTensor) continue;
        const graph::Parameter* parameter = program_->find_parameter(program_->owner(operand));
        MEGASCALE_CHECK(parameter == nullptr || parameter->scales == graph::kNoTensor, op.path);
      }
    }
  }

 private:
  void round_factors(Op& op) {
    const auto product = std::find_if(products().begin(), products().end(),
                                      [&](const Product& one) { return one.def == op.def; });
    MEGASCALE_CHECK(product != products().end(), op.def->name);
    sum_bias_gradient(op);
    for (const Factor& factor : product->factors)
      op.operands[factor.operand] = rounded(op, *product, factor);
    op.attributes.set(attribute::fp8, std::int64_t{0});
  }

  // The product would add up gradients that are rounded, so an op of its own computes it.
  void sum_bias_gradient(Op& op) {
    namespace weight_gradient = graph::linear_weight_gradient;
    if (op.def != &graph::linear_weight_gradient_op()) return;
    TensorId& sum = op.operands[weight_gradient::bias_gradient];
    if (sum == graph::kNoTensor) return;
    out_.push_back(
        graph::make_op(graph::bias_gradient_op(),
                       {{graph::bias_gradient::gradient, op.operands[weight_gradient::gradient]},
                        {graph::bias_gradient::bias_gradient, sum}},
                       {}, beside(op, "/bias"), program_->tensors));
    sum = graph::kNoTensor;
  }

  TensorId rounded(const Op& op, const Product& product, const Factor& factor) {
    TensorId tensor = op.operands[factor.operand];
    const bool whole = options_.recipe == Float8Recipe::tensorwise;
    graph::Parameter* const parameter = program_->find_parameter(tensor);
    if (options_.keep_parameters && parameter != nullptr) {
      tensor = read_back(op, factor, keep(*parameter));
      if (whole || factor.scales == Float8Scales::by_row) return tensor;
    }
    const graph::Shape& shape = program_->tensor(tensor).shape;
    const bool is_stack = shape.size() == 3;
    // With one scale for all rows, or one for each, it does not matter which expert has them.
    const bool by_groups = factor.is_by_expert && !is_stack && !whole;
    TensorId counts = graph::kNoTensor;
    std::int64_t blocks = is_stack ? shape[0].size : 1;
    if (by_groups) {
      counts = op.operands[*product.groups];
      blocks = program_->tensor(counts).shape[0].size;
    }
    const Float8Scales scales = whole ? Float8Scales::whole : factor.scales;
    TensorId& result =
        rounded_.try_emplace({op.scope, op.phase, tensor, scales, counts}, graph::kNoTensor)
            .first->second;
    if (result == graph::kNoTensor) {
      out_.push_back(graph::make_op(
          graph::round_float8_op(),
          {{graph::round_float8::input, tensor}, {graph::round_float8::counts, counts}},
          {{attribute::scales, static_cast<std::int64_t>(scales)}, {attribute::ranks, blocks}},
          beside(op, "/round_" + std::string(op.def->operands[factor.operand].name)),
          program_->tensors));
      result = out_.back().operands[graph::round_float8::output];
    }
    return result;
  }

  // Turns a parameter into one of codes with scales, unless it is one.
  const graph::Parameter& keep(graph::Parameter& parameter) {
    if (parameter.scales != graph::kNoTensor) return parameter;
    graph::Tensor& codes = program_->tensors[graph::index(parameter.tensor)];
    const graph::Shape& shape = codes.shape;
    std::int64_t scales = graph::numel(shape) / shape.back().size;
    if (options_.recipe == Float8Recipe::tensorwise) scales = shape.size() == 3 ? shape[0].size : 1;
    codes.dtype = DType::float8_e4m3;
    graph::Tensor of_scales{
        .name = codes.name + ".scales", .shape = {scales}, .role = graph::Role::parameter};
    parameter.scales = TensorId{static_cast<std::uint32_t>(program_->tensors.size())};
    program_->tensors.push_back(std::move(of_scales));
    return parameter;
  }

  TensorId read_back(const Op& op, const Factor& factor, const graph::Parameter& parameter) {
    TensorId& result =
        read_.try_emplace({op.scope, op.phase, parameter.tensor}, graph::kNoTensor).first->second;
    if (result == graph::kNoTensor) {
      out_.push_back(graph::make_op(
          graph::dequantise_float8_op(),
          {{graph::dequantise_float8::codes, parameter.tensor},
           {graph::dequantise_float8::scales, parameter.scales}},
          {}, beside(op, "/read_" + std::string(op.def->operands[factor.operand].name)),
          program_->tensors));
      result = out_.back().operands[graph::dequantise_float8::output];
    }
    return result;
  }

  static graph::OpOrigin beside(const Op& op, const std::string& suffix) {
    graph::OpOrigin origin = static_cast<const graph::OpOrigin&>(op);
    origin.path += suffix;
    return origin;
  }

  // A result is used within one layer and one phase only, so that it need not be kept between them.
  using Key = std::tuple<std::string, graph::Phase, TensorId, Float8Scales, TensorId>;

  graph::Program* program_;
  Float8Options options_;
  std::vector<Op> out_;
  std::map<Key, TensorId> rounded_;
  std::map<std::tuple<std::string, graph::Phase, TensorId>, TensorId> read_;
};

}  // namespace

void float8_products(graph::Program& program, const Float8Options& options) {
  Float8Products pass(program, options);
  pass.run(program.forward);
  pass.run(program.backward);
  if (!options.keep_parameters) return;
  pass.check_readers(program.forward);
  pass.check_readers(program.backward);
}

}  // namespace megascale::plan
