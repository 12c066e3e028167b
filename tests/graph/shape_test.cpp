#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "megascale/base/error.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

// An op over tensors of given shapes; an empty optional leaves the operand out.
struct Case {
  const OpDef& def;
  std::vector<std::optional<Shape>> shapes;  // that fit
  Attributes attributes = {};
};

Attributes attention_attributes() {
  return {{"heads", std::int64_t{4}},
          {"groups", std::int64_t{2}},
          {"head_dim", std::int64_t{8}},
          {"sequence", std::int64_t{6}}};
}

// Heads of 5 values: a packed row has 58 columns, one of the cache 26, one of the output 20.
Attributes value_attributes() {
  Attributes attributes = attention_attributes();
  attributes.set("value_dim", std::int64_t{5});
  return attributes;
}

Attributes whole_norm_attributes(std::int64_t ranks = 1) {
  Attributes attributes = attention_attributes();
  attributes.set("whole", std::int64_t{1});
  if (ranks > 1) attributes.set("ranks", ranks);
  return attributes;
}

std::vector<Case> cases() {
  const std::int64_t n = 12, c = 16, f = 32, v = 64;
  const std::optional<Shape> none;
  const Attributes loss{{"valid_vocabulary", std::int64_t{60}}, {"gradient", std::int64_t{1}}};
  return {
      {embedding_op(), {Shape{v, c}, Shape{10, c}, Shape{n}, Shape{n}}},
      {embedding_gradient_op(), {Shape{n, c}, Shape{n}, Shape{n}, Shape{v, c}, Shape{10, c}}},
      {linear_op(), {Shape{n, c}, Shape{f, c}, Shape{f}}},
      {linear_input_gradient_op(), {Shape{n, f}, Shape{f, c}, Shape{n, c}}},
      {linear_weight_gradient_op(), {Shape{n, f}, Shape{n, c}, Shape{f, c}, Shape{f}}},
      {layer_norm_op(), {Shape{n, c}, Shape{c}, Shape{c}}},
      {layer_norm_gradient_op(),
       {Shape{n, c}, Shape{n, c}, Shape{c}, Shape{n}, Shape{n}, Shape{n, c}, none, Shape{c},
        Shape{c}}},
      {rms_norm_op(), {Shape{n, c}, Shape{c}}},
      {rms_norm_gradient_op(),
       {Shape{n, c}, Shape{n, c}, Shape{c}, Shape{n}, Shape{n, c}, none, Shape{c}}},
      {norm_mean_op(), {Shape{n, c}}},
      {norm_centre_op(), {Shape{n, c}, Shape{n}}},
      {norm_rstd_op(), {Shape{n, c}}},
      {norm_normalise_op(), {Shape{n, c}, Shape{n}}},
      {norm_scale_op(), {Shape{n, c}, Shape{c}, Shape{c}}},
      {norm_scale_gradient_op(), {Shape{n, c}, Shape{n, c}, Shape{c}, none, Shape{c}, Shape{c}}},
      {norm_gradient_means_op(), {Shape{n, c}, Shape{n, c}}},
      {norm_gradient_op(), {Shape{n, c}, Shape{n, c}, Shape{n, 2}, Shape{n}}},
      {gelu_gradient_op(), {Shape{n, c}, Shape{n, c}}},
      {swiglu_op(), {Shape{n, f}}},
      {swiglu_gradient_op(), {Shape{n, c}, Shape{n, f}}},
      {geglu_op(), {Shape{n, f}}},
      {geglu_gradient_op(), {Shape{n, c}, Shape{n, f}}},
      {soft_cap_op(), {Shape{n, c}}},
      {soft_cap_gradient_op(), {Shape{n, c}, Shape{n, c}}},
      {add_op(), {Shape{n, c}, Shape{n, c}}},
      {rope_op(), {Shape{n, 64}, Shape{n}, Shape{20, 8}}, attention_attributes()},
      {rope_gradient_op(), {Shape{n, 64}, Shape{n}, Shape{20, 8}}, attention_attributes()},
      {latent_heads_op(),
       {Shape{n, 32}, Shape{n, 36}, Shape{n, 4}, Shape{n}, Shape{20, 4}},
       value_attributes()},
      {latent_heads_gradient_op(), {Shape{n, 84}, Shape{n}, Shape{20, 4}}, value_attributes()},
      {head_norm_op(), {Shape{n, 64}, Shape{8}, Shape{8}}, attention_attributes()},
      {head_norm_gradient_op(),
       {Shape{n, 64}, Shape{n, 64}, Shape{8}, Shape{8}, Shape{n, 6}, none, Shape{8}, Shape{8}},
       attention_attributes()},
      {head_norm_op(), {Shape{n, 64}, Shape{32}, Shape{16}}, whole_norm_attributes()},
      {head_norm_gradient_op(),
       {Shape{n, 64}, Shape{n, 64}, Shape{32}, Shape{16}, Shape{n, 2}, none, Shape{32}, Shape{16}},
       whole_norm_attributes()},
      {head_norm_op(),
       {Shape{n, 64}, Shape{32}, Shape{16}, none, none, Shape{3 * n, 2}},
       whole_norm_attributes(3)},
      {head_norm_gradient_op(),
       {Shape{n, 64}, Shape{n, 64}, Shape{32}, Shape{16}, Shape{n, 2}, none, Shape{32}, Shape{16},
        Shape{3 * n, 2}},
       whole_norm_attributes(3)},
      {head_norm_squares_op(), {Shape{n, 64}}, whole_norm_attributes(3)},
      {head_norm_products_op(),
       {Shape{n, 64}, Shape{n, 64}, Shape{32}, Shape{16}, Shape{n, 2}},
       whole_norm_attributes(3)},
      {attention_op(), {Shape{n, 64}, Shape{n}}, attention_attributes()},
      {attention_gradient_op(),
       {Shape{n, 32}, Shape{n, 64}, Shape{n}, none, Shape{n, 32}, Shape{2, 4, 6}},
       attention_attributes()},
      {attention_op(), {Shape{n, 58}, Shape{n}}, value_attributes()},
      {attention_gradient_op(),
       {Shape{n, 20}, Shape{n, 58}, Shape{n}, none, Shape{n, 20}, Shape{2, 4, 6}},
       value_attributes()},
      {attention_scores_op(), {Shape{n, 64}}, attention_attributes()},
      {attention_scores_op(), {Shape{n, 58}}, value_attributes()},
      {attention_scores_gradient_op(),
       {Shape{48, 6}, Shape{n, 64}, Shape{n, 64}},
       attention_attributes()},
      {masked_softmax_op(), {Shape{48, 6}, Shape{n}}, attention_attributes()},
      {masked_softmax_gradient_op(), {Shape{48, 6}, Shape{48, 6}}},
      {attention_values_op(), {Shape{48, 6}, Shape{n, 64}}, attention_attributes()},
      {attention_values_gradient_op(),
       {Shape{n, 32}, Shape{48, 6}, Shape{n, 64}},
       attention_attributes()},
      {attention_values_op(), {Shape{48, 6}, Shape{n, 58}}, value_attributes()},
      {attention_values_gradient_op(),
       {Shape{n, 20}, Shape{48, 6}, Shape{n, 58}},
       value_attributes()},
      {dropout_gradient_op(), {Shape{n, c}, Shape{n, c}}},
      {cached_attention_op(), {Shape{n, 64}, Shape{20, 32}, Shape{8}}, attention_attributes()},
      {cached_attention_op(), {Shape{n, 58}, Shape{20, 26}, Shape{8}}, value_attributes()},
      {cached_latent_attention_op(),
       {Shape{n, 32}, Shape{n, 10}, Shape{n, 4}, Shape{n, 4}, Shape{36, 10}, Shape{20, 14},
        Shape{8}},
       value_attributes()},
      {last_rows_op(), {Shape{n, c}, Shape{8}}, {{attribute::rows, 3}}},
      {logit_stats_op(), {Shape{n, v}, Shape{n}}, loss},
      {cross_entropy_op(), {Shape{n, v}, Shape{n, 3}, Shape{n}}, loss},
      {cross_entropy_op(), {Shape{n, v}, Shape{n, 3}, Shape{n}, none, none, Shape{n}}, loss},
      {sequence_scores_op(), {Shape{n, 3}, Shape{n}}, {{attribute::sequence, n / 2}}},
  };
}

