#include <gtest/gtest.h>

#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"
#include "megascale/job/kernel_spec.h"

// Plans whose tensors have several dtypes: the peak of a device and the check of what the CPU
// executes follow the plan and not model.dtype.
namespace megascale {
namespace {

// A product of `flops` FLOPs per task, in this dtype; its main gradients and results are float32.
plan::PlanOp product(DType dtype, double flops) {
  namespace linear = graph::linear;
  plan::PlanOp op{.def = &graph::linear_op(), .path = "product", .cost = {.flops = flops}};
  op.tensors.resize(op.def->operands.size());
  op.tensors[linear::input] = graph::Tensor{.name = "x", .shape = {4, 4}, .dtype = dtype};
  op.tensors[linear::weight] = graph::Tensor{.name = "w", .shape = {4, 4}, .dtype = dtype};
  op.tensors[linear::output] = graph::Tensor{.name = "y", .shape = {4, 4}};
  op.operands.resize(op.tensors.size());
  return op;
}

// A plan that runs a product in bfloat16 `half` times and one in float32 once.
plan::StepPlan mixed(int half, double flops_of_half, double flops_of_single) {
  plan::StepPlan::Tables tables;
  tables.ops = {product(DType::bfloat16, flops_of_half), product(DType::float32, flops_of_single)};
  for (int i = 0; i < half; ++i) tables.tasks.push_back({.op = plan::OpIndex{0}});
  tables.tasks.push_back({.op = plan::OpIndex{1}});
  return plan::StepPlan(tables);
}

TEST(MixedDtypeFlopsTest, TheDtypeIsThatOfMostFlopsThatRun) {
  const plan::StepFlops most_half = plan::count_flops(mixed(3, 100, 250));
  EXPECT_EQ(most_half.executed, 550);
  EXPECT_EQ(most_half.bfloat16, 300);
  EXPECT_EQ(most_half.dtype(), DType::bfloat16);
  EXPECT_EQ(plan::count_flops(mixed(3, 100, 350)).dtype(), DType::float32);
  EXPECT_EQ(plan::count_flops(mixed(0, 100, 1)).dtype(), DType::float32);
  // Over all ranks: 1 rank in bfloat16 and 3 in float32.
  plan::StepFlops sum;
  sum.add(plan::count_flops(mixed(3, 100, 0)), 1);
  sum.add(plan::count_flops(mixed(0, 0, 200)), 3);
  EXPECT_EQ(sum.dtype(), DType::float32);
  sum.add(plan::count_flops(mixed(3, 100, 0)), 2);
  EXPECT_EQ(sum.dtype(), DType::bfloat16);
}

Config tiny(const std::vector<std::string>& more) {
  std::vector<std::string> all{"model.num_layers=2", "model.hidden_size=32",
                               "model.num_attention_heads=4", "model.seq_length=16"};
  all.insert(all.end(), more.begin(), more.end());
  return parse_config("", "test", all);
}

TEST(MixedDtypeFlopsTest, AModelOfOneDtypeRunsInIt) {
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    const plan::StepFlops flops =
        job::plan_job(tiny({"model.dtype=" + std::string(to_string(dtype))}), 1, 1).flops();
    EXPECT_EQ(flops.dtype(), dtype);
    EXPECT_EQ(flops.bfloat16, dtype == DType::bfloat16 ? flops.executed : 0);
  }
}

TEST(UnsupportedDtypeTest, OneTensorSuffices) {
  const plan::StepPlan plan = mixed(1, 1, 1'000'000);
  const graph::Tensor* found = job::find_unsupported_dtype(plan, kernels::Device::cpu);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "x");
  EXPECT_EQ(job::find_unsupported_dtype(plan, kernels::Device::cuda), nullptr);
  const job::JobPlan single = job::plan_job(tiny({}), 1, 1);
  EXPECT_EQ(
      job::find_unsupported_dtype(single.stages.front().train.expansion.plan, kernels::Device::cpu),
      nullptr);
}

}  // namespace
}  // namespace megascale
