// What `megascale simulate` says besides the time of a step.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/process.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

// A small job on eight-device nodes; `more` may set what is set here again.
Finished simulate(const std::vector<std::string>& more) {
  const std::string root(MEGASCALE_SOURCE_DIR);
  std::vector<std::string> all{"simulate",
                               root + "/configs/gpt2-124m.toml",
                               "--cluster",
                               root + "/clusters/a100-megascale.toml",
                               "--json",
                               "--set",
                               "parallel.world_size=32",
                               "--set",
                               "parallel.tensor_model_parallel_size=4",
                               "--set",
                               "train.global_batch_size=32",
                               "--set",
                               "train.micro_batch_size=2"};
  all.insert(all.end(), more.begin(), more.end());
  return megascale(all);
}
const std::vector<std::string> kPipeline{"--set", "parallel.pipeline_model_parallel_size=4"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

json ok(const std::vector<std::string>& more) {
  const Finished finished = simulate(more);
  EXPECT_EQ(finished.exit_code, 0) << finished;
  const json object = finished.json();
  return object.is_object() ? object : json::object();
}

// The computation of the ranks of a stage and speed.
double compute_seconds(const json& step, int stage, double speed) {
  for (const json& ranks : step.at("ranks")) {
    if (ranks.at("stage") == stage && ranks.at("speed") == speed)
      return ranks.at("compute_seconds");
  }
  return NAN;
}

TEST(SimulateSlowNode, TheStepIsHeldAgainstOneWithoutIt) {
  const json even = ok(kPipeline),
             slow = ok(kPipeline + std::vector<std::string>{"--slow-node", "2=0.5"});
  EXPECT_FALSE(even.contains("slow_nodes")) << even;
  const json& cost = slow.at("slow_nodes");
  const double seconds = even.at("step_seconds"), lost = cost.at("lost_seconds");
  EXPECT_EQ(cost.at("even_step_seconds"), seconds);
  EXPECT_DOUBLE_EQ(lost, slow.at("step_seconds").get<double>() - seconds);
  EXPECT_DOUBLE_EQ(cost.at("lost_share"), lost / seconds);
  const double extra = compute_seconds(slow, 2, 0.5) - compute_seconds(even, 2, 1);
  EXPECT_EQ(cost.at("rank"), 16);
  EXPECT_DOUBLE_EQ(cost.at("extra_compute_seconds"), extra);
  EXPECT_DOUBLE_EQ(cost.at("reaches_step_share"), lost / extra);
  EXPECT_GT(lost, 0.0);
  EXPECT_GT(extra, 0.0);
}

TEST(SimulateSlowNode, APipelineAbsorbsMoreOfItThanNoPipeline) {
  const std::vector<std::string> node{"--slow-node", "1=0.9"};
  const double flat = ok(node).at("slow_nodes").at("reaches_step_share");
  const double pipeline = ok(kPipeline + node).at("slow_nodes").at("reaches_step_share");
  EXPECT_GT(flat, 0.9);
  EXPECT_LT(flat, 1.1);
  EXPECT_LT(pipeline, flat);
  EXPECT_GT(pipeline, 0.0);
}

TEST(SimulateSlowNode, ANodeThatIsNotSlowerHasNoShare) {
  for (const char* node : {"1=1", "1=1.5"}) {
    const json cost = ok({"--slow-node", node}).at("slow_nodes");
    EXPECT_TRUE(cost.at("reaches_step_share").is_null()) << cost;
    EXPECT_FALSE(cost.contains("rank")) << cost;
    EXPECT_LE(cost.at("lost_seconds"), 0.0) << cost;
  }
}

}  // namespace
}  // namespace megascale::testing
