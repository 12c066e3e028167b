// Extents that an op of the step counts: where their counts lie, that whoever depends on them reads
// them, and which plans are refused.
#include <gtest/gtest.h>

#include "megascale/base/error.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/plan/build.h"
#include "megascale/plan/passes/recompute.h"
#include "megascale/plan/verify.h"

namespace megascale::plan {
namespace {

using graph::Access;
using graph::Dim;
using graph::TensorId;

constexpr std::int64_t kRowsIn = 6, kColumns = 8, kRowsAtMost = 2 * kRowsIn;
constexpr std::uint32_t kGroups = 3;

// A router as a user of the library may write one: counts of rows per group, and the rows.
namespace router {
enum Operand : std::size_t { input, counts, rows };
}
const graph::OpKind<router::Operand>& router_op() {
  using enum router::Operand;
  static const graph::OpKind<router::Operand> def{
      {.name = "test_router",
       .operands =
           graph::operand_table<graph::Reads<input>, graph::Writes<counts>, graph::Writes<rows>>(),
       .infer =
           [](graph::ShapeContext& context) {
             context.output(counts, {Dim(kGroups)}, DType::int64);
             context.output(rows,
                            {Dim(kRowsAtMost, context.tensor(counts), 0, kGroups), Dim(kColumns)},
                            context.dtype(input));
           },
       .backward =
           [](graph::BackwardContext& context) {
             context.contribute(input,
                                context.emit_for(graph::gelu::output, graph::gelu_op(), "sum",
                                                 {{graph::gelu::input, context.operand(input)}}));
           }}};
  return def;
}

struct Routed {
  graph::Program program;
  graph::Builder builder{program, {}};
  TensorId counts{}, rows{}, after{};
  Routed() {
    builder.set_scope("layer0");
    const auto x =
        builder.external("x", {Dim(kRowsIn), Dim(kColumns)}, DType::float32, graph::Role::batch);
    const auto w = builder.parameter("w", {kColumns, kColumns}, DType::float32, {});
    const auto hidden = builder.emit_for(graph::linear::output, graph::linear_op(), "hidden",
                                         {{graph::linear::input, x}, {graph::linear::weight, w}});
    const graph::Op routed = builder.emit(router_op(), "router", {{router::input, hidden}});
    counts = routed.operands[router::counts];
    rows = routed.operands[router::rows];
    after = builder.emit_for(graph::gelu::output, graph::gelu_op(), "after",
                             {{graph::gelu::input, rows}});
  }
};

TEST(RunTimeExtentPlanTest, CountsThatATaskWritesAreOperandsOfWhoDependsOnThem) {
  const Routed r;
  const ActivationPlacement placement =
      place_activations(r.program, [](const graph::Op&) { return 0U; });
  // The counts live as long as the last op whose rows they count.
  const auto& place = placement.places[graph::index(r.counts)];
  ASSERT_TRUE(place.placed);
  PlanTemplate built;
  const auto x = built.add(Buffer{.name = "x", .nbytes = kRowsIn * kColumns * 4});
  const auto w = built.add(Buffer{.name = "w", .nbytes = kColumns * kColumns * 4});
  add_chunk(built, r.program, placement, {{TensorId{0}, x, 0, {}}, {TensorId{1}, w, 0, {}}}, {}, 0);
  const PlanOp& gelu = built.ops.back();
  ASSERT_EQ(gelu.operands.size(), 3U);
  const std::size_t counts = 2;  // behind those of the kind
  EXPECT_EQ(gelu.operands[counts].access, Access::read);
  EXPECT_EQ(gelu.operands[counts].nbytes, kGroups * sizeof(std::int64_t));
  EXPECT_EQ(gelu.operands[counts].buffer, built.ops[1].operands[router::counts].buffer)
      << "what the router writes";
  const RunTimeExtent rows{.operand = 0, .axis = 0, .count_operand = 2, .first = 0, .terms = 3};
  RunTimeExtent same = rows;
  same.operand = 1;
  EXPECT_EQ(gelu.extents, (std::vector<RunTimeExtent>{rows, same}));
  // The router names its counts itself.
  EXPECT_EQ(built.ops[1].operands.size(), 3U);
  EXPECT_EQ(built.ops[1].extents.at(0).count_operand, 1);
}

TEST(RunTimeExtentPlanTest, WhatWritesCountsIsNeverRepeated) {
  for (const auto kind : {RecomputePolicy::Kind::list, RecomputePolicy::Kind::full}) {
    Routed r;
    graph::Op reader = r.program.forward.back();  // reads the rows in the backward
    reader.phase = graph::Phase::backward;
    reader.operands = {r.after, r.rows};
    r.program.backward.push_back(reader);
    recompute(r.program, {.kind = kind, .ops = {"test_router", "gelu"}, .whole_scopes = true});
    bool repeated_after = false;
    for (const graph::Op& op : r.program.backward) {
      EXPECT_NE(op.def, &router_op());
      repeated_after = repeated_after || op.path == "after";
    }
    EXPECT_TRUE(repeated_after) << "what only reads the counted rows is";
  }
}

// One task that reads rows which `counts` counts.
struct OneReader {
  StepPlan::Tables tables;
  OneReader() {
    tables.buffers = {{.name = "rows", .nbytes = 64 * 4},
                      {.name = "counts", .nbytes = 24, .offset = 256}};
    tables.arena_nbytes = 512;
    add(64);
  }
  void add(std::int64_t bound) {
    static const graph::OpDef def{.name = "reader", .operands = {{"rows"}}};
    const graph::Tensor rows{.name = "rows", .shape = {Dim(bound, TensorId{7}, 0, 3)}};
    tables.ops.push_back({.def = &def,
                          .path = "reader",
                          .tensors = {rows},
                          .operands = {{.buffer = BufferId{0}, .nbytes = 64 * 4},
                                       {.buffer = BufferId{1}, .nbytes = 24}},
                          .extents = {{.operand = 0, .count_operand = 1, .terms = 3}}});
    tables.tasks.push_back({.op = OpIndex{static_cast<std::uint32_t>(tables.ops.size() - 1)}});
  }
  [[nodiscard]] std::string violation() const {
    const Verification verification = verify({{std::make_shared<const StepPlan>(tables), {}}});
    return verification.ok() ? "" : verification.violations[0].message;
  }
};

TEST(RunTimeExtentPlanTest, CountsThatDoNotExistAreRefused) {
  OneReader plan;
  EXPECT_EQ(plan.violation(), "");
  const std::vector<std::function<void(PlanOp&)>> damages{
      [](PlanOp& op) { op.extents[0].count_operand = 2; },
      [](PlanOp& op) { op.extents[0].operand = 1; },
      [](PlanOp& op) { op.extents[0].axis = 1; },
      [](PlanOp& op) { op.extents[0].terms = 4; },
      [](PlanOp& op) { op.extents[0].first = ~0U; },
      [](PlanOp& op) { op.operands[1].buffer = kNoBuffer; }};
  for (const auto& damage : damages) {
    OneReader broken;
    damage(broken.tables.ops[0]);
    EXPECT_NE(broken.violation(), "");
  }
}

TEST(RunTimeExtentPlanTest, OneCountHasOneBound) {
  OneReader plan;
  plan.add(64);
  EXPECT_EQ(plan.violation(), "");
  plan.add(32);
  EXPECT_NE(plan.violation().find("by 32 rows"), std::string::npos) << plan.violation();
  EXPECT_NE(plan.violation().find("by 64"), std::string::npos) << plan.violation();
}

}  // namespace
}  // namespace megascale::plan
