#include "megascale/graph/differentiate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"
#include "support/random_program.h"

namespace megascale::graph {
namespace {

constexpr std::int64_t kTokens = 4, kChannels = 8;

// embedding -> x; what comes after is the test's; then a head and a loss.
class Model {
 public:
  Model() : builder(program, {}) {
    tokens_ = builder.external("tokens", {kTokens}, DType::int32, Role::batch);
    builder.set_scope("layer0");
    table = weight("table", 16);
    x = builder.emit_for(embedding::output, embedding_op(), "word",
                         {{embedding::table, table}, {embedding::tokens, tokens_}});
  }
  TensorId weight(const std::string& name, std::int64_t rows) {
    return builder.parameter(name, {rows, kChannels}, DType::float32, {});
  }
  TensorId linear(const std::string& path, TensorId input, TensorId w) {
    return builder.emit_for(linear::output, linear_op(), path,
                            {{linear::input, input}, {linear::weight, w}});
  }
  void finish(TensorId y, TensorId head) {
    builder.begin_loss();
    builder.set_scope("head");
    const auto targets = builder.external("targets", {kTokens}, DType::int32, Role::batch);
    const Attributes attributes{{"valid_vocabulary", std::int64_t{16}},
                                {"gradient", std::int64_t{1}}};
    const auto logits = linear("logits", y, head);
    const auto stats = builder.emit_for(
        logit_stats::stats, logit_stats_op(), "stats",
        {{logit_stats::logits, logits}, {logit_stats::targets, targets}}, attributes);
    builder.emit(cross_entropy_op(), "cross_entropy",
                 {{cross_entropy::logits, logits},
                  {cross_entropy::stats, stats},
                  {cross_entropy::targets, targets}},
                 attributes);
    differentiate(program);
  }
  const Op* backward(const std::string& path) {
    const Op* found = nullptr;
    for (const Op& op : program.backward) {
      if (op.path == path) found = &op;
    }
    return found;
  }

  Program program;
  Builder builder;
  TensorId table{}, x{};

