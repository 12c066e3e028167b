// The public interface over the shared library: what it returns is what the commands print, and what a
// callback throws arrives at the caller.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "megascale/megascale.h"
#include "support/scratch_directory.h"
#include "support/shell.h"

namespace megascale {
namespace {

using testing::ScratchDirectory;
using TrainedRun = Run;  // a test has a function Run()

class ApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 1500; ++i)
      text += "the ship sails to the island " + std::to_string(i) + "\n";
    scratch_.write("text.txt", text);
    const std::string prepare = std::string(MEGASCALE_BINARY) + " prepare " +
                                (scratch_ / "text.txt").string() + " --tokenizer byte --output " +
                                (scratch_ / "corpus").string() + " >/dev/null 2>&1";
    ASSERT_EQ(testing::run_in_shell(prepare), 0);
  }
  // A GPT-2 of two layers and width 32, in the run directory NAME.
  [[nodiscard]] Job job(const std::string& name, const std::vector<std::string>& set = {}) const {
    std::vector<std::string> overrides{"data.data_path=" + (scratch_ / "corpus").string(),
                                       "train.run_dir=" + (scratch_ / name).string()};
    overrides.insert(overrides.end(), set.begin(), set.end());
    return Job::from_text(R"(
[model]
num_layers = 2
hidden_size = 32
num_attention_heads = 4
seq_length = 32
vocab_size = 256
[data]
tokenizer = "byte"
[train]
train_iters = 6
micro_batch_size = 2
global_batch_size = 4
threads_per_rank = 1
[checkpoint]
interval = 3
)",
                          overrides);
  }
  ScratchDirectory scratch_;
};

TEST_F(ApiTest, AJobIsAskedBeforeItRuns) {
  const Job two = job("run", {"parallel.world_size=2", "parallel.pipeline_model_parallel_size=2"});
  EXPECT_EQ(two.problems(), std::vector<std::string>{});
  EXPECT_EQ(two.value("model.num_layers"), "2");
  EXPECT_EQ(two.run_directory(), scratch_ / "run");
  const Plan plan = two.plan();
  EXPECT_TRUE(plan.verified());
  EXPECT_EQ(plan.world_size, 2U);
  EXPECT_EQ(plan.tokens_per_step, 4 * 32);
  ASSERT_EQ(plan.stages.size(), 2U);
  EXPECT_EQ(plan.stages[1].first_rank, 1U);
  for (const PlannedStage& stage : plan.stages) {
    std::uint64_t sum = 0;
    for (const auto& [category, nbytes] : stage.memory_by_category) sum += nbytes;
    EXPECT_GT(sum, 0U);
    EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(stage.memory_bytes),
                0.05 * static_cast<double>(stage.memory_bytes));
    EXPECT_GT(stage.sent_bytes, 0);
  }
  // Embedding and positions; per layer two norms, query to value, projection, MLP; the last norm.
  const std::int64_t width = 32;
  EXPECT_EQ(plan.parameters, 256 * width + 32 * width +
                                 2 * (4 * width + 3 * width * width + 3 * width + width * width +
                                      width + 8 * width * width + 5 * width) +
                                 2 * width);
}

TEST_F(ApiTest, AStepIsSimulated) {
  const Job large = Job::from_file(MEGASCALE_SOURCE_DIR "/configs/llama3-8b.toml");
  const StepForecast forecast = large.simulate(MEGASCALE_SOURCE_DIR "/clusters/h100-dgx.toml");
  EXPECT_GT(forecast.seconds, 0.1);
  EXPECT_GT(forecast.mfu, 0.1);
  EXPECT_LT(forecast.mfu, 1);
  EXPECT_NEAR(forecast.tokens_per_second * forecast.seconds, 128 * 8192, 1e-3);
  // The kernels of the device need other scratch than those of this machine.
  const auto here = static_cast<double>(large.plan().stages[0].memory_bytes);
  EXPECT_NEAR(static_cast<double>(forecast.memory_bytes), here, 0.01 * here);
}

TEST_F(ApiTest, EveryStepIsReportedAndReadAgain) {
  std::vector<StepReport> told;
  TrainOptions options;
  options.on_step = [&](const StepReport& step) {
    told.push_back(step);
    return true;
  };
  const TrainEnd end = job("run").train(options);
  EXPECT_EQ(end.steps_done, 6);
  EXPECT_FALSE(end.interrupted);
  ASSERT_EQ(told.size(), 6U);
  ASSERT_TRUE(end.last.has_value());
  EXPECT_EQ(end.last->values, told.back().values);
  const TrainedRun run(scratch_ / "run");
  const std::vector<StepReport> read = run.steps();
  ASSERT_EQ(read.size(), 6U);
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].step, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(read[i].values, told[i].values);
    EXPECT_GT(read[i].value("loss"), 0);
    EXPECT_TRUE(std::isnan(read[i].value("no_such_number")));
  }
  EXPECT_EQ(run.checkpoint().step(), 6);
  EXPECT_EQ(run.configuration(), job("run").configuration());
}

TEST_F(ApiTest, ACallbackStopsTheTrainingAndItGoesOnLater) {
  TrainOptions options;
  options.on_step = [](const StepReport& step) { return step.step < 2; };
  const TrainEnd stopped = job("run").train(options);
  EXPECT_EQ(stopped.steps_done, 3);  // one more than asked for
  EXPECT_TRUE(stopped.interrupted);
  const TrainEnd rest = job("run").train();
  EXPECT_EQ(rest.steps_done, 6);
  (void)job("whole").train();
  EXPECT_EQ(TrainedRun(scratch_ / "run").steps().back().value("loss"),
            TrainedRun(scratch_ / "whole").steps().back().value("loss"));
}

