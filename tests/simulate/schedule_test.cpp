// A pipeline's step takes what the published formulas say, and what is written into the plan is
// what the engine does: the plans of the trainer, with durations of one layer's forward and
// backward only.
#include <fmt/format.h>

#include "job/folding.h"
#include "simulate/jobs.h"

namespace megascale::testing {
namespace {

constexpr double kForward = 1, kBackward = 2;

// Only attention costs: every layer has one, and no other op stands between layers.
simulate::OpCost attention_only(const plan::PlanOp& op) {
  if (op.def->name == "attention") return {.seconds = kForward};
  if (op.def->name == "attention_gradient") return {.seconds = kBackward};
  return {};
}

// Only the products of layers cost: forward, input gradient and weight gradient take the same time.
simulate::OpCost products_only(const plan::PlanOp& op) {
  return {.seconds = op.def->gemm && op.scope.starts_with("layer") ? 1.0 : 0.0};
}

struct Pipeline {
  const char* schedule;
  std::uint32_t stages, virtual_stages, micro_batches;
};

class ScheduleTest : public ::testing::TestWithParam<Pipeline> {};

TEST_P(ScheduleTest, TheStepTakesWhatTheFormulaSays) {
  const auto [schedule, stages, virtual_stages, micro_batches] = GetParam();
  const job::JobPlan job = plan_layout({.pipeline = stages, .schedule = schedule}, micro_batches);
  ASSERT_TRUE(job.train_verification.ok());
  const simulate::Job ranks =
      simulate::make_job(job.train_verification.plans, itself, costs_by_op(attention_only));
  const simulate::Simulation done = simulate::simulate(ranks);
  // Two layers a stage (plan_layout). A step is m micro-batches and (p - 1)/v of one in fill and
  // drain (MegaScale, section 3.2; Megatron-LM, arXiv 2104.04473, section 2.2).
  const double micro_batch = 2 * (kForward + kBackward);
  const double m = micro_batches, p = stages, v = virtual_stages;
  EXPECT_DOUBLE_EQ(done.step_seconds(), micro_batch * (m + (p - 1) / v));
  EXPECT_EQ(done.step_ends.size(), 3U);
  std::uint64_t tasks = 0;
  for (const simulate::JobRank& rank : ranks.ranks) tasks += rank.plan->tasks().size();
  EXPECT_EQ(done.tasks, 3 * tasks);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, ScheduleTest,
                         ::testing::Values(Pipeline{"1f1b", 1, 1, 3}, Pipeline{"gpipe", 2, 1, 2},
                                           Pipeline{"gpipe", 4, 1, 8}, Pipeline{"1f1b", 2, 1, 8},
                                           Pipeline{"1f1b", 4, 1, 8}, Pipeline{"1f1b", 3, 1, 7},
                                           Pipeline{"interleaved", 2, 2, 8},
                                           Pipeline{"interleaved", 4, 2, 8}),
                         [](const auto& test) {
                           return fmt::format("{}_p{}_v{}_m{}", test.param.schedule,
                                              test.param.stages, test.param.virtual_stages,
                                              test.param.micro_batches);
                         });

// Without overlap too, weight gradients that are split off shorten the step of a pipeline.
TEST(ScheduleTimesTest, ZeroBubbleIsFasterThan1F1BWhereTransfersStopComputation) {
  const auto seconds = [](const char* schedule, std::uint32_t stages, std::uint32_t micro_batches) {
    const job::JobPlan job =
        plan_layout({.pipeline = stages, .schedule = schedule, .overlap = false}, micro_batches);
    EXPECT_TRUE(job.train_verification.ok());
    return simulate::simulate(
               simulate::make_job(job.train_verification.plans, itself, costs_by_op(products_only)))
        .step_seconds();
  };
  for (const std::uint32_t stages : {2U, 4U, 6U}) {
    for (const std::uint32_t micro_batches : {stages, 3 * stages}) {
      EXPECT_LT(seconds("zb-h1", stages, micro_batches), seconds("1f1b", stages, micro_batches))
          << stages << " stages, " << micro_batches << " micro-batches";
    }
  }
}

// The records say why: an idle compute lane waited for a transfer whose partner had not started.
TEST(ScheduleRecordsTest, TheBubbleIsInTheRecords) {
  const job::JobPlan job = plan_layout({.pipeline = 2, .schedule = "1f1b"}, 4);
  ASSERT_TRUE(job.train_verification.ok());
  const simulate::Job ranks =
      simulate::make_job(job.train_verification.plans, itself, costs_by_op(attention_only));
  const simulate::Simulation done =
      simulate::simulate(ranks, {.steps = 1, .recorded_ranks = {0, 1}});
  for (std::size_t r = 0; r < 2; ++r) {
    double busy = 0;
    const plan::StepPlan& plan = *ranks.ranks[r].plan;
    for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
      const TaskRecord& record = done.records[r][id];
      EXPECT_LE(record.head_ns, record.start_ns);
      EXPECT_LE(record.start_ns, record.matched_ns);
      EXPECT_LE(record.matched_ns, record.done_ns);
      if (plan.op(plan.tasks()[id]).lane == graph::Lane::compute)
        busy += static_cast<double>(record.done_ns - record.start_ns) * 1e-9;
    }
    EXPECT_DOUBLE_EQ(busy, 4 * 2 * (kForward + kBackward));
  }
}

}  // namespace
}  // namespace megascale::testing
