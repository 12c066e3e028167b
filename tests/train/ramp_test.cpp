// Goal: a run whose batch grows does the steps of a chain of runs with the sizes one after the other,
// in every layout and after a resume at any step.
// Method: START 4, INCREMENT 4, 16 samples, 12 sequences at the end: steps 1 and 2 have 4 sequences,
// step 3 has 8, steps 4 to 8 have 12.
#include "train/ramp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/run_directory.h"
#include "megascale/job/batch_plans.h"
#include "megascale/observe/outcome_reader.h"
#include "megascale/observe/ring_file.h"
#include "support/watchdog.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::AllOf;
using ::testing::HasSubstr;

// The numbers of one step in metrics.jsonl.
struct Counted {
  std::vector<std::int64_t> samples, tokens;
  void take(const train::StepMetrics& metrics) {
    samples.push_back(metrics.consumed_samples);
    tokens.push_back(metrics.consumed_tokens);
  }
};

TEST(RampTest, EqualsAChainOfRuns) {
  const std::vector<Settings> variants{
      {},
      {"train.micro_batch_size=2"},
      {"data.prefetch=false", "optimizer.name=lamb"},
      {"model.hidden_dropout=0.1", "data.packed_documents=true"},
      {"model.type=llama", "moe.num_experts=4", "moe.router_enable_expert_bias=true"}};
  for (const Settings& variant : variants) {
    SCOPED_TRACE(::testing::PrintToString(variant));
    Laboratory laboratory;
    Counted of_ramp, of_chain;
    const Outcome ramp =
        laboratory.run(ramp_model(kRamp, variant),
                       {.on_step = [&](const auto& metrics) { of_ramp.take(metrics); }});
    Outcome chain;
    const std::vector<std::pair<int, std::int64_t>> links{{4, 2}, {8, 1}, {12, 100}};
    for (const auto& [size, steps] : links) {
      const Outcome link = laboratory.run(
          ramp_model(
              {"train.global_batch_size=" + std::to_string(size), "checkpoint.allow_changes=batch"},
              variant),
          {.most_steps = steps, .load = chain.checkpoints, .on_step = [&](const auto& metrics) {
             of_chain.take(metrics);
           }});
      append(chain, link);
    }
    EXPECT_EQ(first_difference(ramp, chain), "");
    EXPECT_EQ(ramp.state.sample_digest, chain.state.sample_digest);
    EXPECT_EQ(ramp.state.consumed_samples, 4 + 4 + 8 + 5 * 12);
    EXPECT_THAT(of_ramp.samples, ::testing::ElementsAre(4, 8, 16, 28, 40, 52, 64, 76));
    EXPECT_EQ(of_ramp.samples, of_chain.samples);
    EXPECT_EQ(of_ramp.tokens, of_chain.tokens);
  }
}

// The last step of a phase must not read a batch of its own size for the next one. Only the step that
// never comes may have been read beside those that were done.
TEST(RampTest, EverySampleIsReadOnce) {
  Laboratory laboratory;
  const Settings alone{"train.eval_interval=0"};
  for (const Settings& layout : {alone, Settings{"train.eval_interval=0", "parallel.world_size=2",
                                                 "parallel.tensor_model_parallel_size=2"}}) {
    const Outcome run = laboratory.run(ramp_model(kRamp, layout));
    EXPECT_EQ(run.state.consumed_samples, 76);
    EXPECT_GE(run.samples_read, 76);
    EXPECT_LE(run.samples_read, 76 + 12);
  }
}

// An evaluation reads 12 sequences in every phase: as one batch, or here as three batches of 4.
TEST(RampTest, EvaluationsReadFullBatches) {
  Laboratory laboratory;
  const Settings every{"train.eval_interval=1"};
  const Outcome ramp = laboratory.run(ramp_model(kRamp, every), {.most_steps = 2});
  const Outcome small = laboratory.run(
      ramp_model({"train.global_batch_size=4", "train.eval_iters=3"}, every), {.most_steps = 2});
  ASSERT_EQ(ramp.validation_losses.size(), 2U);
  EXPECT_EQ(ramp.losses, small.losses);
  EXPECT_LE(worst_relative_difference(ramp.validation_losses, small.validation_losses), 1e-6);
}

TEST(RampTest, LayoutsAgree) {
  const Watchdog watchdog("layouts of a ramp");
  Laboratory laboratory;
  const Outcome one = laboratory.run(ramp_model(kRamp));
  for (const Layout& layout : ramp_layouts()) {
    SCOPED_TRACE(layout.name);
    const Outcome outcome = laboratory.run(ramp_model(kRamp, layout.settings));
    EXPECT_EQ(outcome.state.sample_digest, one.state.sample_digest);
    EXPECT_EQ(outcome.state.consumed_samples, one.state.consumed_samples);
    if (layout.has_same_bits) {
      EXPECT_EQ(first_difference(outcome, one), "");
      continue;
    }
    EXPECT_LE(worst_relative_difference(outcome.losses, one.losses), 1e-5);
    EXPECT_LE(worst_relative_difference(outcome.validation_losses, one.validation_losses), 1e-5);
  }
}

