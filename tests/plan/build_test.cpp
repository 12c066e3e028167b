#include "megascale/plan/build.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "megascale/base/step_numbers.h"
#include "megascale/config/load.h"
#include "megascale/model/gpt.h"
#include "megascale/plan/passes/recompute.h"
#include "megascale/plan/verify.h"

namespace megascale::plan {
namespace {

Config tiny(const std::vector<std::string>& overrides) {
  std::vector<std::string> all{"model.num_layers=2", "model.hidden_size=32",
                               "model.num_attention_heads=4", "model.seq_length=16"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return parse_config("", "test", all);
}

TEST(BatchLayoutTest, FieldsLieApartBehindTheHeader) {
  const graph::Program program = model::build_gpt(
      tiny({"data.packed_documents=true"}), {.micro_batch_size = 3, .packed_documents = true});
  const BatchLayout layout = batch_layout(std::array<const graph::Program*, 1>{&program}, 5);
  ASSERT_EQ(layout.fields.size(), 4U);
  const std::vector<std::string> names{"tokens", "targets", "positions", "segments"};
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(layout.fields[i].name, names[i]);
    EXPECT_EQ(layout.fields[i].nbytes, 3U * 16U * 4U);
    EXPECT_GE(layout.fields[i].offset, end);
    EXPECT_EQ(layout.fields[i].offset % kBufferAlignment, 0U);
    end = layout.fields[i].offset + layout.fields[i].nbytes;
  }
  EXPECT_GE(layout.micro_batch_nbytes, end);
  EXPECT_GE(BatchLayout::kHeader, sizeof(StepNumbers));
  EXPECT_EQ(layout.nbytes(), BatchLayout::kHeader + 5 * layout.micro_batch_nbytes);
}

struct Variant {
  std::vector<std::string> overrides;
  RecomputePolicy recompute;
  OptimizerKind optimizer = OptimizerKind::adamw;
  std::uint32_t micro_batches = 3;
};

std::vector<Variant> variants() {
  using Kind = RecomputePolicy::Kind;
  return {{{}, {}},
          {{"model.type=llama", "model.num_query_groups=2"},
           {Kind::selective, {}},
           OptimizerKind::lamb},
          {{"model.parallel_block=true"}, {Kind::full, {}}, OptimizerKind::lamb, 1},
          {{"model.dtype=bfloat16"}, {Kind::list, {"gelu"}}, OptimizerKind::adamw, 2}};
}

BuiltPlan build(const Variant& variant) {
  graph::Program program = model::build_gpt(tiny(variant.overrides), {.micro_batch_size = 2});
  recompute(program, variant.recompute);
  StageSpec stage{
      .chunks = {&program},
      .micro_batches = variant.micro_batches,
      .events = parallel::events(parallel::one_forward_one_backward(1, variant.micro_batches))[0]};
  const ModelState state = place_model_state(
      stage.chunks, number_parameters(stage.chunks),
      {.buckets = 3, .staging_nbytes = batch_layout(stage.chunks, variant.micro_batches).nbytes()});
  stage.state = &state;
  return build_train_plan(stage, optimizer::define({.name = variant.optimizer}),
                          [](const PlanOp& op) { return op.def->gemm ? 1000U : 0U; });
}

TEST(TrainPlanTest, IsVerifiedAndEveryTaskHasANameOfItsOwn) {
  for (const Variant& variant : variants()) {
    const BuiltPlan built = build(variant);
    const Verification verification =
        verify({{std::make_shared<const StepPlan>(built.expansion.plan), Binding{}}});
    for (const Violation& violation : verification.violations) ADD_FAILURE() << violation.message;
    std::set<std::string> names;
    for (std::size_t id = 0; id < built.expansion.plan.tasks().size(); ++id) {
      const std::string name = built.expansion.plan.task_name(id);
      EXPECT_TRUE(names.insert(name).second) << name << " names two tasks";
    }
    EXPECT_EQ(build(variant).expansion.plan.digest(), built.expansion.plan.digest());
  }
}

// The rows of `megascale plan` are all of the arena, and nothing twice.
TEST(TrainPlanTest, CategoriesAddUpToTheArena) {
  for (const Variant& variant : variants()) {
    const BuiltPlan built = build(variant);
    std::uint64_t sum = 0;
    for (const std::uint64_t nbytes : built.memory.by_category) sum += nbytes;
    EXPECT_EQ(sum, built.memory.total);
    EXPECT_EQ(built.memory.total, built.expansion.plan.arena_nbytes());
    EXPECT_GE(built.memory.activations_planned, built.memory.activation_peak_live);
    std::uint64_t retained = 0;
    for (const auto& [op, nbytes] : built.memory.retained_by_op) retained += nbytes;
    EXPECT_GT(retained, 0U);
  }
}

// The first micro-batch writes the main gradients, later ones accumulate, in micro-batch order.
TEST(TrainPlanTest, MainGradientsAreWrittenOnceThenAccumulated) {
  const BuiltPlan built = build({});
  const StepPlan& plan = built.expansion.plan;
  std::map<OpIndex, std::vector<std::pair<std::uint16_t, graph::Access>>> by_op;
  for (const Task& task : plan.tasks()) {
    for (const Operand& operand : plan.op(task).operands) {
      if (operand.buffer == kNoBuffer || operand.access != graph::Access::first_writes) continue;
      by_op[task.op].emplace_back(task.micro_batch, StepPlan::access(task, operand));
      break;
    }
  }
  ASSERT_GT(by_op.size(), 10U);
  for (const auto& [op, uses] : by_op) {
    ASSERT_EQ(uses.size(), 3U);
    for (std::uint16_t m = 0; m < 3; ++m) {
      EXPECT_EQ(uses[m], std::pair(m, m == 0 ? graph::Access::write : graph::Access::accumulate));
    }
  }
}

}  // namespace
}  // namespace megascale::plan
