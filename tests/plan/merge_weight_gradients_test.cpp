// The weight gradients of experts in pieces: one product for all pieces, which reads them one behind the
// other.
#include "megascale/plan/passes/merge_weight_gradients.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/model/gpt.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::Tensor;
using enum graph::grouped_linear_weight_gradient::Operand;

graph::Program layers(int pieces) {
  const Config config = parse_config(
      "", "test",
      std::vector<std::string>{"model.type=mixtral", "model.num_layers=2", "model.hidden_size=16",
                               "model.num_attention_heads=2", "model.ffn_hidden_size=24",
                               "model.seq_length=8", "moe.num_experts=8", "parallel.world_size=4",
                               "parallel.expert_model_parallel_size=4",
                               "moe.token_dispatcher_type=allgather", "train.global_batch_size=4",
                               "overlap.expert_pieces=" + std::to_string(pieces)});
  graph::AxisSizes axes;
  axes[graph::Axis::data] = axes[graph::Axis::expert] = 4;
  return model::build_gpt(config, {.axes = axes});
}

std::vector<const Op*> weight_gradients(const graph::Program& program) {
  std::vector<const Op*> found;
  for (const Op& op : program.backward) {
    if (op.def == &graph::grouped_linear_weight_gradient_op() ||
        op.def == &graph::grouped_linear_weight_gradient_added_op())
      found.push_back(&op);
  }
  return found;
}

TEST(MergeWeightGradientsTest, OneProductReadsAllPieces) {
  graph::Program program = layers(4);
  ASSERT_EQ(weight_gradients(program).size(), 2U * 2 * 4) << "2 layers, 2 weights, 4 pieces";
  merge_weight_gradients(program);
  const std::vector<const Op*> merged = weight_gradients(program);
  ASSERT_EQ(merged.size(), 2U * 2);
  for (const Op* op : merged) {
    EXPECT_EQ(op->def, &graph::grouped_linear_weight_gradient_op());
    EXPECT_EQ(op->attributes.integer("pieces"), 4);
    for (const std::size_t operand : {gradient, input, groups}) {
      const graph::TensorId id = op->operands[operand];
      const Tensor& whole = program.tensor(id);
      std::int64_t rows = 0, mean = 0;
      std::set<std::int64_t> begins;
      for (const Tensor& tensor : program.tensors) {
        if (tensor.part.n == 0 || tensor.part.whole != id) continue;
        EXPECT_EQ(tensor.part.n, 1U);
        EXPECT_EQ(tensor.part.begin % tensor.shape[0].size, 0);
        begins.insert(tensor.part.begin);
        rows += tensor.shape[0].size;
        mean += tensor.shape[0].mean;
      }
      EXPECT_EQ(begins.size(), 4U) << whole.name;
      EXPECT_EQ(whole.shape[0].size, rows) << whole.name;
      EXPECT_EQ(whole.shape[0].mean, mean) << whole.name;
      EXPECT_FALSE(whole.shape[0].bounded());
    }
  }
  // The two products of a layer share the counts, and so the order of the pieces.
  EXPECT_EQ(merged[0]->operands[groups], merged[1]->operands[groups]);
}

// With more pieces than ranks a rank's own tokens are one piece, larger than the parts of the others'.
TEST(MergeWeightGradientsTest, PiecesOfUnequalSizeAreAddedToEachOther) {
  graph::Program program = layers(8);
  ASSERT_EQ(weight_gradients(program).size(), 2U * 2 * 7) << "own tokens, 2 parts of 3 other ranks";
  merge_weight_gradients(program);
  const std::vector<const Op*> merged = weight_gradients(program);
  ASSERT_EQ(merged.size(), 2U * 2 * 2);
  std::map<graph::TensorId, std::vector<const Op*>> by_gradient;
  for (const Op* op : merged) by_gradient[op->operands[weight_gradient]].push_back(op);
  ASSERT_EQ(by_gradient.size(), 2U * 2);
  for (const auto& [id, products] : by_gradient) {
    ASSERT_EQ(products.size(), 2U) << program.tensor(id).name;
    EXPECT_EQ(products[0]->def, &graph::grouped_linear_weight_gradient_op());
    EXPECT_EQ(products[1]->def, &graph::grouped_linear_weight_gradient_added_op());
    std::multiset<std::int64_t> pieces;
    for (const Op* op : products) pieces.insert(op->attributes.integer("pieces", 1));
    EXPECT_EQ(pieces, (std::multiset<std::int64_t>{1, 6}));
  }
}

TEST(MergeWeightGradientsTest, ASingleProductStays) {
  graph::Program program = layers(0);
  const std::size_t tensors = program.tensors.size();
  merge_weight_gradients(program);
  EXPECT_EQ(weight_gradients(program).size(), 2U * 2);
  EXPECT_EQ(program.tensors.size(), tensors);
}

}  // namespace
}  // namespace megascale::plan
