// Ops of routed experts: shapes, refusals, counts and gradients.
#include <gtest/gtest.h>

#include "megascale/base/error.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

constexpr std::int64_t kLayerTokens = 12, kLayerExperts = 6, kLayerTopK = 2, kLayerColumns = 8,
                       kExpertWidth = 10, kLayerRows = kLayerTokens * kLayerTopK;

Attributes route_attributes(std::int64_t k = kLayerTopK) {
  return {{attribute::top_k, k},
          {attribute::score_function, std::int64_t{0}},
          {attribute::normalise, std::int64_t{1}},
          {attribute::scale, 1.0}};
}

// A layer on one rank: router, copies of tokens, experts, sum.
struct ExpertLayer {
  Program program;
  Builder builder{program, AxisSizes{}};
  TensorId table = builder.parameter("table", {20, kLayerColumns}, DType::float32, {});
  TensorId tokens = builder.batch_input(BatchField::tokens, {Dim(kLayerTokens)});
  TensorId x = builder.emit_for(embedding::output, embedding_op(), "embedding",
                                {{embedding::table, table}, {embedding::tokens, tokens}});
  TensorId router = builder.parameter("router", {kLayerExperts, kLayerColumns}, DType::float32, {});
  TensorId logits = builder.emit_for(linear::output, linear_op(), "router",
                                     {{linear::input, x}, {linear::weight, router}});
  Op routed = builder.emit(route_op(), "route", {{route::logits, logits}}, route_attributes());
  Op losses = builder.emit(
      router_losses_op(), "losses",
      {{router_losses::logits, logits}, {router_losses::loads, routed.operands[route::loads]}},
      {{attribute::top_k, kLayerTopK}, {attribute::aux_loss, 0.5}, {attribute::z_loss, 0.25}});
  Op map = builder.emit(dispatch_map_op(), "map",
                        {{dispatch_map::choices, routed.operands[route::choices]}},
                        {{attribute::experts, kLayerExperts}, {attribute::ranks, std::int64_t{1}}});
  TensorId source = map.operands[dispatch_map::source], place = map.operands[dispatch_map::place],
           counts = map.operands[dispatch_map::counts], sent = map.operands[dispatch_map::sent];
  TensorId rows = builder.emit_for(gather_rows::output, gather_rows_op(), "gather",
                                   {{gather_rows::input, x},
                                    {gather_rows::source, source},
                                    {gather_rows::place, place},
                                    {gather_rows::sent, sent}});
  TensorId weights = builder.emit_for(gather_weights::output, gather_weights_op(), "gather_weights",
                                      {{gather_weights::weights, routed.operands[route::weights]},
                                       {gather_weights::source, source},
                                       {gather_weights::place, place},
                                       {gather_weights::sent, sent}});
  TensorId stack =
      builder.parameter("up", {kLayerExperts, 2 * kExpertWidth, kLayerColumns}, DType::float32, {});
  TensorId up = builder.emit_for(grouped_linear::output, grouped_linear_op(), "up",
                                 {{grouped_linear::input, rows},
                                  {grouped_linear::weight, stack},
                                  {grouped_linear::groups, counts}});
  TensorId gated = builder.emit_for(gated_swiglu::output, gated_swiglu_op(), "swiglu",
                                    {{gated_swiglu::input, up}, {gated_swiglu::weights, weights}});
  TensorId down_stack =
      builder.parameter("down", {kLayerExperts, kLayerColumns, kExpertWidth}, DType::float32, {});
  TensorId down = builder.emit_for(grouped_linear::output, grouped_linear_op(), "down",
                                   {{grouped_linear::input, gated},
                                    {grouped_linear::weight, down_stack},
                                    {grouped_linear::groups, counts}});
  TensorId y = builder.emit_for(combine_rows::output, combine_rows_op(), "combine",
                                {{combine_rows::input, down},
                                 {combine_rows::source, source},
                                 {combine_rows::place, place},
                                 {combine_rows::sent, sent}});
};

