// Plans whose products have 8-bit operands (MegaScale-MoE, arXiv 2505.11432, section 7.3): what is
// rounded, with which scales, and what is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/float8_ops.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"

namespace megascale::job {
namespace {

using graph::Float8Scales;

JobPlan in_e4m3(std::vector<std::string> more) {
  std::vector<std::string> all{"model.num_layers=2",          "model.hidden_size=32",
                               "model.num_attention_heads=4", "model.ffn_hidden_size=48",
                               "model.seq_length=16",         "model.fp8=e4m3",
                               "train.global_batch_size=8",   "train.threads_per_rank=1"};
  all.insert(all.end(), more.begin(), more.end());
  JobPlan job = plan_job(parse_config("", "test", all));
  EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "");
  return job;
}

const std::vector<std::string> kTwoExpertRanks{"model.type=mixtral", "moe.num_experts=4",
                                               "parallel.world_size=2",
                                               "parallel.expert_model_parallel_size=2"};

// Returns the products of a chunk, and by result the ops that round.
struct Products {
  std::vector<const graph::Op*> all;
  std::map<graph::TensorId, const graph::Op*> rounding;
  explicit Products(const graph::Program& program) {
    for (const auto* ops : {&program.forward, &program.backward}) {
      for (const graph::Op& op : *ops) {
        if (op.def->gemm) all.push_back(&op);
        if (op.def == &graph::round_float8_op())
          rounding[op.operands[graph::round_float8::output]] = &op;
      }
    }
  }
  // The scales of a factor; -1 if it is not rounded.
  [[nodiscard]] std::int64_t scales(const graph::Op& op, std::size_t operand) const {
    const auto found = rounding.find(op.operands[operand]);
    return found == rounding.end() ? -1
                                   : found->second->attributes.integer(graph::attribute::scales);
  }
};

// Both factors are the first two operands of every kind of product.
TEST(Float8ProductsPlanTest, BothFactorsOfEveryProductOfALayerAreRoundedAndNoOthers) {
  for (const char* recipe : {"tensorwise", "rowwise"}) {
    for (const std::vector<std::string>& model :
         {kTwoExpertRanks, std::vector<std::string>{"model.type=gpt2"}}) {
      std::vector<std::string> more = model;
      more.push_back(std::string("model.fp8_recipe=") + recipe);
      const JobPlan job = in_e4m3(more);
      const Products products(job.stages[0].train_chunks[0]);
      int rounded = 0, plain = 0;
      for (const graph::Op* op : products.all) {
        SCOPED_TRACE(op->scope + "/" + op->path);
        const bool of_layer = op->scope.starts_with("layer") && op->region == graph::Region::layers;
        EXPECT_EQ(products.scales(*op, 0) >= 0, of_layer);
        EXPECT_EQ(products.scales(*op, 1) >= 0, of_layer);
        (of_layer ? rounded : plain) += 1;
      }
      EXPECT_EQ(rounded, 2 * 4 * 3) << "two layers of four products, with two gradients each";
      EXPECT_GE(plain, 3) << "the head, and routers";
    }
  }
}

// Scales lie along the sum of the product.
TEST(Float8ProductsPlanTest, ScalesOfTheRowwiseRecipeLieAlongTheSum) {
  std::vector<std::string> more = kTwoExpertRanks;
  more.emplace_back("model.fp8_recipe=rowwise");
  const JobPlan job = in_e4m3(more);
  const Products products(job.stages[0].train_chunks[0]);
  const auto is = [](Float8Scales scales) { return static_cast<std::int64_t>(scales); };
  for (const graph::Op* op : products.all) {
    if (products.scales(*op, 0) < 0) continue;
    SCOPED_TRACE(op->scope + "/" + op->path);
    const bool by_weight = op->def == &graph::linear_weight_gradient_op() ||
                           op->def == &graph::grouped_linear_weight_gradient_op();
    const bool forward = op->def == &graph::linear_op() || op->def == &graph::grouped_linear_op();
    EXPECT_EQ(products.scales(*op, 0),
              is(by_weight ? Float8Scales::by_column : Float8Scales::by_row));
    EXPECT_EQ(products.scales(*op, 1),
              is(forward ? Float8Scales::by_row : Float8Scales::by_column));
    // Groups of tokens end where the rows of an expert end.
    const graph::Op& rounding = *products.rounding.at(op->operands[0]);
    EXPECT_EQ(rounding.operands[graph::round_float8::counts] != graph::kNoTensor,
              op->def == &graph::grouped_linear_weight_gradient_op());
  }
}

TEST(Float8ProductsPlanTest, WeightsOfChoicesAreMultipliedBehindTheProducts) {
  for (const char* dispatch : {"alltoall", "allgather"}) {
    std::vector<std::string> more = kTwoExpertRanks;
    more.push_back(std::string("moe.token_dispatcher_type=") + dispatch);
    const JobPlan job = in_e4m3(more);
    std::map<const graph::OpDef*, int> ops;
    for (const graph::Op& op : job.stages[0].train_chunks[0].forward) ++ops[op.def];
    EXPECT_EQ(ops[&graph::combine_weighted_rows_op()], 2) << dispatch;
    EXPECT_EQ(ops[&graph::swiglu_op()], 2) << dispatch;
    EXPECT_EQ(ops[&graph::gated_swiglu_op()] + ops[&graph::gather_weights_op()] +
                  ops[&graph::combine_rows_op()],
              0)
        << dispatch;
  }
}

// All pieces of the rows multiply with the same rounded weights, whole or a part of them.
TEST(Float8ProductsPlanTest, WeightsOfExpertsInPiecesAreRoundedOnce) {
  const auto weights_rounded = [](const JobPlan& job) {
    const graph::Program& program = job.stages[0].train_chunks[0];
    const Products products(program);
    for (const graph::Op* op : products.all) {
      if (op->def != &graph::grouped_linear_op()) continue;
      const graph::TensorId weight = op->operands[graph::grouped_linear::weight];
      EXPECT_TRUE(products.rounding.contains(program.owner(weight))) << op->path;
    }
    return std::count_if(products.rounding.begin(), products.rounding.end(), [&](const auto& one) {
      return program.tensor(one.first).shape.size() == 3;
    });
  };
  for (const char* recipe : {"tensorwise", "rowwise"}) {
    for (const char* dispatch : {"alltoall", "allgather"}) {
      SCOPED_TRACE(std::string(recipe) + " " + dispatch);
      std::vector<std::string> more = kTwoExpertRanks;
      more.push_back(std::string("model.fp8_recipe=") + recipe);
      more.push_back(std::string("moe.token_dispatcher_type=") + dispatch);
      const auto of_whole = weights_rounded(in_e4m3(more));
      EXPECT_EQ(of_whole, 2 * 2 * 2) << "two layers of two weights, forward and backward";
      more.emplace_back("overlap.expert_pieces=2");
      EXPECT_EQ(weights_rounded(in_e4m3(more)), of_whole);
    }
  }
}

// The gradient of a bias is a sum of gradients that are not rounded.
TEST(Float8ProductsPlanTest, GradientsOfBiasesAreNotRounded) {
  const JobPlan job = in_e4m3({"model.type=gpt2"});
  const graph::Program& program = job.stages[0].train_chunks[0];
  const Products products(program);
  int sums = 0;
  for (const graph::Op& op : program.backward) {
    if (op.def == &graph::linear_weight_gradient_op() && op.scope.starts_with("layer")) {
      EXPECT_EQ(op.operands[graph::linear_weight_gradient::bias_gradient], graph::kNoTensor);
    }
    if (op.def != &graph::bias_gradient_op()) continue;
    ++sums;
    EXPECT_FALSE(products.rounding.contains(op.operands[graph::bias_gradient::gradient]))
        << op.path;
  }
  EXPECT_EQ(sums, 2 * 4);
}

// Simulations price what the CPU does: products in float32, and ops that round.
TEST(Float8ProductsPlanTest, ModelFlopsDoNotChange) {
  EXPECT_DOUBLE_EQ(in_e4m3(kTwoExpertRanks).flops().model, in_e4m3([] {
                                                             std::vector<std::string> plain =
                                                                 kTwoExpertRanks;
                                                             plain.emplace_back("model.fp8=none");
                                                             return plain;
                                                           }())
                                                               .flops()
                                                               .model);
}

}  // namespace
}  // namespace megascale::job
