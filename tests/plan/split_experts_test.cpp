// Products of some experts of a rank: they touch the weights and gradients of these only.
#include "megascale/plan/passes/split_experts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"
#include "megascale/model/gpt.h"
#include "megascale/plan/passes/merge_weight_gradients.h"
#include "megascale/plan/passes/quantise_products.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::Tensor;
using graph::TensorId;

graph::Program layers(int pieces, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{"model.type=mixtral",
                                    "model.num_layers=2",
                                    "model.hidden_size=16",
                                    "model.num_attention_heads=2",
                                    "model.ffn_hidden_size=32",
                                    "model.seq_length=8",
                                    "moe.num_experts=8",
                                    "parallel.world_size=2",
                                    "parallel.expert_model_parallel_size=2",
                                    "moe.token_dispatcher_type=alltoall",
                                    "train.global_batch_size=2",
                                    "overlap.expert_pieces=" + std::to_string(pieces)};
  settings.insert(settings.end(), more.begin(), more.end());
  const Config config = parse_config("", "test", settings);
  graph::AxisSizes axes;
  axes[graph::Axis::data] = axes[graph::Axis::expert] = 2;
  return model::build_gpt(config, {.axes = axes});
}

// The tensors with a matrix for each expert that products touch.
std::vector<TensorId> matrices(const graph::Program& program) {
  std::vector<TensorId> found;
  for (const std::vector<Op>* ops : {&program.forward, &program.backward}) {
    for (const Op& op : *ops) {
      if (std::string_view(op.def->name).substr(0, 7) != "grouped") continue;
      for (const TensorId operand : op.operands) {
        if (program.tensor(operand).shape.size() == 3) found.push_back(operand);
      }
    }
  }
  return found;
}

TEST(SplitExpertsTest, AProductTouchesItsOwnExperts) {
  for (const int pieces : {2, 4}) {
    graph::Program program = layers(pieces);
    split_experts(program);
    const std::vector<TensorId> touched = matrices(program);
    ASSERT_EQ(touched.size(), 2U * 2 * 3 * pieces) << "layers, weights, kinds of products, pieces";
    std::map<TensorId, std::multiset<std::int64_t>> begins;
    for (const TensorId id : touched) {
      const Tensor& part = program.tensor(id);
      EXPECT_EQ(part.shape[0].size, 4 / pieces) << part.name;
      EXPECT_EQ(part.part.n, 1U) << part.name;
      EXPECT_EQ(part.role, program.tensor(part.part.whole).role) << part.name;
      begins[part.part.whole].insert(part.part.begin);
    }
    EXPECT_EQ(begins.size(), 2U * 2 * 2) << "layers, weights and their gradients";
    for (const auto& [whole, of_whole] : begins) {
      const std::size_t uses = program.tensor(whole).role == graph::Role::parameter ? 2 : 1;
      for (int piece = 0; piece < pieces; ++piece)
        EXPECT_EQ(of_whole.count(piece * 4 / pieces), uses) << program.tensor(whole).name;
    }
    // The gradients of different experts are not those of one weight.
    const std::size_t ops = program.backward.size();
    merge_weight_gradients(program);
    EXPECT_EQ(program.backward.size(), ops);
  }
}

// All weights of a rank are rounded at once. A product gets the codes of its own experts and their scales.
TEST(SplitExpertsTest, AProductOf8BitOperandsTouchesItsOwnCodesAndScales) {
  namespace quantised = graph::quantised_grouped_linear;  // both kinds have operands in this order
  graph::Program program =
      layers(2, {"model.seq_length=16", "model.dtype=bfloat16", "model.fp8=hybrid"});
  quantise_products(program);
  split_experts(program);
  int products = 0;
  for (const std::vector<Op>* ops : {&program.forward, &program.backward}) {
    for (const Op& op : *ops) {
      if (op.def == &graph::quantise_weight_op()) {
        EXPECT_EQ(program.tensor(op.operands[graph::quantise::scale]).part.n, 0U);
      }
      if (op.def != &graph::quantised_grouped_linear_op() &&
          op.def != &graph::quantised_grouped_input_gradient_op())
        continue;
      ++products;
      const std::int64_t begin = 2 * op.attributes.integer(graph::attribute::expert_piece);
      for (const std::size_t operand : {quantised::weight, quantised::weight_scales}) {
        const Tensor& part = program.tensor(op.operands[operand]);
        EXPECT_EQ(part.shape[0].size, 2) << part.name;
        EXPECT_EQ(part.part.n, 1U) << part.name;
        EXPECT_EQ(part.part.begin, begin) << part.name;
      }
    }
  }
  EXPECT_EQ(products, 2 * 2 * 2 * 2) << "layers, weights, pieces, forward and backward";
}

TEST(SplitExpertsTest, AProductOfAllExpertsStays) {
  graph::Program program = layers(0);
  const std::vector<TensorId> before = matrices(program);
  const std::size_t tensors = program.tensors.size();
  split_experts(program);
  EXPECT_EQ(matrices(program), before);
  EXPECT_EQ(program.tensors.size(), tensors);
}

}  // namespace
}  // namespace megascale::plan
