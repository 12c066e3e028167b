// A model whose parameters have two dtypes: each bucket has its own, with masters where it is not
// float32; gathers, optimizer, initial values and checkpoints follow the bucket and not the model.
// (The CPU does not execute bfloat16: such plans are sized and verified.)
#include <gtest/gtest.h>

#include "megascale/graph/ops/ops.h"
#include "megascale/train/checkpointing.h"
#include "train/expert_job.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using graph::Axis;
using plan::FlatBucket;

ExpertLayout two_dtypes(std::uint32_t zero_stage, OptimizerKind optimizer) {
  return {.sizes = {{1, 1, 4, 1, 2, 1, 1}},
          .zero_stage = zero_stage,
          .optimizer = optimizer,
          .dtype = DType::bfloat16};
}

// Bytes of an operand of the only op of the kind whose path is `path`; 0: it is absent.
std::uint64_t operand_nbytes(const plan::StepPlan& plan, const graph::OpDef& def,
                             const std::string& path, std::string_view operand) {
  for (const plan::PlanOp& op : plan.ops()) {
    if (op.def != &def || op.path != path) continue;
    for (std::size_t i = 0; i < def.operands.size(); ++i) {
      if (def.operands[i].name == operand)
        return op.operands[i].buffer == plan::kNoBuffer ? 0 : op.operands[i].nbytes;
    }
  }
  ADD_FAILURE() << def.name << " " << path << " " << operand;
  return 0;
}

TEST(MixedDtypesTest, EveryBucketHasTheDtypeOfItsParameters) {
  const ExpertPlans plans(two_dtypes(1, OptimizerKind::adamw));
  const plan::ModelState& state = plans.state_of(0);
  std::uint64_t elements_in_half = 0, elements = 0;
  for (const FlatBucket& bucket : state.buckets) {
    const bool half = bucket.dtype == DType::bfloat16;
    EXPECT_EQ(state.buffers[plan::index(bucket.parameters)].nbytes,
              bucket.numel * itemsize(bucket.dtype));
    EXPECT_EQ(bucket.masters == bucket.parameters, !half);
    EXPECT_EQ(state.buffers[plan::index(bucket.gradients)].nbytes, bucket.numel * sizeof(float));
    elements += bucket.numel;
    if (!half) continue;
    EXPECT_EQ(state.buffers[plan::index(bucket.masters)].nbytes,
              bucket.shard_numel() * sizeof(float));
    elements_in_half += bucket.numel;
  }
  EXPECT_GT(elements_in_half, elements / 2);
  EXPECT_LT(elements_in_half, elements);
  for (const plan::ParameterPlace& place : state.parameters) {
    const bool router = place.parameter.name.ends_with("router");
    EXPECT_EQ(state.buckets[place.bucket].dtype, router ? DType::float32 : DType::bfloat16)
        << place.parameter.name;
  }
  const auto& sizes = plans.built(0).memory.by_category;
  EXPECT_EQ(sizes[static_cast<std::size_t>(plan::Category::parameters)],
            2 * elements_in_half + 4 * (elements - elements_in_half));
}

TEST(MixedDtypesTest, TheStepTreatsEveryBucketByItsOwnDtype) {
  for (const std::uint32_t zero_stage : {0U, 1U, 2U}) {
    for (const auto kind : {OptimizerKind::adamw, OptimizerKind::lamb}) {
      const ExpertPlans plans(two_dtypes(zero_stage, kind));
      const plan::StepPlan& plan = plans.plan_of(0);
      for (std::size_t b = 0; b < plans.state_of(0).buckets.size(); ++b) {
        const FlatBucket& bucket = plans.state_of(0).buckets[b];
        const std::string number = std::to_string(b);
        const bool half = bucket.dtype == DType::bfloat16;
        const bool lamb = kind == OptimizerKind::lamb;
        const graph::OpDef* update = &graph::adamw_op();
        if (lamb) update = &graph::lamb_apply_op();
        const std::string path =
            std::string("optimizer/") + (lamb ? "lamb/apply" : "adamw") + "/bucket" + number;
        EXPECT_EQ(operand_nbytes(plan, *update, path, "parameters"), bucket.shard_numel() * 4);
        EXPECT_EQ(operand_nbytes(plan, *update, path, "model_parameters"),
                  half ? bucket.shard_numel() * 2 : 0);
        if (lamb) {
          EXPECT_EQ(operand_nbytes(plan, graph::lamb_direction_op(),
                                   "optimizer/lamb/direction/bucket" + number, "parameters"),
                    bucket.shard_numel() * 4);
        }
        for (const plan::PlanOp& op : plan.ops()) {
          if (op.path != "data/gather/bucket" + number) continue;
          EXPECT_EQ(op.attributes.integer("dtype"), static_cast<std::int64_t>(bucket.dtype));
          EXPECT_EQ(op.operands[1].nbytes, bucket.numel * itemsize(bucket.dtype));
        }
        for (const plan::PlanOp& op : plan.ops()) {
          if (op.path != "data/reduce/bucket" + number) continue;
          EXPECT_EQ(op.attributes.integer("dtype"), static_cast<std::int64_t>(DType::float32));
        }
      }
    }
  }
}

// What the ranks hold of the model, as masters, and save: as if all of it were float32.
TEST(MixedDtypesTest, InitialValuesAndCheckpointsDoNotDependOnTheDtype) {
  const auto initial = [](DType dtype) {
    ExpertLayout layout = two_dtypes(2, OptimizerKind::adamw);
    layout.dtype = dtype;
    const ExpertPlans plans(layout);
    std::vector<std::vector<std::byte>> arenas;
    std::vector<std::vector<engine::StatePart>> by_rank;
    for (std::uint32_t r = 0; r < plans.grid().world_size(); ++r) {
      arenas.emplace_back(plans.state_of(r).nbytes);
      by_rank.push_back(engine::state_parts(arenas.back().data(), plans.state_of(r),
                                            plans.grid().sizes(), plans.grid().coordinates(r)));
      engine::initialize(by_rank.back(), plans.state_of(r), /*seed=*/5);
      for (const checkpoint::Piece& piece : train::pieces_of(by_rank.back()))
        EXPECT_EQ(piece.dtype, DType::float32) << piece.name;
    }
    return gather(by_rank);
  };
  const WholeState single = initial(DType::float32);
  EXPECT_EQ(single.weight.size(), 2 * ExpertModel::kWeights);
  EXPECT_TRUE(initial(DType::bfloat16) == single);
}

}  // namespace
}  // namespace megascale