 private:
  TensorId tokens_{};
};

// x is read by a gelu, then by another; their gradients are added in reverse order of the forward.
TEST(DifferentiateTest, FanOutIsSummedInReverseForwardOrder) {
  Model m;
  const auto a = m.builder.emit_for(gelu::output, gelu_op(), "a", {{gelu::input, m.x}});
  const auto b = m.builder.emit_for(gelu::output, gelu_op(), "b", {{gelu::input, m.x}});
  m.finish(m.builder.emit_for(add::output, add_op(), "add", {{add::a, a}, {add::b, b}}),
           m.weight("head", 16));
  const Op *first = m.backward("b/grad"), *second = m.backward("a/grad"),
           *sum = m.backward("a/gradient_sum/input");
  ASSERT_TRUE(first != nullptr && second != nullptr && sum != nullptr);
  EXPECT_EQ(sum->operands[add::a], first->operands[gelu_gradient::input_gradient]);
  EXPECT_EQ(sum->operands[add::b], second->operands[gelu_gradient::input_gradient]);
  EXPECT_LT(first, second);
  EXPECT_EQ(m.backward("word/wgrad")->operands[embedding_gradient::gradient],
            sum->operands[add::output])
      << "the embedding takes the sum";
}

// A kind with an addend takes the gradient so far into its own: no op for the sum.
TEST(DifferentiateTest, KindsWithAnAddendFuseTheSum) {
  Model m;
  const auto a = m.linear("a", m.x, m.weight("wa", kChannels));
  const auto gamma = m.builder.parameter("gamma", {kChannels}, DType::float32, {});
  const auto b =
      m.builder.emit_for(rms_norm::output, rms_norm_op(), "b",
                         {{rms_norm::input, m.x}, {rms_norm::gamma, gamma}}, {{"epsilon", 1e-5}});
  m.finish(m.builder.emit_for(add::output, add_op(), "add", {{add::a, a}, {add::b, b}}),
           m.weight("head", 16));
  const Op *norm = m.backward("b/grad"), *dgrad = m.backward("a/dgrad");
  ASSERT_TRUE(norm != nullptr && dgrad != nullptr);
  EXPECT_EQ(norm->operands[rms_norm_gradient::addend], kNoTensor)
      << "the first contribution adds to nothing";
  EXPECT_EQ(dgrad->operands[linear_input_gradient::addend],
            norm->operands[rms_norm_gradient::input_gradient]);
  EXPECT_EQ(m.backward("word/wgrad")->operands[embedding_gradient::gradient],
            dgrad->operands[linear_input_gradient::input_gradient]);
  for (const Op& op : m.program.backward) EXPECT_NE(op.def->name, "add") << op.path;
}

// Frozen weights have no gradient, and nothing below the first trained weight has one.
TEST(DifferentiateTest, FrozenWeightsHaveNoGradient) {
  Model m;
  const auto frozen = [&](const char* name, Shape shape) {
    return m.builder.parameter(name, std::move(shape), DType::float32,
                               {.rule = UpdateRule::frozen});
  };
  const auto norm = [&](const char* path, TensorId input) {
    return m.builder.emit_for(
        rms_norm::output, rms_norm_op(), path,
        {{rms_norm::input, input}, {rms_norm::gamma, frozen(path, {kChannels})}},
        {{"epsilon", 1e-5}});
  };
  m.program.parameters[0].rule = UpdateRule::frozen;  // the table
  const auto a = norm("a", m.x);
  const auto b = m.linear("b", a, m.weight("wb", kChannels));  // trained
  const auto c = m.linear("c", norm("between", b), frozen("wc", {kChannels, kChannels}));
  const auto sum = m.builder.emit_for(
      scale::output, scale_op(), "scaled",
      {{scale::input,
        m.builder.emit_for(add::output, add_op(), "sum", {{add::a, m.x}, {add::b, c}})}},
      {{attribute::scale, 0.5}});
  m.finish(sum, frozen("head", {16, kChannels}));
  std::set<std::string> paths;
  for (const Op& op : m.program.backward) paths.insert(op.path);
  EXPECT_EQ(paths, (std::set<std::string>{"logits/dgrad", "scaled/grad", "c/dgrad", "between/grad",
                                          "b/wgrad"}));
  EXPECT_EQ(m.backward("between/grad")->operands[rms_norm_gradient::gamma_gradient], kNoTensor);
  for (const Parameter& parameter : m.program.parameters)
    EXPECT_EQ(parameter.main_gradients.size(), parameter.name == "wb" ? 1U : 0U) << parameter.name;
}

TEST(DifferentiateTest, ATiedHeadHasAGradientPerUseHeadFirst) {
  Model m;
  m.finish(m.x, m.table);
  const Parameter& table = m.program.parameters[0];
  ASSERT_EQ(table.main_gradients.size(), 2U);
  EXPECT_EQ(m.backward("logits/wgrad")->operands[linear_weight_gradient::weight_gradient],
            table.main_gradients[0]);
  EXPECT_EQ(m.backward("word/wgrad")->operands[embedding_gradient::table_gradient],
            table.main_gradients[1]);
  EXPECT_EQ(m.program.tensor(table.main_gradients[0]).name, "table.grad0");
  EXPECT_EQ(m.program.tensor(table.main_gradients[1]).name, "table.grad1");
  EXPECT_EQ(m.program.tensor(table.main_gradients[0]).role, Role::main_gradient);
}

TEST(DifferentiateTest, WeightGradientsAreOpsOfTheirOwn) {
  Model m;
  m.finish(m.linear("a", m.x, m.weight("wa", kChannels)), m.weight("head", 16));
  EXPECT_EQ(m.backward("a/wgrad")->phase, Phase::weight_gradient);
  EXPECT_EQ(m.backward("a/dgrad")->phase, Phase::backward);
}

// Every contribution is used: a backward activation that nobody reads is a gradient that was lost.
void expect_no_gradient_is_lost(const Program& program, const std::string& which) {
  std::set<TensorId> read;
  for (const Op& op : program.backward) {
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i] != kNoTensor && op.def->operands[i].access == Access::read)
        read.insert(op.operands[i]);
    }
  }
  for (const Op& op : program.backward) {
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const TensorId tensor = op.operands[i];
      if (tensor == kNoTensor || op.def->operands[i].access != Access::write) continue;
      EXPECT_TRUE(read.contains(tensor))
          << which << ": " << program.tensor(tensor).name << " is lost";
    }
  }
}

