// A rank that computes more slowly than the other is told; clean steps tell nobody. No more ranks than
// cores, since ranks that share a core slow each other down.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "cli/fault_support.h"

namespace megascale::testing {
namespace {

TEST_F(FaultTest, ASlowRankIsToldAndACleanRunTellsNobody) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two cores";
  const Settings pair{"control.slow_share=0.07",
                      "parallel.world_size=2",
                      "parallel.tensor_model_parallel_size=1",
                      "parallel.zero_stage=0",
                      "kernels.matrix_unit=false",
                      "model.hidden_size=128",
                      "model.num_layers=4",
                      "train.micro_batch_size=4",
                      "train.global_batch_size=8",
                      "checkpoint.interval=1000"};
  Process process(robust("run", pair), with_fault("slow", 1, 30));
  ASSERT_TRUE(trains(process, "run", 1, 1000)) << process.err();
  EXPECT_EQ(incidents("run").size(), 0U) << incidents("run");
  begin_fault();
  ASSERT_TRUE(process.wait_until([&] { return !incidents("run").empty(); })) << process.err();
  const Finished done = stop(process, "run", 1);
  ASSERT_EQ(done.exit_code, 0) << done;
  const auto found = incidents("run");
  ASSERT_EQ(found.size(), 1U) << found;
  EXPECT_EQ(found[0].at("rule"), "slow_rank") << found;
  EXPECT_EQ(found[0].at("rank"), 1) << found;
  EXPECT_EQ(done.json().at("attempts"), 1) << done;
  expect_sound("run", 1);
}

}  // namespace
}  // namespace megascale::testing