void make(const Case& what, const std::vector<std::optional<Shape>>& shapes) {
  std::vector<Tensor> tensors;
  std::vector<TensorId> operands;
  for (const auto& shape : shapes) {
    operands.push_back(shape ? TensorId{static_cast<std::uint32_t>(tensors.size())} : kNoTensor);
    if (shape) tensors.push_back({.name = "t", .shape = *shape});
  }
  make_op(what.def, operands, what.attributes, {.scope = "layer3", .path = "attention/qkv"},
          tensors);
}

std::string refusal(const Case& what, const std::vector<std::optional<Shape>>& shapes) {
  try {
    make(what, shapes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    return error.message();
  }
  return "";
}

TEST(ShapeTest, WhatFitsIsAccepted) {
  for (const Case& what : cases()) EXPECT_EQ(refusal(what, what.shapes), "") << what.def.name;
}

// Extents that no other operand says anything about: the rows of a table, whatever has its size
// from nothing else.
bool free_extent(const Case& what, std::size_t operand, std::size_t axis) {
  const std::string_view name = what.def.operands[operand].name;
  const std::string_view kind = what.def.name;
  if (axis == 1 && name == "logits") return true;  // more padding
  if (kind == "norm_mean" || kind == "norm_rstd" || kind == "soft_cap") return true;
  if (axis != 0)
    return operand == 0 &&
           (kind == "last_rows" || kind == "norm_centre" || kind == "norm_normalise");
  return name == "table" || name == "position_table" || name == "table_gradient" ||
         name == "position_table_gradient" || name == "cache" || kind == "swiglu" ||
         kind == "geglu" ||
         (operand == 0 &&
          (kind == "linear" || kind == "layer_norm" || kind == "rms_norm" || kind == "norm_scale" ||
           kind == "last_rows" || kind == "cached_attention" || kind == "head_norm_squares" ||
           (kind == "head_norm" && what.attributes.integer("ranks", 1) == 1)));
}

// Goal: no operand can have another rank, nor another extent, unless nothing depends on it. Method:
// change each by itself.
TEST(ShapeTest, WhatDoesNotFitIsRefusedWithTheOpNamed) {
  int refused = 0;
  for (const Case& what : cases()) {
    for (std::size_t operand = 0; operand < what.shapes.size(); ++operand) {
      if (!what.shapes[operand]) continue;
      std::vector<Shape> wrong{{}, *what.shapes[operand]};
      wrong[1].push_back(2);
      Shape shorter = *what.shapes[operand];
      shorter.pop_back();
      wrong.push_back(shorter);
      for (std::size_t axis = 0; axis < what.shapes[operand]->size(); ++axis) {
        if (free_extent(what, operand, axis)) continue;
        wrong.push_back(*what.shapes[operand]);
        wrong.back()[axis] = wrong.back()[axis].size + 1;
      }
      for (const Shape& shape : wrong) {
        auto shapes = what.shapes;
        shapes[operand] = shape;
        const std::string message = refusal(what, shapes);
        EXPECT_NE(
            message.find(fmt::format("op {} (layer3/attention/qkv): expected", what.def.name)),
            std::string::npos)
            << what.def.name << " took " << to_string(shape) << " as "
            << what.def.operands[operand].name << ": " << message;
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 150);
}

// A norm of all heads that ranks divide needs the sums of all of them; one of each head has none.
TEST(ShapeTest, SumsOfRanksBelongToANormThatTheyDivide) {
  const std::optional<Shape> none, rows = Shape{12, 64}, sums = Shape{36, 2};
  const Case divided{head_norm_op(), {}, whole_norm_attributes(3)};
  EXPECT_NE(refusal(divided, {rows, Shape{32}, Shape{16}}).find("sums of all ranks"),
            std::string::npos);
  const Case own{head_norm_op(), {}, whole_norm_attributes()};
  EXPECT_NE(refusal(own, {rows, Shape{32}, Shape{16}, none, none, sums}).find("sums of all ranks"),
            std::string::npos);
  Attributes by_head = attention_attributes();
  by_head.set("ranks", std::int64_t{3});
  const Case heads{head_norm_op(), {}, by_head};
  EXPECT_NE(
      refusal(heads, {rows, Shape{8}, Shape{8}, none, none, sums}).find("one norm of all heads"),
      std::string::npos);
}

TEST(ShapeTest, DtypesOfOneGemmAgree) {
  std::vector<Tensor> tensors{{.name = "x", .shape = {2, 4}},
                              {.name = "w", .shape = {8, 4}, .dtype = DType::bfloat16}};
  EXPECT_THROW(
      make_op(linear_op(), {TensorId{0}, TensorId{1}}, {}, {.scope = "s", .path = "p"}, tensors),
      Error);
}

TEST(ShapeTest, EveryKindIsFoundByItsName) {
  std::set<std::string_view> names;
  for (const OpDef* def : all_op_defs()) {
    EXPECT_EQ(find_op_def(def->name), def);
    EXPECT_TRUE(names.insert(def->name).second) << def->name;
    EXPECT_NE(def->infer, nullptr);
    for (const InPlace& pair : def->in_place) {
      ASSERT_LT(std::max(pair.output, pair.input), def->operands.size());
      EXPECT_EQ(def->operands[pair.output].access, Access::write) << def->name;
      EXPECT_EQ(def->operands[pair.input].access, Access::read) << def->name;
    }
  }
  EXPECT_EQ(find_op_def("none"), nullptr);
}

}  // namespace
}  // namespace megascale::graph
