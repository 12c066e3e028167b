// Predicted beside measured. A simulated step leaves the files that a run leaves, so what a
// comparison must say is known to the last digit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// A cluster of round numbers, and what is measured of it.
std::string cluster_file(const std::string& measured = "") {
  return R"(name = "round"
devices_per_node = 8
[device]
bfloat16_tflops = 0.1
float32_tflops = 0.1
memory_gib = 8
memory_gb_per_s = 10
launch_us = 1
multiprocessors = 1
gemm_efficiency = 0.5
memory_efficiency = [[1, 1]]
attention_efficiency = 0.5
[node]
gb_per_s = 5
efficiency = [[1, 1]]
protocols = [[10, 5, 1]]
processor_share = 0
[network]
gb_per_s = 5
efficiency = [[1, 1]]
spread_efficiency = [[1, 1]]
protocols = [[10, 5, 1]]
processor_share = 0
)" + measured;
}

const std::vector<std::string> two_ranks{"parallel.tensor_model_parallel_size=2"};

class Compare : public ::testing::Test {
 protected:
  Compare() { space.write("round.toml", cluster_file()); }
  // `simulate` of the tiny model on the cluster file of that name.
  [[nodiscard]] Finished simulate(const std::string& cluster, const std::vector<std::string>& set,
                                  const std::vector<std::string>& more = {}) const {
    auto arguments = space.arguments("simulate", "run", set);
    arguments.insert(arguments.end(), {"--cluster", (space / cluster).string()});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return megascale(arguments);
  }
  [[nodiscard]] std::vector<std::string> compared_to(const std::string& run) const {
    return {"--compare", (space / run).string()};
  }
  // Records of the first rank of each stage.
  void keep(const std::vector<std::string>& set, const std::string& run) const {
    const Finished kept =
        simulate("round.toml", set, {"--unfolded", "--keep", (space / run).string()});
    ASSERT_EQ(kept.exit_code, 0) << kept;
  }
  const Workspace space;
};

TEST_F(Compare, TheSameStepHasNoDifferences) {
  keep(two_ranks, "kept");
  const Finished done = simulate("round.toml", two_ranks, compared_to("kept"));
  ASSERT_EQ(done.exit_code, 0) << done;
  const json found = done.json().at("compared");
  for (const char* part : {"step_seconds", "compute_seconds", "exposed_comm_seconds"}) {
    const json& line = found.at(part);
    EXPECT_GT(line.at("measured"), 0.0) << part;
    EXPECT_NEAR(line.at("error"), 0, 1e-5) << part;
  }
  EXPECT_EQ(found.at("seconds_by_op").count("all_gather"), 1U);
  EXPECT_EQ(found.at("differ_most").size(), 10U);
  EXPECT_EQ(found.at("steps"), 1);
}

TEST_F(Compare, TheKindThatDiffersMostIsNamed) {
  keep(two_ranks, "kept");
  // What gelu takes, nearly nothing on the other cluster, it takes a thousand times here.
  space.write("slow-gelu.toml", cluster_file("[kernels]\nthreads = 1\n[kernels.gb_per_s]\n"
                                             "gelu = [[1, 0.01]]\n"));
  const Finished done = simulate("slow-gelu.toml", two_ranks, compared_to("kept"));
  ASSERT_EQ(done.exit_code, 0) << done;
  const json found = done.json().at("compared");
  EXPECT_EQ(found.at("differ_most")[0], "gelu") << done;
  const json gelu = found.at("seconds_by_op").at("gelu");
  // Only the launches are as they were.
  EXPECT_GT(gelu.at("predicted").get<double>() / gelu.at("measured").get<double>(), 100);
  const double more = gelu.at("predicted").get<double>() - gelu.at("measured").get<double>();
  const json& compute = found.at("compute_seconds");
  EXPECT_NEAR(compute.at("predicted").get<double>() - compute.at("measured").get<double>(), more,
              1e-3 * more);
  EXPECT_NEAR(found.at("seconds_by_op").at("linear").at("error"), 0, 1e-5);
  EXPECT_THAT(done.out, HasSubstr("gelu"));
}

TEST_F(Compare, AMeasuredRunIsComparedByAllItsRanksAndItsNewestSteps) {
  auto arguments = space.arguments("bench step", "unused", two_ranks);
  arguments.insert(arguments.end(), {"--steps", "3", "--warmup", "1", "--peak", "1e9", "--keep",
                                     (space / "measured").string()});
  const Finished measured = megascale(arguments);
  ASSERT_EQ(measured.exit_code, 0) << measured;
  for (const auto& [more, steps] : {std::pair<std::vector<std::string>, int>{{}, 4},
                                    {{"--last", "2"}, 2},
                                    {{"--last", "9"}, 4}}) {
    auto options = compared_to("measured");
    options.insert(options.end(), more.begin(), more.end());
    const Finished done = simulate("round.toml", two_ranks, options);
    ASSERT_EQ(done.exit_code, 0) << done;
    const json found = done.json().at("compared");
    EXPECT_EQ(found.at("steps"), steps);
    EXPECT_EQ(found.at("ranks"), 2);
    EXPECT_GT(found.at("step_seconds").at("measured"), found.at("compute_seconds").at("measured"));
    EXPECT_GT(found.at("seconds_by_op").at("all_gather").at("measured"), 0.0);
  }
  ASSERT_EQ(space.train("trained", two_ranks).exit_code, 0);
  const Finished done = simulate("round.toml", two_ranks, compared_to("trained"));
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_EQ(done.json().at("compared").at("steps"), 8) << "the ring's";
}

