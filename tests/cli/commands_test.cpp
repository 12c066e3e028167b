// Every subcommand with --json, its exit codes and its help.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(Commands, EvalReadsTheWholeCorpus) {
  const Workspace space;
  ASSERT_EQ(space.train("run", {"train.train_iters=2"}).exit_code, 0);
  const Finished eval = megascale({"eval", "--checkpoint", (space / "run/checkpoints").string(), "--data", space.corpus(), "--json"});
  ASSERT_EQ(eval.exit_code, 0) << eval;
  const json found = eval.json();
  ASSERT_TRUE(found.is_object()) << eval;
  EXPECT_EQ(found.at("batches"), 12000 / 32 / 4) << eval;  // some_text(12000) is a little longer; a batch is 4 x 32 tokens
  EXPECT_EQ(found.at("step"), 2);
  EXPECT_DOUBLE_EQ(found.at("perplexity"), std::exp(found.at("loss").get<double>()));
}

TEST(Commands, BenchStepTakesAConfigurationThatEvaluates) {
  const Workspace space;
  auto arguments = space.arguments("bench step", "run", {"train.eval_interval=2"});
  arguments.insert(arguments.end(), {"--steps", "3", "--warmup", "1"});
  const Finished bench = megascale(arguments);
  ASSERT_EQ(bench.exit_code, 0) << bench;
  const json found = bench.json();
  ASSERT_TRUE(found.is_object()) << bench;
  const json& seconds = found.at("step_seconds");
  EXPECT_EQ(keys_of(seconds), (std::vector<std::string>{"max", "median", "min"}));
  const double median = seconds.at("median");
  EXPECT_GT(seconds.at("min"), 0.0);
  EXPECT_LE(seconds.at("min"), median);
  EXPECT_LE(median, seconds.at("max"));
  EXPECT_EQ(found.at("steps"), 3);
  EXPECT_NEAR(found.at("tokens_per_second").get<double>(), 4 * 32 / median, 1e-6 * 4 * 32 / median);
  const double rate = found.at("flops_per_step").get<double>() / median;
  EXPECT_NEAR(found.at("mfu").get<double>(), rate / found.at("peak_flops").get<double>(), 1e-9);
  EXPECT_GT(found.at("mfu_megatron"), found.at("mfu"));  // it credits the whole attention square
  double in_ops = 0;
  for (const auto& [op, time] : found.at("time_by_op").items()) {
    EXPECT_GT(time.at("tasks"), 0) << op;
    in_ops += time.at("seconds").get<double>();
  }
  EXPECT_GT(in_ops, 0.5 * median);
  EXPECT_LE(in_ops, median);
}

}  // namespace
}  // namespace megascale::testing
