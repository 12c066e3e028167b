// Ranks that are processes train to the bits of ranks that are threads, and end by themselves, with
// a reason, when one of them is lost.
#include <gtest/gtest.h>

#include "megascale/comm/ucx/ucx_worker.h"
#include "support/watchdog.h"
#include "train/process_faults.h"
#include "train/ramp.h"
#include "train/rank_processes.h"

namespace megascale {
namespace {

using testing::Outcome;
using testing::Settings;

struct Layout {
  const char* name;
  Settings settings;
};
void PrintTo(const Layout& layout, std::ostream* stream) { *stream << layout.name; }

const std::vector<Layout> kLayouts{
    {"tensor", {"parallel.world_size=2", "parallel.tensor_model_parallel_size=2"}},
    {"pipeline_with_tied_head",
     {"parallel.world_size=3", "parallel.pipeline_model_parallel_size=3",
      "parallel.pipeline_schedule=zb-h1", "model.num_layers=3"}},
    {"data_zero2", {"parallel.world_size=3", "parallel.zero_stage=2", "optimizer.name=lamb"}},
    {"data_zero3", {"parallel.world_size=3", "parallel.zero_stage=3"}},
    {"eight_mixed",
     {"model.type=llama", "model.num_query_groups=2", "parallel.world_size=8",
      "parallel.tensor_model_parallel_size=2", "parallel.pipeline_model_parallel_size=2",
      "parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved",
      "parallel.zero_stage=2", "model.num_layers=4"}},
    {"sums_of_tensor_ranks_in_8_bits",
     {"model.type=llama", "parallel.fp8_reduce_scatter=true", "parallel.world_size=4",
      "parallel.tensor_model_parallel_size=2"}},
    {"experts_in_8_bits",
     {"model.type=llama", "moe.num_experts=4", "moe.fp8_communication=true",
      "parallel.world_size=4", "parallel.expert_model_parallel_size=4"}},
    {"gathered_experts_in_8_bits",
     {"model.type=llama", "moe.num_experts=4", "moe.fp8_communication=true",
      "moe.token_dispatcher_type=allgather", "parallel.world_size=4",
      "parallel.expert_model_parallel_size=2"}},
    {"experts_in_8_bits_with_one_scale",
     {"model.type=llama", "moe.num_experts=4", "moe.fp8_communication=true",
      "moe.fp8_communication_recipe=tensorwise", "parallel.world_size=4",
      "parallel.expert_model_parallel_size=2"}},
    {"experts_and_parameters_in_8_bits",
     {"model.type=llama", "moe.num_experts=4", "model.fp8=e4m3", "model.fp8_recipe=rowwise",
      "model.fp8_param_gather=true", "parallel.world_size=4",
      "parallel.expert_model_parallel_size=2", "parallel.zero_stage=2"}},
    {"eight_tied_zero1",
     {"parallel.world_size=8", "parallel.tensor_model_parallel_size=2",
      "parallel.pipeline_model_parallel_size=2", "parallel.zero_stage=1",
      "recompute.granularity=full", "overlap.data=false"}}};

class ProcessesTest : public ::testing::TestWithParam<Layout> {
 public:
  void SetUp() override {
    if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  }
};
INSTANTIATE_TEST_SUITE_P(Layouts, ProcessesTest, ::testing::ValuesIn(kLayouts),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(ProcessesTest, TrainToTheBitsOfThreads) {
  const testing::Watchdog watchdog("ranks as processes");
  testing::Laboratory laboratory;
  Settings settings{"model.num_layers=2", "model.hidden_size=24", "model.num_attention_heads=4"};
  settings.insert(settings.end(), GetParam().settings.begin(), GetParam().settings.end());
  constexpr std::int64_t kSteps = 5;
  const Outcome threads = laboratory.run(settings, {.most_steps = kSteps});
  settings.emplace_back("checkpoint.interval=2");  // written beside the next steps
  const Outcome processes = run_as_processes(laboratory, settings, kSteps);
  EXPECT_EQ(testing::first_difference(processes, threads), "");
  EXPECT_EQ(processes.state.sample_digest, threads.state.sample_digest);
}

TEST(ProcessRampTest, AGrowingBatchTrainsToTheBitsOfThreads) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  const testing::Watchdog watchdog("a growing batch in processes");
  testing::Laboratory laboratory;
  for (const testing::Layout& layout : testing::ramp_layouts()) {
    SCOPED_TRACE(layout.name);
    const Settings settings = testing::ramp_model(testing::kRamp, layout.settings);
    constexpr std::int64_t kSteps = 5;
    const Outcome threads = laboratory.run(settings, {.most_steps = kSteps});
    const Outcome processes = run_as_processes(laboratory, settings, kSteps);
    EXPECT_EQ(testing::first_difference(processes, threads), "");
    EXPECT_EQ(processes.state.sample_digest, threads.state.sample_digest);
  }
}

// Those of every step once; those that wait for a next step may have been read when the run ends.
TEST(ProcessReadingTest, EverySampleIsReadOncePerHost) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  const testing::Watchdog watchdog("ranks of one host");
  constexpr std::int64_t kSteps = 3, kSamples = testing::Laboratory::kGlobalBatchSize;
  testing::Laboratory laboratory;
  const Settings settings{"model.num_layers=1",          "model.hidden_size=32",
                          "model.num_attention_heads=8", "train.eval_interval=0",
                          "parallel.world_size=8",       "parallel.tensor_model_parallel_size=8"};
  const Outcome threads = laboratory.run(settings, {.most_steps = kSteps});
  const Outcome processes = run_as_processes(laboratory, settings, kSteps);
  EXPECT_GE(processes.samples_read, kSteps * kSamples);
  EXPECT_LE(processes.samples_read, (kSteps + 1) * kSamples);
  EXPECT_EQ(testing::first_difference(processes.tensors, threads.tensors), "");
}

TEST(ProcessFaultTest, AKilledRankIsNamedByAllOthersAndTheRunGoesOn) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  testing::kill_one_rank(1);
}

TEST(ProcessFaultTest, AStoppedRankIsNamedByAllOthersAndNothingIsSaved) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  testing::stop_one_rank(1);
}

}  // namespace
}  // namespace megascale
