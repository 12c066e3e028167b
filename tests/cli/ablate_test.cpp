// The ablation table: which rows, what they switch, and that what is said about them fits. Times
// mean nothing here.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/workspace.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using nlohmann::json;

constexpr std::size_t kRows = 9;

Finished ablate(const Workspace& space, const std::vector<std::string>& set,
                const std::vector<std::string>& more = {}, const Setup& setup = {}) {
  auto arguments = space.arguments("ablate", "run", set);
  arguments.insert(arguments.end(), {"--rounds", "2"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return megascale(arguments, setup);
}

const std::vector<std::string> whole_job{"model.parallel_block=true",
                                         "model.sliding_window=8",
                                         "parallel.pipeline_model_parallel_size=2",
                                         "optimizer.name=lamb",
                                         "train.global_batch_size=16",
                                         "train.micro_batch_size=1"};

TEST(Ablate, EveryRowSwitchesOneTechniqueOnAndTheLastIsTheJob) {
  const Workspace space;
  const Finished done = ablate(space, whole_job);
  ASSERT_EQ(done.exit_code, 0) << done;
  const json found = done.json();
  const json& rows = found.at("rows");
  ASSERT_EQ(rows.size(), kRows) << done;
  EXPECT_EQ(rows[0].at("overrides"),
            json({"model.parallel_block=false", "model.sliding_window=0", "overlap.pipeline=false",
                  "kernels.fused=false", "data.prefetch=false", "optimizer.name=adamw",
                  "train.global_batch_size=4"}));
  EXPECT_EQ(rows[kRows - 1].at("overrides"), json::array());
  EXPECT_EQ(rows[kRows - 1].at("keys"),
            json({"optimizer.name = lamb", "train.global_batch_size = 16"}));
  EXPECT_NE(done.out.find("kernels.fused = true"), std::string::npos) << done;

  std::size_t switched_off = rows[0].at("overrides").size();
  double gains = 0;
  for (const json& row : rows) {
    SCOPED_TRACE(row.dump());
    if (row.contains("not_in_this_job")) continue;
    EXPECT_EQ(row.at("overrides").size(),
              switched_off - (&row == &rows[0] ? 0 : row.at("keys").size()));
    switched_off = row.at("overrides").size();
    gains += row.at("mfu_gain_points").get<double>();
    EXPECT_NEAR(row.at("mfu_total_gain_points").get<double>(), gains, 1e-9);
    EXPECT_GT(row.at("step_seconds").at("min"), 0.0);
    EXPECT_GT(row.at("mfu"), 0.0);
    // Rates are those of the median step.
    const double tokens = row.at("tokens_per_second").get<double>() *
                          row.at("step_seconds").at("median").get<double>();
    EXPECT_NEAR(tokens, (&row == &rows[kRows - 1] ? 16 : 4) * 32, 1e-6);
    EXPECT_GE(row.at("exposed_comm_seconds"), 0.0);
    EXPECT_GT(row.at("bubble_share"), 0.0);
    EXPECT_LT(row.at("bubble_share"), 1.0);
  }
  // The same job has the same MFU over tokens per second, whatever the clock said; another has not.
  const auto flops_per_token = [&](const json& row) {
    return row.at("mfu").get<double>() * found.at("peak_flops").get<double>() /
           row.at("tokens_per_second").get<double>();
  };
  EXPECT_LT(flops_per_token(rows[2]), 0.999 * flops_per_token(rows[1]))
      << "a window saves products";
}

TEST(Ablate, WhatIsNotInTheJobHasAReasonAndNoFigure) {
  const Workspace space;
  const Finished done = ablate(space, {});
  ASSERT_EQ(done.exit_code, 0) << done;
  const json found = done.json();
  ASSERT_EQ(found.at("rows").size(), kRows);
  std::vector<std::string> measured;
  for (const json& row : found.at("rows")) {
    if (row.contains("not_in_this_job")) {
      EXPECT_FALSE(row.contains("mfu")) << row;
      EXPECT_NE(done.out.find("not in this job: " + row.at("not_in_this_job").get<std::string>()),
                std::string::npos)
          << done;
    } else {
      measured.push_back(row.at("technique"));
    }
  }
  EXPECT_EQ(measured,
            (std::vector<std::string>{"baseline", "efficient operators", "data pipeline"}));
}

// MegaScale-MoE's table 5 for a job that can be executed: pieces of products in place of fused pairs.
TEST(Ablate, RowsOfMegaScaleMoeAreMeasured) {
  const Workspace space;
  const Finished done =
      ablate(space,
             {"model.type=mixtral", "moe.num_experts=4", "parallel.world_size=2",
              "parallel.context_parallel_size=2", "parallel.expert_model_parallel_size=2",
              "parallel.expert_tensor_parallel_size=1", "moe.token_dispatcher_type=allgather",
              "overlap.context_pieces=2", "overlap.expert_pieces=2"},
             {"--rows", "moe"});
  ASSERT_EQ(done.exit_code, 0) << done;
  const json rows = done.json().at("rows");
  ASSERT_EQ(rows.size(), 4U) << done;
  for (const json& row : rows) {
    EXPECT_NEAR(row.at("throughput_of_baseline").get<double>() *
                    rows[0].at("tokens_per_second").get<double>(),
                row.at("tokens_per_second").get<double>(), 1e-6)
        << row;
  }
  EXPECT_EQ(rows[3].at("technique"), "intra-operator overlap");
  EXPECT_EQ(rows[3].at("keys"), json({"overlap.context_pieces = 2", "overlap.expert_pieces = 2"}));
  const Finished dense = ablate(space, {}, {"--rows", "moe"});
  EXPECT_EQ(dense.exit_code, 2) << dense;
  EXPECT_NE(dense.err.find("expected a model with experts"), std::string::npos) << dense;
}

TEST(Ablate, RanksAsProcesses) {
  const Workspace space;
  const Finished done = ablate(space, {"parallel.tensor_model_parallel_size=2"}, {"--processes"});
  if (done.exit_code == 1 && done.err.find("built without UCX") != std::string::npos)
    GTEST_SKIP() << "built without UCX";
  ASSERT_EQ(done.exit_code, 0) << done;
  const json row = done.json().at("rows")[3];
  EXPECT_EQ(row.at("keys"), json({"overlap.tensor = true"}));
  EXPECT_GT(row.at("exposed_comm_seconds"), 0.0);
}

TEST(Ablate, RowsThatCannotBeAreNamedBeforeAnythingRuns) {
  const Workspace space;
  auto settings = whole_job;
  settings.emplace_back("train.global_batch_size=18");
  const Finished no_quarter = ablate(space, settings);
  EXPECT_EQ(no_quarter.exit_code, 2) << no_quarter;
  EXPECT_NE(no_quarter.err.find("--batch-factor"), std::string::npos) << no_quarter;
  settings.back() = "train.micro_batch_size=8";
  const Finished half_a_batch = ablate(space, settings);
  EXPECT_EQ(half_a_batch.exit_code, 2) << half_a_batch;
  EXPECT_NE(half_a_batch.err.find("row \"baseline\""), std::string::npos) << half_a_batch;
  EXPECT_EQ(half_a_batch.err.find("round 1"), std::string::npos) << half_a_batch;
  const Finished launched = ablate(space, {}, {}, {.environment = {"RANK=0", "WORLD_SIZE=2"}});
  EXPECT_EQ(launched.exit_code, 2) << launched;
}

TEST(Ablate, RowsAreSimulatedOnACluster) {
  const Workspace space;
  std::vector<std::string> set = whole_job;
  set.emplace_back("parallel.tensor_model_parallel_size=2");
  set.emplace_back("parallel.world_size=8");
  const Finished done =
      ablate(space, set,
             {"--cluster", std::string(MEGASCALE_SOURCE_DIR) + "/clusters/a100-megascale.toml"});
  ASSERT_EQ(done.exit_code, 0) << done;
  const json found = done.json();
  const json& rows = found.at("rows");
  ASSERT_EQ(rows.size(), kRows) << done;
  for (const json& row : rows) {
    SCOPED_TRACE(row.dump());
    EXPECT_EQ(row.contains("not_in_this_job"), row.at("technique") == "data pipeline");
    if (row.contains("not_in_this_job")) continue;
    EXPECT_GT(row.at("step_seconds").at("median"), 0.0);
    EXPECT_FALSE(row.contains("data_wait_seconds")) << "nobody predicts it";
  }
  const auto seconds = [&](std::size_t row) {
    return rows[row].at("step_seconds").at("median").get<double>();
  };
  EXPECT_EQ(rows[6].at("keys"), json({"kernels.fused_norm = true"}));
  EXPECT_LT(seconds(6), seconds(5)) << "norms are chains before";
}

}  // namespace
}  // namespace megascale
