// A calibration as small as can be: what is measured means nothing, that it is read back does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Finished calibrate(const std::filesystem::path& output, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{
      "calibrate", "--output", output.string(), "--hidden-sizes", "64",    "--steps", "1",
      "--rounds",  "1",        "--seconds",     "0.01",           "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return megascale(arguments);
}

TEST(Calibrate, WritesAClusterThatStepsAreSimulatedOn) {
  const Workspace space;
  const Finished done = calibrate(space / "machine.toml", {"--name", "box"});
  ASSERT_EQ(done.exit_code, 0) << done;
  const json found = done.json();
  std::size_t several_ranks = 0;
  for (const json& one : found.at("cases")) {
    SCOPED_TRACE(one.dump());
    EXPECT_GT(one.at("measured"), 0.0);
    EXPECT_GT(one.at("predicted"), 0.0);
    several_ranks += one.at("name").get<std::string>().find(" 2") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(several_ranks, 6U) << "every kind of transfer is measured";
  EXPECT_TRUE(std::isfinite(found.at("mean_error").get<double>()));

  const std::string file = read(space / "machine.toml");
  EXPECT_THAT(file, HasSubstr("name = \"box\""));
  for (const char* key :
       {"[host]\nprocessors = ", "[kernels]\nthreads = 1\n", "\nlinear = [[",
        "\nattention_gradient = [[", "\nlayer_norm = [[", "\nrms_norm_gradient = [[",
        "\nswiglu = [[", "\nadamw = [[", "[transfers]\nbase_us = ", "\nall_gather = [[",
        "\nreduce_scatter = [[", "\nall_reduce = [[", "\nall_to_all = [[", "\nall_to_all_v = [[",
        "\nrecv = [[", "\ngrouped_linear = [["})
    EXPECT_THAT(file, HasSubstr(key));

  // A run of this machine beside what the file predicts for it.
  const std::vector<std::string> stages{"parallel.pipeline_model_parallel_size=2"};
  auto measure = space.arguments("bench step", "unused", stages);
  measure.insert(measure.end(), {"--steps", "1", "--warmup", "1", "--peak", "1e9", "--keep",
                                 (space / "kept").string()});
  ASSERT_EQ(megascale(measure).exit_code, 0);
  auto simulate = space.arguments("simulate", "unused", stages);
  simulate.insert(simulate.end(), {"--cluster", (space / "machine.toml").string(), "--compare",
                                   (space / "kept").string()});
  const Finished compared = megascale(simulate);
  ASSERT_EQ(compared.exit_code, 0) << compared;
  EXPECT_GT(compared.json().at("compared").at("step_seconds").at("predicted"), 0.0);
}

TEST(Calibrate, BadArgumentsAreNamedBeforeAnythingIsMeasured) {
  const Workspace space;
  const Finished width = calibrate(space / "x.toml", {"--hidden-sizes", "64,100"});
  EXPECT_EQ(width.exit_code, 2) << width;
  EXPECT_THAT(width.err, HasSubstr("--hidden-sizes: expected multiples of 64, found 100"));
  const Finished folder = calibrate(space / "nowhere/x.toml");
  EXPECT_EQ(folder.exit_code, 2) << folder;
  EXPECT_THAT(folder.err, HasSubstr("--output: expected a file in a directory, found none at"));
  const Finished threads = calibrate(space / "x.toml", {"--threads", "100000"});
  EXPECT_EQ(threads.exit_code, 2) << threads;
  EXPECT_THAT(threads.err, HasSubstr("--threads: expected at most the"));
  EXPECT_EQ(megascale({"calibrate"}).exit_code, 2) << "no --output";
  for (const Finished* refused : {&width, &folder, &threads})
    EXPECT_EQ(refused->err.find("round 1"), std::string::npos) << *refused;
}

}  // namespace
}  // namespace megascale::testing
