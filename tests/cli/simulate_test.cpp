// What `megascale simulate` says besides the time of a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cli/process.h"
#include "megascale/base/files.h"
#include "support/scratch_directory.h"

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
const std::vector<std::string> pipeline_job{"--set", "parallel.pipeline_model_parallel_size=4"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

json simulated(const std::vector<std::string>& more) {
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
  const json even = simulated(pipeline_job),
             slow = simulated(pipeline_job + std::vector<std::string>{"--slow-node", "2=0.5"});
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
  const double flat = simulated(node).at("slow_nodes").at("reaches_step_share");
  const double pipeline = simulated(pipeline_job + node).at("slow_nodes").at("reaches_step_share");
  EXPECT_GT(flat, 0.9);
  EXPECT_LT(flat, 1.1);
  EXPECT_LT(pipeline, flat);
  EXPECT_GT(pipeline, 0.0);
}

TEST(SimulateSlowNode, ANodeThatIsNotSlowerHasNoShare) {
  for (const char* node : {"1=1", "1=1.5"}) {
    const json cost = simulated({"--slow-node", node}).at("slow_nodes");
    EXPECT_TRUE(cost.at("reaches_step_share").is_null()) << cost;
    EXPECT_FALSE(cost.contains("rank")) << cost;
    EXPECT_LE(cost.at("lost_seconds"), 0.0) << cost;
  }
}

TEST(SimulateJitter, AllStepsAreReportedAndHeldAgainstOneWithout) {
  const std::vector<std::string> steps{"--steps", "5"}, sigma{"--jitter", "0.1"},
      jitter = steps + sigma + std::vector<std::string>{"--seed", "3"};
  const json even = simulated(pipeline_job + steps), found = simulated(pipeline_job + jitter);
  EXPECT_EQ(found.at("simulated_ranks"), 32) << "no two ranks are alike";
  std::vector<double> seconds = found.at("seconds_by_step");
  ASSERT_EQ(seconds.size(), 5U);
  std::sort(seconds.begin() + 1, seconds.end());
  const json& effect = found.at("jitter");
  EXPECT_EQ(effect.at("sigma"), 0.1);
  EXPECT_EQ(effect.at("seed"), 3);
  EXPECT_EQ(effect.at("steps"), 4) << "all but the first";
  EXPECT_EQ(effect.at("min_seconds"), seconds[1]);
  EXPECT_EQ(effect.at("max_seconds"), seconds[4]);
  EXPECT_EQ(effect.at("median_seconds"), seconds[3]);
  EXPECT_EQ(found.at("step_seconds"), seconds[3]);
  EXPECT_LT(seconds[1], seconds[4]);
  const double without = even.at("step_seconds");
  EXPECT_EQ(effect.at("even_step_seconds"), without);
  EXPECT_DOUBLE_EQ(effect.at("ratio"), effect.at("median_seconds").get<double>() / without);
  EXPECT_GT(effect.at("ratio"), 1.0) << "ranks wait for the slowest";
  EXPECT_EQ(simulated(pipeline_job + jitter).at("seconds_by_step"), found.at("seconds_by_step"));
  const json other =
      simulated(pipeline_job + steps + sigma + std::vector<std::string>{"--seed", "4"});
  EXPECT_NE(other.at("seconds_by_step"), found.at("seconds_by_step"));
}

TEST(SimulateJitter, OfSigmaZeroIsNone) {
  const json even = simulated({}), found = simulated({"--jitter", "0"});
  EXPECT_FALSE(even.contains("jitter"));
  EXPECT_EQ(found.at("seconds_by_step"), even.at("seconds_by_step"));
  EXPECT_EQ(found.at("simulated_ranks"), even.at("simulated_ranks"));
  EXPECT_NEAR(found.at("jitter").at("ratio"), 1.0, 1e-9) << "but for rounding";
}

// What a slow node costs does not depend on a seed.
TEST(SimulateJitter, ASlowNodeIsPricedWithoutIt) {
  const std::vector<std::string> node{"--slow-node", "1=0.9"};
  const json found = simulated(node + std::vector<std::string>{"--jitter", "0.1"});
  EXPECT_EQ(found.at("slow_nodes"), simulated(node).at("slow_nodes"));
  EXPECT_EQ(found.at("jitter").at("even_step_seconds"), simulated(node).at("step_seconds"));
}

// Steps of about 0.08 s on 4 nodes: a failure an hour, checkpoints of 2 s every 100 s.
const std::vector<std::string> with_failures{
    "--failures-per-node-day", "6",  "--checkpoint-every", "1200", "--checkpoint-seconds", "2",
    "--recovery-seconds",      "60", "--training-days",    "10"};

TEST(SimulateTraining, FailuresAreSimulatedBesideTheClosedForm) {
  const json even = simulated({}), found = simulated(with_failures);
  EXPECT_FALSE(even.contains("training"));
  const json& training = found.at("training");
  const double step = even.at("step_seconds");
  EXPECT_EQ(training.at("iteration_seconds"), step);
  EXPECT_EQ(training.at("nodes"), 4);
  EXPECT_DOUBLE_EQ(training.at("failures_per_day"), 24);
  const double rate = 24.0 / 86400, tau = 1200 * step;
  const double expected = tau * rate / (std::exp(rate * 60) * std::expm1(rate * (tau + 2)));
  EXPECT_NEAR(training.at("expected_share"), expected, 1e-12);
  for (const char* what : {"effective_share", "failures", "steps", "steps_lost",
                           "checkpoint_seconds", "recovery_seconds", "repeated_seconds"}) {
    SCOPED_TRACE(what);
    const json& row = training.at(what);
    EXPECT_LT(row.at("p5"), row.at("median"));
    EXPECT_LT(row.at("median"), row.at("p95"));
  }
  const json& share = training.at("effective_share");
  EXPECT_LT(share.at("p5"), expected);
  EXPECT_GT(share.at("p95"), expected);
  // 240 failures on average: the quantiles of a normal distribution are 1.64 deviations away.
  const json& failures = training.at("failures");
  EXPECT_NEAR(failures.at("median"), 240, 8);
  EXPECT_NEAR(failures.at("p5"), 240 - 1.64 * std::sqrt(240), 12);
  EXPECT_NEAR(failures.at("p95"), 240 + 1.64 * std::sqrt(240), 12);
  EXPECT_DOUBLE_EQ(training.at("young_daly").at("seconds"), std::sqrt(2 * 2 / rate));
  EXPECT_EQ(training.at("young_daly").at("steps"), std::round(std::sqrt(2 * 2 / rate) / step));
  EXPECT_GE(training.at("best").at("expected_share"), expected);
  EXPECT_GE(training.at("best").at("expected_share"),
            training.at("young_daly").at("expected_share"));
  EXPECT_EQ(simulated(with_failures).at("training"), training);
  const json other =
      simulated(with_failures + std::vector<std::string>{"--seed", "1"}).at("training");
  EXPECT_NE(other.at("effective_share"), share);
  EXPECT_EQ(other.at("expected_share"), training.at("expected_share"));
}

TEST(SimulateTraining, WithoutFailuresThereIsNoBestInterval) {
  const json training = simulated({"--failures-per-node-day", "0", "--checkpoint-every", "10",
                                   "--checkpoint-seconds", "1", "--recovery-seconds", "5"})
                            .at("training");
  const double tau = 10 * training.at("iteration_seconds").get<double>();
  EXPECT_DOUBLE_EQ(training.at("expected_share"), tau / (tau + 1));
  EXPECT_NEAR(training.at("effective_share").at("median"), tau / (tau + 1), 1e-5);
  EXPECT_EQ(training.at("days"), 30);
  EXPECT_TRUE(training.at("best").is_null());
  EXPECT_TRUE(training.at("young_daly").is_null());
}

// An iteration takes the median of the steps then.
TEST(SimulateTraining, WithJitterToo) {
  const json found =
      simulated(with_failures + std::vector<std::string>{"--jitter", "0.1", "--steps", "6"});
  EXPECT_EQ(found.at("training").at("iteration_seconds"), found.at("jitter").at("median_seconds"));
}

// The command line is refused, and every one of the words is in what is said about it.
void expect_refused(const std::vector<std::string>& more, const std::vector<std::string>& said) {
  const Finished finished = simulate(more);
  EXPECT_EQ(finished.exit_code, 2) << finished;
  for (const std::string& words : said)
    EXPECT_NE(finished.err.find(words), std::string::npos) << words << finished;
}

TEST(SimulateBadUsage, AllErrorsOfJitterAndSlowNodesAtOnce) {
  expect_refused({"--jitter", "-0.1", "--slow-node", "4=0.5", "--slow-node", "1=fast"},
                 {"--jitter -0.1", "--slow-node 4=0.5", "--slow-node 1=fast"});
  expect_refused({"--jitter", "-2", "--seed", "-1"}, {"--jitter -2", "--seed -1"});
  expect_refused({"--jitter", "nan"}, {"--jitter: expected a finite number, found nan"});
  expect_refused({"--jitter", "2.1"}, {"--jitter 2.1: expected"});
  expect_refused({"--seed", "1"}, {"--seed 1", "--jitter"});
  expect_refused({"--jitter", "much"}, {"--jitter"});
}

TEST(SimulateBadUsage, FusedPairsNeedTheirNumbersInTheClusterFile) {
  expect_refused({"--set", "overlap.fused_pairs=true"}, {"overlap.fused_pairs: expected [fused]"});
  expect_refused({"--set", "overlap.fused_pairs=true", "--set", "overlap.tensor=false"},
                 {"overlap.fused_pairs"});
  expect_refused({"--set", "overlap.fused_pairs=true", "--set", "overlap.tensor_pieces=2"},
                 {"overlap.fused_pairs", "tensor_pieces = 2"});
}

// The step of a job that sends rows to experts, with or without fused pairs.
json step_with_pairs(const std::string& value, const std::vector<std::string>& more = {}) {
  const std::string root(MEGASCALE_SOURCE_DIR);
  std::vector<std::string> all{"simulate",
                               root + "/configs/mixtral-8x7b.toml",
                               "--cluster",
                               root + "/clusters/h800-moe.toml",
                               "--json",
                               "--set",
                               "parallel.world_size=8",
                               "--set",
                               "model.num_layers=4",
                               "--set",
                               "train.global_batch_size=4",
                               "--set",
                               "overlap.fused_pairs=" + value};
  all.insert(all.end(), more.begin(), more.end());
  const Finished finished = megascale(all);
  EXPECT_EQ(finished.exit_code, 0) << finished;
  return finished.json();
}

TEST(SimulateFusedPairs, AProductHidesTheTransferBesideIt) {
  const json with = step_with_pairs("true"), without = step_with_pairs("false");
  EXPECT_LT(with.at("step_seconds").get<double>(), without.at("step_seconds").get<double>());
  // Pairs also change the order of ops, which hides a little by itself.
  EXPECT_LT(with.at("exposed_comm_seconds").get<double>(),
            0.75 * without.at("exposed_comm_seconds").get<double>());
  EXPECT_EQ(with.at("flops_per_step"), without.at("flops_per_step"));
  EXPECT_EQ(with.at("tasks"), without.at("tasks"));
}

TEST(SimulateFusedPairs, BarsOfAPairOverlapInTheTrace) {
  const ScratchDirectory folder;
  const std::string kept = (folder / "kept").string(), trace = (folder / "trace.json").string();
  ASSERT_EQ(step_with_pairs("true", {"--keep", kept}).at("world_size"), 8);
  const Finished finished = megascale({"trace", kept, "--rank", "0", "--output", trace});
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const json events = json::parse(read_text(trace)).at("traceEvents");
  const auto event = [&](const std::string& op) {
    const auto found = std::find_if(events.begin(), events.end(), [&](const json& one) {
      return one.at("name") == "mb0/chunk0/layer0/fwd/" + op;
    });
    return found == events.end() ? json() : *found;
  };
  const json product = event("mlp/experts/down"), transfer = event("mlp/combine");
  ASSERT_TRUE(product.is_object() && transfer.is_object());
  EXPECT_EQ(product.at("args").at("pair"), transfer.at("args").at("pair"));
  EXPECT_LT(transfer.at("ts").get<double>(),
            product.at("ts").get<double>() + product.at("dur").get<double>());
}

TEST(SimulateFusedPairs, ARunSaysThatItHasNoSuchKernels) {
  const std::string root(MEGASCALE_SOURCE_DIR);
  const Finished check =
      megascale({"check", root + "/configs/quickstart.toml", "--set", "overlap.fused_pairs=true"});
  EXPECT_NE((check.out + check.err).find("overlap.fused_pairs has no effect on a run"),
            std::string::npos)
      << check;
}

TEST(SimulateBadUsage, AllErrorsOfFailuresAtOnce) {
  expect_refused(
      {"--failures-per-node-day", "-1", "--checkpoint-every", "0", "--checkpoint-seconds", "-2",
       "--recovery-seconds", "-3", "--training-days", "0", "--jitter", "9"},
      {"--failures-per-node-day -1", "--checkpoint-every 0", "--checkpoint-seconds -2",
       "--recovery-seconds -3", "--training-days 0", "--jitter 9"});
  expect_refused({"--recovery-seconds", "inf"},
                 {"--recovery-seconds: expected a finite number, found inf"});
  expect_refused({"--checkpoint-seconds", "30"},
                 {"--failures-per-node-day: missing", "--checkpoint-every: missing",
                  "--recovery-seconds: missing"});
  expect_refused({"--training-days", "30", "--seed", "1"},
                 {"--failures-per-node-day: missing", "--checkpoint-every: missing",
                  "--checkpoint-seconds: missing", "--recovery-seconds: missing", "--seed 1"});
  expect_refused(
      {"--failures-per-node-day", "1000", "--checkpoint-every", "1", "--checkpoint-seconds", "0",
       "--recovery-seconds", "0", "--training-days", "36500"},
      {"--failures-per-node-day 1000: 146000000 failures"});
}

}  // namespace
}  // namespace megascale::testing
