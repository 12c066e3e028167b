// Goal: the plans of all sizes of a batch run in one arena around one model state.
#include "megascale/job/batch_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/config/load.h"
#include "megascale/parallel/schedule.h"
#include "megascale/parallel/schedule_file.h"
#include "support/scratch_directory.h"

namespace megascale::job {
namespace {

using ::testing::HasSubstr;

std::string digest_of(const JobPlan& job, std::size_t stage = 0) {
  return job.stages[stage].train.expansion.plan.digest();
}

Config config_of(std::vector<std::string> more) {
  std::vector<std::string> settings{"model.num_layers=4",       "model.hidden_size=32",
                                    "model.seq_length=16",      "model.num_attention_heads=4",
                                    "train.threads_per_rank=1", "train.global_batch_size=12"};
  settings.insert(settings.end(), more.begin(), more.end());
  return parse_config("", "test", settings);
}
const std::vector<std::string> kRamp{"train.rampup_batch_size=4,4,16"};
const std::vector<std::string> kRampOnStages{"train.rampup_batch_size=4,4,16",
                                             "parallel.pipeline_model_parallel_size=2",
                                             "parallel.virtual_pipeline_size=2",
                                             "parallel.pipeline_schedule=interleaved",
                                             "parallel.world_size=4",
                                             "parallel.zero_stage=1"};

TEST(BatchPlansTest, TheStateLiesAtTheSamePlaceInAllPlans) {
  for (const auto& settings : {kRamp, kRampOnStages}) {
    const BatchPlans plans = plan_batches(config_of(settings));
    ASSERT_EQ(plans.sizes.size(), 3U);
    EXPECT_NO_THROW(require_proven(plans));
    EXPECT_THAT(violations(plans), ::testing::IsEmpty());
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(plans.sizes[i].config.train.global_batch_size, 4 * static_cast<int>(i + 1));
      EXPECT_EQ(plans.number_of(4 * static_cast<int>(i + 1)), i);
      for (std::size_t s = 0; s < plans.full().stages.size(); ++s) {
        const StagePlan &stage = plans.sizes[i].job.stages[s], &full = plans.full().stages[s];
        ASSERT_EQ(stage.state.buffers.size(), full.state.buffers.size());
        for (std::size_t b = 0; b < full.state.buffers.size(); ++b)
          EXPECT_EQ(stage.state.buffers[b].offset, full.state.buffers[b].offset);
        EXPECT_EQ(stage.state.nbytes, full.state.nbytes);
        EXPECT_EQ(stage.arena_nbytes, full.arena_nbytes);
        EXPECT_GE(stage.arena_nbytes, stage.train.memory.total);
      }
    }
  }
}

TEST(BatchPlansTest, TheLastPlanIsThatWithoutARamp) {
  const JobPlan alone = plan_job(config_of({}));
  const BatchPlans plans = plan_batches(config_of(kRamp));
  EXPECT_EQ(digest_of(plans.full()), digest_of(alone));
  EXPECT_EQ(digest_of(plan_job(config_of(kRamp))), digest_of(alone));
  EXPECT_TRUE(plan_batches(config_of({})).smaller().empty());
}

// Without room for the largest batch, the buffers behind the staging would begin elsewhere.
TEST(BatchPlansTest, AStepCopiesItsOwnBatchOnly) {
  const BatchPlans plans = plan_batches(config_of(kRamp));
  for (const BatchPlan& one : plans.sizes) {
    const StagePlan& stage = one.job.stages[0];
    const plan::StepPlan& plan = stage.train.expansion.plan;
    int copies = 0;
    for (const plan::PlanOp& op : plan.ops()) {
      if (op.path != "data/copy" && op.path != "data/load") continue;
      ++copies;
      for (const plan::Operand& operand : op.operands)
        EXPECT_EQ(operand.nbytes, stage.train.batch.nbytes()) << op.path;
    }
    EXPECT_EQ(copies, 2);
    EXPECT_EQ(plan.buffer(stage.state.staging).nbytes, plans.full().stages[0].train.batch.nbytes());
  }
}

TEST(BatchPlansTest, RecordsAreThoseOfTheSizeWithTheirDigest) {
  const Config config = config_of(kRampOnStages);
  const BatchPlans plans = plan_batches(config);
  for (const BatchPlan& one : plans.sizes) {
    for (std::size_t stage : {0, 1}) {
      const std::string digest = digest_of(one.job, stage);
      EXPECT_EQ(&plans.of_records(digest), &one.job);
      EXPECT_EQ(digest_of(plan_of_records(config, digest), stage), digest);
    }
  }
  EXPECT_EQ(&plans.of_records("no such plan"), &plans.full());
  EXPECT_EQ(digest_of(plan_of_records(config, "no such plan")), digest_of(plans.full()));
}

// A file of a schedule is for one number of micro-batches.
TEST(BatchPlansTest, AnErrorNamesTheSize) {
  const testing::ScratchDirectory scratch;
  const auto file =
      scratch.write("1f1b.schedule", parallel::to_text(parallel::one_forward_one_backward(2, 12)));
  const Config config =
      config_of({"train.rampup_batch_size=4,4,16", "parallel.pipeline_model_parallel_size=2",
                 "parallel.pipeline_schedule=" + file.string()});
  try {
    (void)plan_batches(config);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), ::testing::AllOf(HasSubstr("planning steps of 4 sequences"),
                                                  HasSubstr("12 micro-batches")));
  }
}

}  // namespace
}  // namespace megascale::job
