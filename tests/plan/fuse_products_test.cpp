#include "megascale/plan/passes/fuse_products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/model/gpt.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::Program;
using Settings = std::vector<std::string>;

Program program_of(Settings more = {}, std::uint32_t tensor = 1) {
  Settings settings{"model.num_layers=2", "model.hidden_size=24", "model.num_attention_heads=4",
                    "model.seq_length=24", "model.dtype=bfloat16"};
  settings.insert(settings.end(), more.begin(), more.end());
  graph::AxisSizes axes;
  axes[graph::Axis::tensor] = tensor;
  return model::build_gpt(parse_config("", "test", settings), {.axes = axes});
}

constexpr FuseProducts kGelu{.gelu = true}, kResidual{.residual = true}, kBias{.bias = true};

// "kind path" of the products and activations of a layer's mlp, in order.
std::vector<std::string> mlp_of(const std::vector<Op>& ops) {
  std::vector<std::string> found;
  for (const Op& op : ops) {
    const bool is_gelu = op.def->name.find("gelu") != std::string_view::npos;
    if (op.scope == "layer1" && op.path.rfind("mlp/", 0) == 0 && (op.def->gemm || is_gelu))
      found.push_back(std::string(op.def->name) + " " + op.path);
  }
  return found;
}
const Op& find(const std::vector<Op>& ops, std::string_view kind) {
  return *std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return op.def->name == kind; });
}

TEST(FuseProductsTest, ProductsOfFloat32StayAsTheyAre) {
  Program program = program_of({"model.dtype=float32"});
  const std::size_t forward = program.forward.size(), backward = program.backward.size();
  fuse_products(program, {.gelu = true, .residual = true});
  EXPECT_EQ(program.forward.size(), forward);
  EXPECT_EQ(program.backward.size(), backward);
}

TEST(FuseProductsTest, GeluAndItsGradientGoIntoTheProductsBeforeThem) {
  for (const std::uint32_t tensor : {1U, 2U}) {
    Program program = program_of({}, tensor);
    const Op gelu = find(program.forward, "gelu"), up = find(program.forward, "linear");
    fuse_products(program, kGelu);
    EXPECT_EQ(mlp_of(program.forward),
              (std::vector<std::string>{"linear_gelu mlp/up", "linear mlp/down"}));
    EXPECT_EQ(mlp_of(program.backward),
              (std::vector<std::string>{
                  "linear_weight_gradient mlp/down/wgrad", "linear_gelu_gradient mlp/down/dgrad",
                  "linear_input_gradient mlp/up/dgrad", "linear_weight_gradient mlp/up/wgrad"}));
    // Operands are those of the ops that it replaces.
    const Op& product = find(program.forward, "linear_gelu");
    EXPECT_EQ(product.operands[graph::linear_gelu::sum], gelu.operands[graph::gelu::input]);
    EXPECT_EQ(product.operands[graph::linear_gelu::output], gelu.operands[graph::gelu::output]);
    EXPECT_EQ(product.operands.size(), 5U);
    EXPECT_NE(product.operands[graph::linear_gelu::weight], up.operands[graph::linear::weight])
        << "the layer's qkv stays what it was";
  }
}

// The epilogues of cuBLASLt compute the tanh form.
TEST(FuseProductsTest, ExactGeluStays) {
  Program program = program_of({"model.activation=gelu_erf"});
  const std::size_t forward = program.forward.size(), backward = program.backward.size();
  fuse_products(program, kGelu);
  EXPECT_EQ(program.forward.size(), forward);
  EXPECT_EQ(program.backward.size(), backward);
}

// What is between product and gradient is read by somebody else, or is the end of a sum.
TEST(FuseProductsTest, WhatIsReadElsewhereStays) {
  Program program = program_of();
  const std::vector<Op> before = program.backward;
  Op& product = *std::find_if(program.backward.begin(), program.backward.end(), [](const Op& op) {
    return op.path == "mlp/down/dgrad" && op.scope == "layer1";
  });
  const Op original = product;
  product.operands[graph::linear_input_gradient::addend] =
      product.operands[graph::linear_input_gradient::gradient];
  fuse_products(program, kGelu);
  EXPECT_EQ(mlp_of(program.backward), mlp_of(before));

  program = program_of();
  Op reader = find(program.backward, "linear_weight_gradient");
  reader.operands[graph::linear_weight_gradient::gradient] =
      original.operands[graph::linear_input_gradient::input_gradient];
  reader.scope = "another";
  program.backward.push_back(reader);
  fuse_products(program, kGelu);
  EXPECT_EQ(mlp_of(program.backward), mlp_of(before));

  program = program_of();
  const Op& branch =
      *std::find_if(program.forward.begin(), program.forward.end(),
                    [](const Op& op) { return op.path == "mlp/down" && op.scope == "layer1"; });
  reader.operands[graph::linear_weight_gradient::input] = branch.operands[graph::linear::output];
  program.backward.push_back(reader);
  const std::vector<Op> forward = program.forward;
  fuse_products(program, kResidual);
  EXPECT_EQ(mlp_of(program.forward), mlp_of(forward));
}

