// A first pass over the products finds the sides that they need of each matrix. A second one puts an op
// that writes them in front of the first reader, and replaces the products.
#include "megascale/plan/passes/quantise_products.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::QuantisedSides;
using graph::TensorId;

namespace attribute = graph::attribute;
namespace linear = graph::linear;
namespace linear_add = graph::linear_add;
namespace input_gradient = graph::linear_input_gradient;
namespace weight_gradient = graph::linear_weight_gradient;
namespace grouped = graph::grouped_linear;
namespace grouped_input_gradient = graph::grouped_linear_input_gradient;

enum Format : std::int64_t { kE4m3, kE5m2 };

// An operand that a product multiplies.
struct Factor {
  TensorId tensor = graph::kNoTensor;
  QuantisedSides side = graph::kCodes;
  Format format = kE4m3;
  std::string_view name;
};

bool has_fp8(const Op& op) { return op.def->gemm && op.attributes.integer(attribute::fp8, 0) != 0; }
// Such a product cannot have 8-bit operands: the terms of its sums are the rows of an expert, which
// begin at any row, but 8-bit terms have to begin at a multiple of 16 bytes.
bool is_weight_gradient_of_experts(const Op& op) {
  return op.def == &graph::grouped_linear_weight_gradient_op() ||
         op.def == &graph::grouped_linear_weight_gradient_added_op();
}
bool is_product(const Op& op) { return has_fp8(op) && !is_weight_gradient_of_experts(op); }

// Returns both factors; the terms of a sum lie side by side in the side that is asked for.
std::pair<Factor, Factor> factors_of(const Op& op) {
  const auto of = [&](std::size_t operand, QuantisedSides side, Format format) {
    return Factor{op.operands[operand], side, format, op.def->operands[operand].name};
  };
  if (op.def == &graph::linear_op())
    return {of(linear::input, graph::kCodes, kE4m3), of(linear::weight, graph::kCodes, kE4m3)};
  if (op.def == &graph::linear_add_op()) {
    return {of(linear_add::input, graph::kCodes, kE4m3),
            of(linear_add::weight, graph::kCodes, kE4m3)};
  }
  if (op.def == &graph::linear_input_gradient_op()) {
    return {of(input_gradient::gradient, graph::kCodes, kE5m2),
            of(input_gradient::weight, graph::kTransposed, kE4m3)};
  }
  if (op.def == &graph::grouped_linear_op())
    return {of(grouped::input, graph::kCodes, kE4m3), of(grouped::weight, graph::kCodes, kE4m3)};
  if (op.def == &graph::grouped_linear_input_gradient_op()) {
    return {of(grouped_input_gradient::gradient, graph::kCodes, kE5m2),
            of(grouped_input_gradient::weight, graph::kTransposed, kE4m3)};
  }
  MEGASCALE_CHECK(op.def == &graph::linear_weight_gradient_op(), op.def->name);
  return {of(weight_gradient::gradient, graph::kTransposed, kE5m2),
          of(weight_gradient::input, graph::kTransposed, kE4m3)};
}

class QuantiseProducts {
 public:
  QuantiseProducts(graph::Program& program, const QuantiseOptions& options)
      : program_(&program), options_(options) {
    for (const std::vector<Op>* ops : {&program.forward, &program.backward}) {
      for (const Op& op : *ops) {
        for (std::size_t i = 0; op.gathers_input && i < op.operands.size(); ++i) {
          if (op.def->operands[i].access != graph::Access::read) gathered_.insert(op.operands[i]);
        }
        if (!is_product(op)) continue;
        const auto [left, right] = factors_of(op);
        for (const Factor& factor : {left, right}) wanted_[key_of(op, factor)] |= factor.side;
      }
    }
  }

  void run() {
    for (std::vector<Op>* ops : {&program_->forward, &program_->backward}) {
      for (Op& op : *ops) {
        if (is_product(op)) {
          const auto [left, right] = factors_of(op);
          const Codes of_left = codes_of(op, left), of_right = codes_of(op, right);
          sum_bias_gradient(op);
          op = product(op, of_left, of_right);
        } else if (has_fp8(op)) {
          op.attributes.set(attribute::fp8, std::int64_t{0});
        }
        out_.push_back(std::move(op));
      }
      *ops = std::exchange(out_, {});
    }
  }

 private:
  // A weight that is kept is rounded once, another one once in each pass; anything else once per layer, since what
  // crosses layers would be kept beside its codes.
  using Key = std::tuple<std::string, TensorId, Format>;
  struct Codes {
    TensorId codes, scale;
  };

  [[nodiscard]] bool is_weight(TensorId tensor) const {
    return program_->tensor(tensor).role == graph::Role::parameter;
  }
  [[nodiscard]] Key key_of(const Op& op, const Factor& factor) const {
    if (!is_weight(factor.tensor)) return {op.scope, factor.tensor, factor.format};
    const bool once = options_.keep_weights;
    const char* pass = op.phase == graph::Phase::forward ? "forward" : "backward";
    return {once ? "" : pass, factor.tensor, factor.format};
  }