TEST(ExpertOpsTest, RowsAreCountedByTheMap) {
  const ExpertLayer layer;
  Dim counted(kLayerRows, layer.sent, 0, 1);
  counted.leaving = true;
  EXPECT_EQ(layer.program.tensor(layer.rows).shape, (Shape{counted, kLayerColumns}));
  EXPECT_EQ(layer.program.tensor(layer.weights).shape, (Shape{counted, 1}));
  EXPECT_EQ(layer.program.tensor(layer.up).shape, (Shape{counted, 2 * kExpertWidth}));
  EXPECT_EQ(layer.program.tensor(layer.gated).shape, (Shape{counted, kExpertWidth}));
  EXPECT_EQ(layer.program.tensor(layer.y).shape, (Shape{kLayerTokens, kLayerColumns}));
  EXPECT_EQ(layer.program.tensor(layer.counts).dtype, DType::int64);
  EXPECT_EQ(layer.program.tensor(layer.source).dtype, DType::int32);
}

const Op* find_op(const std::vector<Op>& ops, const std::string& path) {
  for (const Op& op : ops) {
    if (op.path == path) return &op;
  }
  return nullptr;
}

// Stands for a loss: the gradient of its input is the input.
namespace whole_loss {
enum Operand : std::size_t { input };
}
const OpKind<whole_loss::Operand>& whole_loss_op() {
  static const OpKind<whole_loss::Operand> def{
      {.name = "whole_loss",
       .operands = operand_table<Reads<whole_loss::input>>(),
       .infer = [](ShapeContext&) {},
       .backward =
           [](BackwardContext& context) {
             context.contribute(whole_loss::input, context.operand(whole_loss::input));
           }}};
  return def;
}

TEST(ExpertOpsTest, EveryParameterGetsItsGradientByTheSameMap) {
  ExpertLayer layer;
  layer.builder.emit(whole_loss_op(), "loss", {{whole_loss::input, layer.y}});
  differentiate(layer.program);
  for (const Parameter& parameter : layer.program.parameters)
    EXPECT_EQ(parameter.main_gradients.size(), 1U) << parameter.name;
  const auto& backward = layer.program.backward;
  const Op *rows = find_op(backward, "combine/grad"), *x = find_op(backward, "gather/grad");
  ASSERT_TRUE(rows && x);
  EXPECT_EQ(rows->def, &gather_rows_op());
  EXPECT_EQ(x->def, &combine_rows_op());
  EXPECT_EQ(rows->operands[gather_rows::place], layer.place);
  EXPECT_EQ(x->operands[combine_rows::source], layer.source);
  EXPECT_EQ(layer.program.tensor(rows->operands[gather_rows::output]).shape,
            layer.program.tensor(layer.rows).shape);
  // The losses begin their gradient themselves, and that of the weights is added to it.
  const Op *losses = find_op(backward, "losses/grad"), *weights = find_op(backward, "route/grad");
  ASSERT_TRUE(losses && weights);
  EXPECT_EQ(weights->operands[route_gradient::addend],
            losses->operands[router_losses_gradient::logits_gradient]);
  EXPECT_EQ(find_op(backward, "router/dgrad")->operands[linear_input_gradient::gradient],
            weights->operands[route_gradient::logits_gradient]);
}

