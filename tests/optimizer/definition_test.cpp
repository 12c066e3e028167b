#include "megascale/optimizer/definition.h"

#include <gtest/gtest.h>

#include "megascale/graph/ops/ops.h"

// The ops of every optimizer, in order, and their attributes.
namespace megascale::optimizer {
namespace {

// Null for a sum of norms.
const OpOfStep* op_of(const Step& step) {
  if (const auto* often = std::get_if<ForEachBucket>(&step)) return often;
  return std::get_if<Once>(&step);
}

// "path: op" of an op, "path: norms" of a sum of norms.
std::vector<std::string> described(const Definition& definition) {
  std::vector<std::string> lines;
  for (const Step& step : definition.steps) {
    if (const auto* norms = std::get_if<AddNorms>(&step)) {
      lines.push_back(norms->path + (norms->of_all_stages ? ": norms of the job" : ": norms"));
      continue;
    }
    const OpOfStep& op = *op_of(step);
    const bool often = std::holds_alternative<ForEachBucket>(step);
    lines.push_back(op.path + ": " + std::string(op.op->name) + (often ? " of each bucket" : ""));
  }
  return lines;
}

// The ops of the definition that have this attribute.
std::vector<std::string> ops_with(const Definition& definition, graph::attribute::Name attribute,
                                  double value) {
  std::vector<std::string> names;
  for (const Step& step : definition.steps) {
    const OpOfStep* op = op_of(step);
    if (op == nullptr || !op->attributes.values().contains(attribute)) continue;
    EXPECT_EQ(op->attributes.real(attribute), value) << op->path;
    names.emplace_back(op->op->name);
  }
  return names;
}

const OptimizerConfig kConfig{
    .weight_decay = 0.03, .adam_beta1 = 0.8, .adam_beta2 = 0.7, .adam_eps = 1e-5, .clip_grad = 2.5};

OptimizerConfig with(OptimizerKind name) {
  OptimizerConfig config = kConfig;
  config.name = name;
  return config;
}

TEST(OptimizerDefinitionTest, AdamWIsClippingAndOneOpOfEachBucket) {
  const Definition adamw = define(with(OptimizerKind::adamw));
  EXPECT_EQ(described(adamw), (std::vector<std::string>{
                                  "optimizer/norm: gradient_blocks of each bucket",
                                  "optimizer/norm/parameters: norms of the job",
                                  "optimizer/norm: gradient_norm",
                                  "optimizer/adamw: adamw of each bucket",
                              }));
  EXPECT_TRUE(adamw.norms.empty());
}

TEST(OptimizerDefinitionTest, LambAddsNormsOfWeightsAndDirectionsBetweenItsTwoOps) {
  const Definition lamb = define(with(OptimizerKind::lamb));
  EXPECT_EQ(described(lamb), (std::vector<std::string>{
                                 "optimizer/norm: gradient_blocks of each bucket",
                                 "optimizer/norm/parameters: norms of the job",
                                 "optimizer/norm: gradient_norm",
                                 "optimizer/lamb/direction: lamb_direction of each bucket",
                                 "optimizer/lamb/weights: norms",
                                 "optimizer/lamb/directions: norms",
                                 "optimizer/lamb/apply: lamb_apply of each bucket",
                             }));
  EXPECT_EQ(lamb.norms, (std::vector<std::string>{"weight", "direction"}));
  // What lamb_direction writes is what is added, and what lamb_apply reads.
  const auto& direction = std::get<ForEachBucket>(lamb.steps[3]);
  const auto& apply = std::get<ForEachBucket>(lamb.steps[6]);
  const Norm weights = std::get<AddNorms>(lamb.steps[4]).norm;
  const Norm directions = std::get<AddNorms>(lamb.steps[5]).norm;
  EXPECT_NE(weights, directions);
  EXPECT_NE(weights, Norm::gradients);
  EXPECT_NE(directions, Norm::gradients);
  using Blocks = graph::lamb_direction::Operand;
  using Sums = graph::lamb_apply::Operand;
  EXPECT_EQ(direction.operands[Blocks::weight_blocks], Source(Value::norm_blocks, weights));
  EXPECT_EQ(direction.operands[Blocks::direction_blocks], Source(Value::norm_blocks, directions));
  EXPECT_EQ(apply.operands[Sums::weight_sums], Source(Value::norm_sums, weights));
  EXPECT_EQ(apply.operands[Sums::direction_sums], Source(Value::norm_sums, directions));
}

TEST(OptimizerDefinitionTest, AttributesAreThoseOfTheConfiguration) {
  namespace attribute = graph::attribute;
  for (const auto& [kind, update] : {std::pair(OptimizerKind::adamw, "adamw"),
                                     std::pair(OptimizerKind::lamb, "lamb_direction")}) {
    const Definition definition = define(with(kind));
    const std::vector<std::string> updates{update};
    EXPECT_EQ(ops_with(definition, attribute::beta1, 0.8), updates);
    EXPECT_EQ(ops_with(definition, attribute::beta2, 0.7), updates);
    EXPECT_EQ(ops_with(definition, attribute::epsilon, 1e-5), updates);
    EXPECT_EQ(ops_with(definition, attribute::weight_decay, 0.03), updates);
    EXPECT_EQ(ops_with(definition, attribute::clip_norm, 2.5),
              (std::vector<std::string>{"gradient_norm"}));
  }
}

// Every operand of an op is given, but for optional ones.
TEST(OptimizerDefinitionTest, NoNeededOperandIsAbsent) {
  for (const OptimizerKind kind : {OptimizerKind::adamw, OptimizerKind::lamb}) {
    for (const Step& step : define(with(kind)).steps) {
      const OpOfStep* op = op_of(step);
      if (op == nullptr) continue;
      ASSERT_EQ(op->operands.size(), op->op->operands.size());
      for (std::size_t i = 0; i < op->operands.size(); ++i) {
        EXPECT_TRUE(op->op->operands[i].optional || op->operands[i].value != Value::absent)
            << op->path << " " << op->op->operands[i].name;
      }
    }
  }
}

}  // namespace
}  // namespace megascale::optimizer