  Codes codes_of(const Op& op, const Factor& factor) {
    const Key key = key_of(op, factor);
    auto known = rounded_.find(key);
    if (known == rounded_.end()) {
      const bool weight = is_weight(factor.tensor);
      Op round = graph::make_op(
          weight && options_.keep_weights ? graph::quantise_weight_op() : graph::quantise_op(),
          {{graph::quantise::input, factor.tensor}},
          {{attribute::format, std::int64_t{factor.format}}, {attribute::sides, wanted_.at(key)}},
          beside(op, "/quantise_" + std::string(factor.name)), program_->tensors);
      // Where the matrix is gathered again for the backward, its codes are not kept either.
      round.gathers_input = gathered_.contains(factor.tensor);
      known = rounded_.emplace(key, round.operands).first;
      out_.push_back(std::move(round));
    }
    const std::vector<TensorId>& found = known->second;
    return {
        found[factor.side == graph::kCodes ? graph::quantise::codes : graph::quantise::transposed],
        found[graph::quantise::scale]};
  }

  // The product would add up gradients that are rounded. The op is no part of a deferred weight
  // gradient, which then keeps codes only.
  void sum_bias_gradient(const Op& op) {
    if (op.def != &graph::linear_weight_gradient_op()) return;
    const TensorId sum = op.operands[weight_gradient::bias_gradient];
    if (sum == graph::kNoTensor) return;
    graph::OpOrigin origin = beside(op, "/bias");
    origin.phase = graph::Phase::backward;
    out_.push_back(
        graph::make_op(graph::bias_gradient_op(),
                       {{graph::bias_gradient::gradient, op.operands[weight_gradient::gradient]},
                        {graph::bias_gradient::bias_gradient, sum}},
                       {}, std::move(origin), program_->tensors));
  }

  // Returns the product with the results of `op`.
  Op product(const Op& op, const Codes& left, const Codes& right) {
    std::vector<graph::Tensor>& tensors = program_->tensors;
    if (op.def == &graph::linear_input_gradient_op()) {
      namespace kind = graph::quantised_input_gradient;
      return graph::make_op(graph::quantised_input_gradient_op(),
                            {{kind::gradient, left.codes},
                             {kind::gradient_scale, left.scale},
                             {kind::weight, right.codes},
                             {kind::weight_scale, right.scale},
                             {kind::addend, op.operands[input_gradient::addend]},
                             {kind::input_gradient, op.operands[input_gradient::input_gradient]}},
                            op.attributes, static_cast<const graph::OpOrigin&>(op), tensors);
    }
    if (op.def == &graph::linear_weight_gradient_op()) {
      namespace kind = graph::quantised_weight_gradient;
      return graph::make_op(
          graph::quantised_weight_gradient_op(),
          {{kind::gradient, left.codes},
           {kind::gradient_scale, left.scale},
           {kind::input, right.codes},
           {kind::input_scale, right.scale},
           {kind::weight_gradient, op.operands[weight_gradient::weight_gradient]}},
          op.attributes, static_cast<const graph::OpOrigin&>(op), tensors);
    }
    if (op.def == &graph::grouped_linear_op()) {
      return grouped_product(graph::quantised_grouped_linear_op(), op, left, right,
                             op.operands[grouped::groups], op.operands[grouped::output]);
    }
    if (op.def == &graph::grouped_linear_input_gradient_op()) {
      return grouped_product(graph::quantised_grouped_input_gradient_op(), op, left, right,
                             op.operands[grouped_input_gradient::groups],
                             op.operands[grouped_input_gradient::input_gradient]);
    }
    return op.def == &graph::linear_add_op()
               ? forward(op, left, right, op.operands[linear_add::bias],
                         op.operands[linear_add::addend], op.operands[linear_add::output])
               : forward(op, left, right, op.operands[linear::bias], graph::kNoTensor,
                         op.operands[linear::output]);
  }
  Op forward(const Op& op, const Codes& left, const Codes& right, TensorId bias, TensorId addend,
             TensorId output) {
    namespace kind = graph::quantised_linear;
    return graph::make_op(graph::quantised_linear_op(),
                          {{kind::input, left.codes},
                           {kind::input_scale, left.scale},
                           {kind::weight, right.codes},
                           {kind::weight_scale, right.scale},
                           {kind::bias, bias},
                           {kind::addend, addend},
                           {kind::output, output}},
                          op.attributes, static_cast<const graph::OpOrigin&>(op),
                          program_->tensors);
  }

  // Both kinds have their operands in this order.
  Op grouped_product(const graph::OpDef& def, const Op& op, const Codes& left, const Codes& right,
                     TensorId groups, TensorId result) {
    return graph::make_op(def, {left.codes, right.codes, groups, left.scale, right.scale, result},
                          op.attributes, static_cast<const graph::OpOrigin&>(op),
                          program_->tensors);
  }

  static graph::OpOrigin beside(const Op& op, const std::string& suffix) {
    graph::OpOrigin origin = static_cast<const graph::OpOrigin&>(op);
    origin.path += suffix;
    return origin;
  }

  graph::Program* program_;
  QuantiseOptions options_;
  std::map<Key, std::int64_t> wanted_;  // the sides that products read
  std::set<TensorId> gathered_;
  std::map<Key, std::vector<TensorId>> rounded_;  // operands of the op that rounds
  std::vector<Op> out_;
};

}  // namespace

void quantise_products(graph::Program& program, const QuantiseOptions& options) {
  QuantiseProducts(program, options).run();
}

}  // namespace megascale::plan