TEST(ExpertOpsTest, WhatDoesNotFitIsRefused) {
  ExpertLayer layer;
  Builder& b = layer.builder;
  const auto external = [&](Shape shape, DType dtype) {
    return b.external("t", std::move(shape), dtype, Role::activation);
  };
  const auto refuses = [&](const auto& emit) { EXPECT_THROW(emit(), Error); };
  refuses([&] { b.emit(route_op(), "r", {{route::logits, layer.logits}}, route_attributes(7)); });
  refuses([&] { b.emit(route_op(), "r", {{route::logits, layer.logits}}, route_attributes(0)); });
  refuses([&] {
    b.emit(route_op(), "r",
           {{route::logits, external({kLayerTokens, kLayerExperts}, DType::bfloat16)}},
           route_attributes());
  });
  const auto pad = [&](TensorId padding) {
    b.emit(route_op(), "r", {{route::logits, layer.logits}, {route::padding, padding}},
           route_attributes());
  };
  EXPECT_NO_THROW(pad(external({kLayerTokens}, DType::int32)));
  refuses([&] { pad(external({kLayerTokens}, DType::int64)); });
  refuses([&] { pad(external({kLayerTokens + 1}, DType::int32)); });
  const auto weigh = [&](TensorId choices, TensorId counted) {
    b.emit(router_losses_op(), "l",
           {{router_losses::logits, layer.logits},
            {router_losses::loads, external({kLayerExperts}, DType::int64)},
            {router_losses::choices, choices},
            {router_losses::counted, counted}},
           {{attribute::top_k, kLayerTopK}});
  };
  const TensorId chosen = layer.routed.operands[route::choices];
  EXPECT_NO_THROW(weigh(chosen, external({1}, DType::int64)));
  refuses([&] { weigh(chosen, external({2}, DType::int64)); });
  refuses([&] { weigh(chosen, external({1}, DType::int32)); });
  refuses([&] { weigh(layer.logits, kNoTensor); });
  const auto map = [&](TensorId choices, std::int64_t experts, std::int64_t ranks) {
    b.emit(dispatch_map_op(), "m", {{dispatch_map::choices, choices}},
           {{attribute::experts, experts}, {attribute::ranks, ranks}});
  };
  refuses([&] { map(layer.logits, kLayerExperts, 1); });
  refuses([&] { map(layer.routed.operands[route::choices], kLayerExperts, 4); });
  const auto gather = [&](TensorId x, TensorId source, TensorId place, TensorId sent) {
    b.emit(gather_rows_op(), "g",
           {{gather_rows::input, x},
            {gather_rows::source, source},
            {gather_rows::place, place},
            {gather_rows::sent, sent}});
  };
  refuses([&] {
    gather(external({kLayerTokens + 1, kLayerColumns}, DType::float32), layer.source, layer.place,
           layer.sent);
  });
  refuses(
      [&] { gather(layer.x, external({kLayerRows + 1}, DType::int32), layer.place, layer.sent); });
  refuses([&] {
    gather(layer.x, layer.source, external({kLayerTokens, kLayerTopK}, DType::float32), layer.sent);
  });
  refuses([&] { gather(layer.x, layer.source, layer.place, external({1}, DType::int32)); });
  const auto grouped = [&](TensorId x, TensorId weight, TensorId groups) {
    b.emit(grouped_linear_op(), "p",
           {{grouped_linear::input, x},
            {grouped_linear::weight, weight},
            {grouped_linear::groups, groups}});
  };
  refuses([&] { grouped(layer.rows, layer.router, layer.counts); });
  refuses([&] { grouped(layer.rows, layer.down_stack, layer.counts); });
  refuses([&] { grouped(layer.rows, layer.stack, external({kLayerExperts + 1}, DType::int64)); });
  refuses([&] { grouped(layer.rows, layer.stack, external({kLayerExperts}, DType::int32)); });
  const auto regroup = [&](TensorId arrived) {
    b.emit(regroup_map_op(), "r", {{regroup_map::arrived, arrived}},
           {{attribute::ranks, std::int64_t{3}}, {attribute::rows, std::int64_t{40}}});
  };
  refuses([&] { regroup(external({7}, DType::int64)); });
  refuses([&] { regroup(external({6}, DType::int32)); });
  refuses([&] {
    b.emit(router_losses_op(), "l",
           {{router_losses::logits, layer.logits},
            {router_losses::loads, external({kLayerExperts + 1}, DType::int64)}});
  });
  const auto losses_of_groups = [&](std::int64_t groups, TensorId sent) {
    b.emit(router_losses_op(), "l",
           {{router_losses::logits, layer.logits},
            {router_losses::loads, external({2 * kLayerExperts}, DType::int64)},
            {router_losses::sent, sent}},
           {{attribute::device_groups, groups}});
  };
  EXPECT_NO_THROW(losses_of_groups(3, external({6}, DType::int64)));
  refuses([&] { losses_of_groups(3, external({3}, DType::int64)); });
  refuses([&] { losses_of_groups(3, external({6}, DType::int32)); });
  refuses([&] { losses_of_groups(0, external({6}, DType::int64)); });
  refuses([&] { losses_of_groups(4, external({8}, DType::int64)); });
  const auto drop = [&](attribute::Name name, std::int64_t value, Shape affinities, Shape exempt) {
    Attributes attributes{
        {attribute::experts, kLayerExperts},         {attribute::device_groups, std::int64_t{3}},
        {attribute::capacity, std::int64_t{8}},      {attribute::ranks, std::int64_t{4}},
        {attribute::context_ranks, std::int64_t{2}}, {attribute::sequence, std::int64_t{6}}};
    attributes.set(name, value);
    return b.emit(drop_choices_op(), "d",
                  {{drop_choices::choices, layer.routed.operands[route::choices]},
                   {drop_choices::affinities, external(std::move(affinities), DType::float32)},
                   {drop_choices::exempt, external(std::move(exempt), DType::int32)}},
                  attributes);
  };
  const Shape slots{kLayerTokens, kLayerTopK};
  const Op dropped = drop(attribute::capacity, 0, slots, {2});
  EXPECT_EQ(layer.program.tensor(dropped.operands[drop_choices::kept]).shape,
            (Shape{kLayerTokens / 4, kLayerTopK}));
  refuses([&] { drop(attribute::capacity, 8, {kLayerTokens, kLayerTopK + 1}, {2}); });
  refuses([&] { drop(attribute::capacity, 8, slots, {3}); });
  for (const auto& [name, value] :
       std::vector<std::pair<attribute::Name, std::int64_t>>{{attribute::device_groups, 4},
                                                             {attribute::capacity, -1},
                                                             {attribute::ranks, 3},
                                                             {attribute::ranks, 8},
                                                             {attribute::context_ranks, 3},
                                                             {attribute::sequence, 5}})
    refuses([&] { drop(name, value, slots, {2}); });
  refuses([&] {
    b.emit(group_loads_op(), "g", {{group_loads::choices, layer.routed.operands[route::choices]}},
           {{attribute::experts, kLayerExperts}, {attribute::device_groups, std::int64_t{4}}});
  });
}

