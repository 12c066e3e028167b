#include <gtest/gtest.h>

#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/model/gpt.h"

namespace megascale::graph {
namespace {

Cost cost_of(const Program& program) {
  Cost sum;
  for (const auto* ops : {&program.forward, &program.backward}) {
    for (const Op& op : *ops) {
      if (op.def->cost == nullptr) continue;
      const Cost cost = op.def->cost(OpView(op, program.tensors));
      sum.flops += cost.flops;
      sum.model_flops += cost.model_flops;
      sum.megatron_flops += cost.megatron_flops;
    }
  }
  return sum;
}

// GPT-2 124M against the closed formulas (docs: MEG-full of arXiv 2205.05198; the same with half
// the attention term).
TEST(FlopsTest, Gpt2IsTheClosedFormula) {
  const std::vector<std::string> overrides{"model.vocab_size=50257"};
  const Config config = parse_config("", "test", overrides);  // 12 layers of 768, 1,024 tokens
  ASSERT_EQ(padded_vocab_size(config), 50304);
  const Program program = model::build_gpt(config, {.micro_batch_size = 3});
  const double l = 12, h = 768, s = 1024, v = 50304, tokens = 3 * s;
  const double full = 72 * l * h * h * (1 + s / (6 * h) + v / (12 * l * h)) * tokens;
  const double causal = 72 * l * h * h * (1 + s / (12 * h) + v / (12 * l * h)) * tokens;
  const Cost cost = cost_of(program);
  // What is counted is exact in both: no norms, biases, activations or table reads.
  EXPECT_NEAR(cost.megatron_flops / full, 1.0, 1e-12);
  EXPECT_NEAR(cost.model_flops / causal, 1.0, 1e-12);
  // Executed: the backward of attention computes its scores again, one GEMM of half the square per
  // layer.
  EXPECT_NEAR(cost.flops / (causal + l * s * h * tokens), 1.0, 1e-12);
  // 0.80 GFLOP per token for parameters and the causal half, as others quote it (the padding and
  // the position table apart).
  EXPECT_NEAR(cost.model_flops / tokens / 1e9, 0.80, 0.01);
}

// Without FlashAttention the products are of the whole square, forward and twice that backward;
// what is credited is the same.
TEST(FlopsTest, UnfusedAttentionExecutesTheSquare) {
  const std::vector<std::string> overrides{"kernels.flash_attention=false"};
  const Config config = parse_config("", "test", overrides);
  const Cost unfused = cost_of(model::build_gpt(config, {})),
             fused = cost_of(model::build_gpt(parse_config("", "test", {}), {}));
  EXPECT_NEAR(unfused.model_flops / fused.model_flops, 1.0, 1e-12);
  EXPECT_NEAR(unfused.megatron_flops / fused.megatron_flops, 1.0, 1e-12);
  EXPECT_NEAR(unfused.flops / unfused.megatron_flops, 1.0, 1e-12);
}

TEST(FlopsTest, AWindowIsCreditedAtItsWidth) {
  const auto attention = [](const std::vector<std::string>& overrides) {
    const Config config = parse_config("", "test", overrides);
    const Program program = model::build_gpt(config, {});
    Cost sum;
    for (const Op& op : program.forward) {
      if (op.def->name != "attention") continue;
      sum.model_flops += op.def->cost(OpView(op, program.tensors)).model_flops;
      sum.megatron_flops += op.def->cost(OpView(op, program.tensors)).megatron_flops;
    }
    return sum;
  };
  const Cost full = attention({}), window = attention({"model.sliding_window=256"}),
             wide = attention({"model.sliding_window=4096"});
  EXPECT_DOUBLE_EQ(full.model_flops, full.megatron_flops / 2);
  EXPECT_DOUBLE_EQ(window.megatron_flops, full.megatron_flops)
      << "Megatron's formula knows no window";
  EXPECT_DOUBLE_EQ(window.model_flops / full.megatron_flops, 0.25 - 0.25 * 0.25 / 2);
  EXPECT_DOUBLE_EQ(wide.model_flops, full.model_flops);
}

// Returns the cost of an op over tensors of these shapes; an empty shape leaves the operand out.
Cost cost_of(const OpDef& def, const std::vector<Shape>& shapes, const Attributes& attributes) {
  std::vector<Tensor> tensors;
  std::vector<TensorId> operands;
  for (const Shape& shape : shapes) {
    operands.push_back(shape.empty() ? kNoTensor
                                     : TensorId{static_cast<std::uint32_t>(tensors.size())});
    if (!shape.empty()) tensors.push_back({.name = "t", .shape = shape});
  }
  const Op op = make_op(def, operands, attributes, {}, tensors);
  return def.cost(OpView(op, tensors));
}

// Each product counts with the channels of its heads: scores and the gradients of queries and keys
// with head_dim, results and the gradients of probabilities and values with value_dim.
TEST(FlopsTest, ProductsWithValuesCountTheirOwnChannels) {
  const std::int64_t heads = 4, groups = 2, head_dim = 24, sequence = 32, n = 3 * sequence;
  const double pair = 2.0 * heads * n * sequence / 2;  // FLOPs of a channel in half of the square
  for (const std::int64_t value_dim : {16, 24, 40}) {
    const Attributes attributes{{"heads", heads},
                                {"groups", groups},
                                {"head_dim", head_dim},
                                {"value_dim", value_dim},
                                {"sequence", sequence}};
    const Shape qkv{n, (heads + groups) * head_dim + groups * value_dim},
        output{n, heads * value_dim}, lse{3, heads, sequence}, square{n * heads, sequence};
    const auto qk = static_cast<double>(head_dim), v = static_cast<double>(value_dim);
    const Cost forward = cost_of(attention_op(), {qkv, {}, {}}, attributes);
    EXPECT_DOUBLE_EQ(forward.flops, pair * (qk + v));
    EXPECT_DOUBLE_EQ(forward.model_flops, pair * (qk + v));
    EXPECT_DOUBLE_EQ(forward.megatron_flops, 2 * pair * (qk + v));
    const Cost backward =
        cost_of(attention_gradient_op(), {output, qkv, {}, {}, output, lse}, attributes);
    EXPECT_DOUBLE_EQ(backward.flops, pair * (3 * qk + 2 * v));
    EXPECT_DOUBLE_EQ(backward.model_flops, pair * (2 * qk + 2 * v));
    EXPECT_DOUBLE_EQ(backward.megatron_flops, 2 * pair * (2 * qk + 2 * v));
    EXPECT_DOUBLE_EQ(cost_of(attention_scores_op(), {qkv}, attributes).model_flops, pair * qk);
    EXPECT_DOUBLE_EQ(
        cost_of(attention_scores_gradient_op(), {square, qkv, qkv}, attributes).model_flops,
        pair * 2 * qk);
    EXPECT_DOUBLE_EQ(cost_of(attention_values_op(), {square, qkv}, attributes).model_flops,
                     pair * v);
    EXPECT_DOUBLE_EQ(
        cost_of(attention_values_gradient_op(), {output, square, qkv}, attributes).model_flops,
        pair * 2 * v);
  }
}

}  // namespace
}  // namespace megascale::graph