// Long programs with more gradients than forward tensors: tables grow while gradients are summed.
TEST(DifferentiateTest, NoGradientIsLostWhenTablesGrow) {
  for (int extra = 0; extra < 16; ++extra) {
    Model m;
    for (int i = 0; i < extra; ++i) m.builder.external("extra", {1}, DType::int32, Role::batch);
    const auto w = m.weight("shared", kChannels);
    auto x = m.x;
    for (int layer = 0; layer < 60; ++layer) {
      const auto a = m.builder.emit_for(gelu::output, gelu_op(), fmt::format("gelu{}", layer),
                                        {{gelu::input, x}});
      x = m.builder.emit_for(
          add::output, add_op(), fmt::format("add{}", layer),
          {{add::a, a}, {add::b, m.linear(fmt::format("linear{}", layer), x, w)}});
    }
    m.finish(x, m.weight("head", 16));
    expect_no_gradient_is_lost(m.program, fmt::format("{} extra tensors", extra));
  }
}

// On random programs: every op's name is its own, nothing is read before it is written, every
// activation is written once, every use of every parameter has a gradient that one op writes.
TEST(DifferentiateTest, RandomProgramsAreWellFormed) {
  int sums = 0;
  for (int seed = 0; seed < 500; ++seed) {
    const Program program = testing::RandomProgram(seed).write();
    std::set<TensorId> written;
    std::map<TensorId, int> gradient_writes, uses;
    std::set<std::string> names;
    const auto visit = [&](const Op& op) {
      for (std::size_t i = 0; i < op.operands.size(); ++i) {
        if (op.operands[i] == kNoTensor) continue;
        const Tensor& tensor = program.tensor(op.operands[i]);
        if (op.def->operands[i].access == Access::read) {
          ASSERT_TRUE(tensor.role != Role::activation || written.contains(op.operands[i]))
              << "seed " << seed << ": " << op.path << " reads " << tensor.name
              << " before it is written";
        } else if (tensor.role == Role::main_gradient) {
          ++gradient_writes[op.operands[i]];
        } else {
          ASSERT_TRUE(written.insert(op.operands[i]).second)
              << "seed " << seed << ": " << tensor.name << " is written twice";
        }
      }
    };
    for (const Op& op : program.forward) {
      visit(op);
      for (std::size_t i = 0; i < op.operands.size(); ++i) {
        if (op.operands[i] != kNoTensor && program.tensor(op.operands[i]).role == Role::parameter)
          ++uses[op.operands[i]];
      }
    }
    for (const Op& op : program.backward) {
      visit(op);
      EXPECT_TRUE(names.insert(op.scope + "/" + op.path).second)
          << "seed " << seed << ": " << op.path << " names two ops";
      sums += op.def->name == "add";
    }
    for (const Parameter& parameter : program.parameters) {
      EXPECT_EQ(static_cast<int>(parameter.main_gradients.size()), uses[parameter.tensor])
          << "seed " << seed << ": " << parameter.name;
      for (const TensorId gradient : parameter.main_gradients)
        EXPECT_EQ(gradient_writes[gradient], 1) << parameter.name;
    }
    expect_no_gradient_is_lost(program, fmt::format("seed {}", seed));
  }
  EXPECT_GT(sums, 500);
}

}  // namespace
}  // namespace megascale::graph