TEST_F(Compare, ARunOfOtherPlansIsRefusedByName) {
  const std::vector<std::string> stages{"parallel.pipeline_model_parallel_size=2"};
  keep(stages, "kept");
  space.write("kept/config.toml", "");
  const Finished other =
      simulate("round.toml", {"model.sliding_window=8", stages[0]}, compared_to("kept"));
  EXPECT_EQ(other.exit_code, 2) << other;
  for (const char* part : {"rank0.ring: expected steps of plan ", "rank1.ring: expected steps of",
                           "as the configuration makes it, found plan ",
                           "give the configuration that it had", "kept/config.toml"})
    EXPECT_THAT(other.err, HasSubstr(part));
  const Finished fewer = simulate("round.toml", {}, compared_to("kept"));
  EXPECT_EQ(fewer.exit_code, 2) << fewer;
  EXPECT_THAT(fewer.err, HasSubstr("rank1.ring: expected ranks 0 to 0"));
  const Finished nothing = simulate("round.toml", stages, compared_to("nowhere"));
  EXPECT_EQ(nothing.exit_code, 2) << nothing;
  EXPECT_THAT(nothing.err, HasSubstr("holds no rank0.ring"));
  // The last task's record: a wait that it does not have.
  std::string ring = read(space / "kept/events/rank1.ring");
  ring.replace(ring.size() - 8, 4, 4, '\1');
  space.write("kept/events/rank1.ring", ring);
  const Finished damaged = simulate("round.toml", stages, compared_to("kept"));
  EXPECT_EQ(damaged.exit_code, 2) << damaged;
  EXPECT_THAT(damaged.err, HasSubstr("rank1.ring is damaged"));
  space.write("kept/events/rank1.ring", "no ring");
  const Finished broken = simulate("round.toml", stages, compared_to("kept"));
  EXPECT_EQ(broken.exit_code, 2) << broken;
  EXPECT_THAT(broken.err, HasSubstr("is no record ring"));
}

// What the file says about the host reaches the engine.
TEST_F(Compare, RanksOfAHostShareItsProcessors) {
  const auto compute_seconds = [&](const std::string& host) {
    space.write("host.toml", cluster_file(host));
    const Finished done =
        simulate("host.toml", {"parallel.world_size=4", "train.micro_batch_size=1"});
    EXPECT_EQ(done.exit_code, 0) << done;
    return done.json().at("ranks")[0].at("compute_seconds").get<double>();
  };
  const double alone = compute_seconds("");
  EXPECT_NEAR(compute_seconds("[host]\nprocessors = 4\n"), alone, 1e-9);
  // Other ranks wait now and then, and one computes faster meanwhile.
  EXPECT_NEAR(compute_seconds("[host]\nprocessors = 2\n") / alone, 2, 0.1);
}

// Three ranks on two processors: bound, the first has half of one; otherwise two thirds.
TEST_F(Compare, RanksThatFillAHostAreBoundToItsProcessors) {
  const auto compute_seconds = [&](const std::string& host, const std::string& binding) {
    space.write("host.toml", cluster_file(host));
    const Finished done =
        simulate("host.toml", {"parallel.world_size=3", "train.micro_batch_size=1",
                               "train.global_batch_size=3", "train.bind_to_cores=" + binding});
    EXPECT_EQ(done.exit_code, 0) << done;
    return done.json().at("ranks").at(0).at("compute_seconds").get<double>();
  };
  const double alone = compute_seconds("", "true");
  EXPECT_NEAR(compute_seconds("[host]\nprocessors = 2\n", "true") / alone, 2, 0.1);
  EXPECT_NEAR(compute_seconds("[host]\nprocessors = 2\n", "false") / alone, 1.5, 0.1);
}

// Two ranks that meet in every layer wait for whoever is slow at the moment. What the command line
// says wins.
TEST_F(Compare, AHostHasJitterOfItsOwn) {
  const std::vector<std::string> tensor{"parallel.tensor_model_parallel_size=2"};
  space.write("even.toml", cluster_file("[host]\nprocessors = 2\n"));
  space.write("uneven.toml", cluster_file("[host]\nprocessors = 2\njitter = 0.2\n"));
  const Finished even = simulate("even.toml", tensor), uneven = simulate("uneven.toml", tensor),
                 silenced = simulate("uneven.toml", tensor, {"--jitter", "0"});
  ASSERT_EQ(uneven.exit_code, 0) << uneven;
  std::vector<double> seconds = uneven.json().at("seconds_by_step");
  ASSERT_EQ(seconds.size(), 17U);
  std::sort(seconds.begin() + 1, seconds.end());
  EXPECT_EQ(uneven.json().at("step_seconds"), seconds[9]);
  EXPECT_LT(seconds[1], seconds[16]);
  const double steady = even.json().at("step_seconds");
  EXPECT_GT(seconds[1], 1.02 * steady);
  EXPECT_FALSE(uneven.json().contains("jitter")) << "an effect that nobody asked for";
  EXPECT_THAT(uneven.out, HasSubstr("17 steps with jitter of 0.2,"));
  EXPECT_EQ(even.json().at("seconds_by_step").size(), 3U);
  EXPECT_DOUBLE_EQ(silenced.json().at("step_seconds"), steady);
}

TEST_F(Compare, KernelsOfOtherThreadsAreRefused) {
  space.write("two.toml", cluster_file("[kernels]\nthreads = 2\n"));
  const Finished done = simulate("two.toml", {});
  EXPECT_EQ(done.exit_code, 2) << done;
  EXPECT_THAT(done.err, HasSubstr("were measured with 2 threads a rank, the configuration's ranks "
                                  "have 1: set train.threads_per_rank=2"));
  EXPECT_EQ(simulate("two.toml", {"train.threads_per_rank=2"}).exit_code, 0);
}

}  // namespace
}  // namespace megascale::testing