TEST(RampTest, AResumeAtAnyStepHasTheSameBits) {
  for (const Settings& layout :
       {Settings{}, Settings{"parallel.world_size=2", "parallel.zero_stage=1"}}) {
    Laboratory laboratory;
    const Outcome straight = laboratory.run(ramp_model(kRamp, layout));
    for (const std::int64_t steps : {1, 2, 3, 4}) {
      SCOPED_TRACE(steps);
      Outcome parts = laboratory.run(ramp_model(kRamp, layout), {.most_steps = steps});
      append(parts, laboratory.run(ramp_model(kRamp, layout), {.load = parts.checkpoints}));
      EXPECT_EQ(first_difference(parts, straight), "");
      EXPECT_EQ(parts.state.sample_digest, straight.state.sample_digest);
    }
  }
}

// The state after step 2 is written beside step 3, the first of the next phase.
TEST(RampTest, ABackgroundCheckpointDoesNotSeeTheNextPhase) {
  Laboratory laboratory;
  const Outcome straight = laboratory.run(ramp_model(kRamp));
  const Outcome saves = laboratory.run(ramp_model(kRamp, {"checkpoint.interval=2"}));
  EXPECT_EQ(first_difference(saves, straight), "");
  const auto opened = checkpoint::open_path(saves.checkpoints / "step-00000002");
  const Outcome until = laboratory.run(ramp_model(kRamp), {.most_steps = 2});
  EXPECT_EQ(first_difference(read_tensors(opened), until.tensors), "");
  EXPECT_EQ(opened.state().consumed_samples, 8);
  EXPECT_EQ(opened.state().sample_digest, until.state.sample_digest);
}

TEST(RampTest, AnotherRampMustBeAllowedAndGoesByTheSamples) {
  Laboratory laboratory;
  const Outcome begun = laboratory.run(ramp_model(kRamp), {.most_steps = 3});
  Settings other = ramp_model(kRamp, {"train.rampup_batch_size=6,6,20"});
  try {
    (void)laboratory.run(other, {.load = begun.checkpoints});
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(),
                AllOf(HasSubstr("train.rampup_batch_size = [6, 6, 20]"), HasSubstr("[4, 4, 16]"),
                      HasSubstr("checkpoint.allow_changes=batch")));
  }
  other.emplace_back("checkpoint.allow_changes=batch");
  Counted counted;
  (void)laboratory.run(other, {.most_steps = 3,
                               .load = begun.checkpoints,
                               .on_step = [&](const auto& metrics) { counted.take(metrics); }});
  // 16 of 20 samples are consumed: one more step of 6.
  EXPECT_THAT(counted.samples, ::testing::ElementsAre(22, 34, 46));
}

TEST(RampTest, RecordsNameThePlanOfTheirSteps) {
  Laboratory laboratory;
  const Settings settings = ramp_model(kRamp, {"observe.trace_steps=0,2,5", "observe.csv=true"});
  const job::BatchPlans plans = job::plan_batches(laboratory.config(settings));
  const auto digest = [&](std::size_t size) {
    return plans.sizes[size].job.stages[0].train.expansion.plan.digest();
  };
  const Outcome whole = laboratory.run(settings);
  const RunDirectory run(whole.checkpoints.parent_path());
  const observe::RingFile ring = observe::read_ring(run.ring(0));
  EXPECT_EQ(ring.plan_digest, digest(2));
  ASSERT_EQ(ring.steps.size(), 4U);  // 3, 4, 6, 7: step 5 has a file of its own
  EXPECT_EQ(ring.steps.front().step, 3);
  std::size_t size = 0;
  for (const std::int64_t step : {0, 2, 5}) {
    const observe::RingFile kept = observe::read_ring(run.kept_ring(0, step));
    EXPECT_EQ(kept.plan_digest, digest(size));
    ASSERT_EQ(kept.steps.size(), 1U) << step;
    EXPECT_EQ(kept.steps[0].step, step);
    EXPECT_NE(kept.steps[0].end_ns, 0);
    EXPECT_TRUE(std::filesystem::exists(run.plan(digest(size++))));
  }
  // Those of all steps, also of the rings that were replaced.
  const auto outcomes = observe::read_outcomes(run.ring(0), -1).steps;
  ASSERT_EQ(outcomes.size(), 8U);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].step, static_cast<std::int64_t>(i));
    EXPECT_EQ(outcomes[i].loss, whole.losses[i]);
    EXPECT_EQ(outcomes[i].damaged, 0);
  }
  std::ifstream csv(run.metrics_csv());
  std::string line;
  int lines = 0;
  while (std::getline(csv, line)) ++lines;
  EXPECT_EQ(lines, 1 + 8);
  const Outcome begun = laboratory.run(settings, {.most_steps = 3});
  EXPECT_EQ(observe::read_ring(RunDirectory(begun.checkpoints.parent_path()).ring(0)).plan_digest,
            digest(1));
}

// The records of the next plan cannot be written: the run goes on as without the fault.
TEST(RampTest, ALostDirectoryOfRecordsEndsNothing) {
  Laboratory laboratory;
  const Outcome whole = laboratory.run(ramp_model(kRamp));
  const std::filesystem::path events =
      RunDirectory(laboratory.next_checkpoints().parent_path()).events();
  std::vector<std::string> said;
  const Outcome lost = laboratory.run(
      ramp_model(kRamp), {.on_step =
                              [&](const train::StepMetrics& metrics) {
                                if (metrics.step != 1) return;
                                std::filesystem::remove_all(events);
                                std::ofstream(events) << "no directory";
                              },
                          .on_message = [&](const std::string& text) { said.push_back(text); }});
  EXPECT_EQ(first_difference(lost, whole), "");
  EXPECT_THAT(said, ::testing::Contains(HasSubstr("steps have no records from now on")));
}

}  // namespace
}  // namespace megascale