// "kind path" of a layer's products and sums, in order.
std::vector<std::string> sums_of(const std::vector<Op>& ops) {
  std::vector<std::string> found;
  for (const Op& op : ops) {
    if (op.scope == "layer1" && (op.def->gemm || op.def->name == "add"))
      found.push_back(std::string(op.def->name) + " " + op.path);
  }
  return found;
}

TEST(FuseProductsTest, SumsWithTheResidualStreamGoIntoTheProductsBeforeThem) {
  Program program = program_of();
  const Op sum = *std::find_if(program.forward.begin(), program.forward.end(),
                               [](const Op& op) { return op.def->name == "add"; });
  const auto backward = sums_of(program.backward);
  fuse_products(program, kResidual);
  EXPECT_EQ(sums_of(program.forward),
            (std::vector<std::string>{"linear attention/qkv", "linear_add attention/output",
                                      "linear mlp/up", "linear_add mlp/down"}));
  EXPECT_EQ(sums_of(program.backward), backward);
  const Op& product = find(program.forward, "linear_add");
  EXPECT_EQ(product.operands[graph::linear_add::addend], sum.operands[graph::add::a]);
  EXPECT_EQ(product.operands[graph::linear_add::output], sum.operands[graph::add::output]);
  EXPECT_NE(product.operands[graph::linear_add::bias], graph::kNoTensor) << "the bias goes along";
}

// The two branches are added first, one of them in the other's product; what is added to the
// residual stream then is no product's alone. Between a product and a reduce_scatter's sum others
// come.
TEST(FuseProductsTest, OneOfTwoBranchesIsAddedInTheOthersProduct) {
  Program program = program_of({"model.parallel_block=true"});
  fuse_products(program, kResidual);
  EXPECT_EQ(sums_of(program.forward),
            (std::vector<std::string>{"linear attention/qkv", "linear attention/output",
                                      "linear mlp/up", "linear_add mlp/down", "add residual"}));
  program = program_of({}, 2);
  const auto forward = sums_of(program.forward);
  fuse_products(program, kResidual);
  EXPECT_EQ(sums_of(program.forward), forward);
}

TEST(FuseProductsTest, AModelWithoutGeluStaysAsItIs) {
  Program program = program_of({"model.type=llama"});
  const auto forward = mlp_of(program.forward), backward = mlp_of(program.backward);
  fuse_products(program, kGelu);
  EXPECT_EQ(mlp_of(program.forward), forward);
  EXPECT_EQ(mlp_of(program.backward), backward);
}

// Paths of a layer's weight gradients whose product sums the bias gradient.
std::vector<std::string> with_bias(const Program& program) {
  std::vector<std::string> found;
  for (const Op& op : program.backward) {
    if (op.scope == "layer1" && op.attributes.integer(graph::attribute::sums_bias, 0) != 0)
      found.push_back(op.path);
  }
  return found;
}
TEST(FuseProductsTest, GradientsOfBiasesGoIntoTheProductOfTheWeightGradient) {
  Program program = program_of();
  const std::size_t ops = program.backward.size();
  fuse_products(program, kBias);
  EXPECT_EQ(with_bias(program),
            (std::vector<std::string>{"mlp/down/wgrad", "mlp/up/wgrad", "attention/output/wgrad",
                                      "attention/qkv/wgrad"}));
  EXPECT_EQ(program.backward.size(), ops);
  for (const Settings& others :
       {Settings{"model.dtype=float32"},
        {"model.add_bias_linear=false"},
        {"model.fp8=hybrid", "model.hidden_size=64", "model.seq_length=32"}}) {
    Program other = program_of(others);
    fuse_products(other, kBias);
    EXPECT_TRUE(with_bias(other).empty()) << others.front();
  }
  Program apart = program_of();
  fuse_products(apart, {.gelu = true, .residual = true});
  EXPECT_TRUE(with_bias(apart).empty());
}

}  // namespace
}  // namespace megascale::plan