// Where more rows may arrive than do on average, costs are those of the average.
TEST(ExpertOpsTest, FlopsAndBytesAreThoseOfTheMeanNumberOfRows) {
  Program program;
  AxisSizes axes;
  axes[Axis::expert] = 2;
  Builder builder(program, axes);
  const auto counts = [&](const char* name) {
    return builder.external(name, {2}, DType::int64, Role::activation);
  };
  const TensorId sent = counts("sent"), received = counts("received"), groups = counts("groups");
  const TensorId x =
      builder.external("x", {Dim(24, sent, 0, 2), kLayerColumns}, DType::float32, Role::activation);
  const TensorId weight =
      builder.parameter("w", {2, kExpertWidth, kLayerColumns}, DType::float32, {});
  const TensorId arrived =
      builder.all_to_all_v("there", x, sent, received, 40, Axis::expert, /*mean_rows=*/16);
  EXPECT_EQ(program.tensor(arrived).nbytes(), 40 * kLayerColumns * 4);
  EXPECT_EQ(program.tensor(arrived).expected_share(), 0.4);
  const Op grouped = builder.emit(grouped_linear_op(), "product",
                                  {{grouped_linear::input, arrived},
                                   {grouped_linear::weight, weight},
                                   {grouped_linear::groups, groups}});
  const Cost cost = grouped.def->cost(OpView(grouped, program.tensors));
  EXPECT_EQ(cost.flops, 2.0 * 16 * kExpertWidth * kLayerColumns);
  EXPECT_EQ(cost.model_flops, cost.flops);
  builder.emit(whole_loss_op(), "loss",
               {{whole_loss::input, grouped.operands[grouped_linear::output]}});
  differentiate(program);
  const Op* wgrad = find_op(program.backward, "product/wgrad");
  ASSERT_TRUE(wgrad);
  EXPECT_EQ(wgrad->def->cost(OpView(*wgrad, program.tensors)).flops, cost.flops);
}

// The gradient of a changed order is the same op with the two maps exchanged.
TEST(ExpertOpsTest, ReorderedRowsGoBackByTheInverseMap) {
  ExpertLayer layer;
  Builder& b = layer.builder;
  const auto order = b.external("order", {kLayerRows}, DType::int32, Role::activation),
             inverse = b.external("inverse", {kLayerRows}, DType::int32, Role::activation);
  const TensorId other = b.emit_for(reorder_rows::output, reorder_rows_op(), "reorder",
                                    {{reorder_rows::input, layer.rows},
                                     {reorder_rows::order, order},
                                     {reorder_rows::inverse, inverse}});
  b.emit(whole_loss_op(), "loss", {{whole_loss::input, other}});
  differentiate(layer.program);
  const Op* back = find_op(layer.program.backward, "reorder/grad");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->operands[reorder_rows::order], inverse);
  EXPECT_EQ(back->operands[reorder_rows::inverse], order);
}

}  // namespace
}  // namespace megascale::graph