TEST_F(ApiTest, WhatACallbackThrowsArrivesAtTheCaller) {
  int steps = 0;
  TrainOptions options;
  options.on_step = [&](const StepReport&) -> bool {
    ++steps;
    throw std::out_of_range("thrown by the caller");
  };
  for (const char* ranks : {"parallel.world_size=1", "parallel.world_size=2"}) {
    steps = 0;
    const Job one = job(ranks, {ranks});
    EXPECT_THROW((void)one.train(options), std::out_of_range) << ranks;
    EXPECT_EQ(steps, 1)
        << ranks;  // it is not called again for the step that is made until all stop
    const std::int64_t saved = TrainedRun(one.run_directory()).checkpoint().step();
    EXPECT_EQ(saved, 2) << ranks;
  }
}

TEST_F(ApiTest, TensorsAreMappedOrGathered) {
  // The state before the first step has the same bits in all layouts.
  const TrainOptions begin{.on_step = {}, .on_message = {}, .most_steps = 0};
  (void)job("one").train(begin);
  (void)job("two", {"parallel.world_size=2", "parallel.tensor_model_parallel_size=2"}).train(begin);
  const Checkpoint one = TrainedRun(scratch_ / "one").checkpoint(),
                   two = TrainedRun(scratch_ / "two").checkpoint();
  ASSERT_EQ(one.tensors().size(), two.tensors().size());
  std::size_t gathered = 0;
  for (const TensorInfo& tensor : one.tensors()) {
    const TensorData whole = one.tensor(tensor.name), parts = two.tensor(tensor.name);
    EXPECT_EQ(tensor.dtype, "float32");
    EXPECT_EQ(parts.info.shape, tensor.shape);
    std::size_t elements = 1;
    for (const std::int64_t extent : tensor.shape) elements *= static_cast<std::size_t>(extent);
    ASSERT_EQ(whole.bytes.size(), elements * sizeof(float)) << tensor.name;
    EXPECT_TRUE(
        std::equal(whole.bytes.begin(), whole.bytes.end(), parts.bytes.begin(), parts.bytes.end()))
        << tensor.name;
    EXPECT_TRUE(whole.mapped) << tensor.name;
    gathered += parts.mapped ? 0 : 1;
  }
  EXPECT_GT(gathered, 0U);
  // A view outlives the checkpoint that it came from.
  TensorData kept;
  {
    const Checkpoint again(one.path());
    kept = again.tensor(again.tensors().front().name);
  }
  const TensorData same = one.tensor(kept.info.name);
  EXPECT_TRUE(
      std::equal(kept.bytes.begin(), kept.bytes.end(), same.bytes.begin(), same.bytes.end()));
}

// Returns the text and code of what `action` throws.
template <class Action>
std::pair<std::string, ErrorCode> error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.message(), error.code()};
  }
  return {"nothing was thrown", ErrorCode::failed};
}

TEST_F(ApiTest, ErrorsHaveTheTextOfTheCommands) {
  const auto config = error_of([&] { (void)job("run", {"model.num_layerz=3"}); });
  EXPECT_EQ(config.second, ErrorCode::bad_usage);
  EXPECT_NE(config.first.find("num_layers"), std::string::npos) << config.first;
  const auto key = error_of([&] { (void)job("run").value("model.num_layer"); });
  EXPECT_NE(key.first.find("did you mean model.num_layers"), std::string::npos) << key.first;
  const auto run = error_of([&] { (void)TrainedRun(scratch_ / "none"); });
  EXPECT_NE(run.first.find("expected the run directory"), std::string::npos) << run.first;
  (void)job("run", {"train.train_iters=2"}).train();
  const Checkpoint checkpoint = TrainedRun(scratch_ / "run").checkpoint();
  const auto name = error_of([&] { (void)checkpoint.tensor("no.such.tensor"); });
  EXPECT_EQ(name.second, ErrorCode::bad_input);
  // A byte of the data is changed: the size stays, the digest tells.
  const TensorInfo tensor = checkpoint.tensors().front();
  for (const auto& entry : std::filesystem::directory_iterator(checkpoint.path())) {
    if (entry.path().extension() != ".safetensors") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(0, std::ios::end);
    const auto nbytes = file.tellg();
    for (std::streamoff at = nbytes / 2; at < nbytes; at += 64) {
      file.seekp(at);
      file.put('\x55');
    }
  }
  std::size_t damaged = 0;
  for (const TensorInfo& one : checkpoint.tensors()) {
    const auto found = error_of([&] { (void)Checkpoint(checkpoint.path()).tensor(one.name); });
    if (found.second == ErrorCode::corrupt_data) ++damaged;
  }
  EXPECT_GT(damaged, 0U);
  // A file that is shorter than it was.
  for (const auto& entry : std::filesystem::directory_iterator(checkpoint.path()))
    if (entry.path().extension() == ".safetensors") std::filesystem::resize_file(entry.path(), 100);
  EXPECT_EQ(error_of([&] { (void)checkpoint.tensor(tensor.name); }).second,
            ErrorCode::corrupt_data);
}

}  // namespace
}  // namespace megascale
