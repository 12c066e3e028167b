#include "megascale/base/run_directory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/scratch_directory.h"

namespace megascale {
namespace {

using Ranks = std::vector<std::uint32_t>;

// What runs of earlier versions left must be found by later ones.
TEST(RunDirectoryTest, NamesAreThoseOfAllVersions) {
  const RunDirectory run("runs/a");
  EXPECT_EQ(run.path(), "runs/a");
  EXPECT_EQ(run.config(), "runs/a/config.toml");
  EXPECT_EQ(run.plan_summary(), "runs/a/plan.json");
  EXPECT_EQ(run.metrics(), "runs/a/metrics.jsonl");
  EXPECT_EQ(run.events(), "runs/a/events");
  EXPECT_EQ(run.ring(12), "runs/a/events/rank12.ring");
  EXPECT_EQ(run.kept_ring(12, 345), "runs/a/events/rank12-step345.ring");
  EXPECT_EQ(run.plan("beef"), "runs/a/events/plan-beef.json");
  EXPECT_EQ(run.checkpoints(), "runs/a/checkpoints");
  EXPECT_EQ(run.trace(), "runs/a/trace.json");
}

TEST(RunDirectoryTest, KnowsRingsByTheirNames) {
  EXPECT_EQ(RunDirectory::rank_of_ring("rank0.ring"), 0U);
  EXPECT_EQ(RunDirectory::rank_of_ring("rank12287.ring"), 12287U);
  for (const char* other :
       {"", "rank.ring", "rank1.rin", "ank1.ring", "rank-1.ring", "rank1x.ring", "rank1.ring.bak",
        "rank1-step2.ring", "rank1234567890.ring", "rank 1.ring", "ran.ring"}) {
    EXPECT_FALSE(RunDirectory::rank_of_ring(other).has_value()) << other;
  }
}

TEST(RunDirectoryTest, FindsTheRanksThatLeftARing) {
  const testing::ScratchDirectory scratch;
  const RunDirectory run(scratch / "run");
  EXPECT_TRUE(run.ranks_with_rings().empty());  // no events at all
  std::filesystem::create_directories(run.events());
  EXPECT_TRUE(run.ranks_with_rings().empty());
  for (const std::int64_t rank : {10, 2, 0}) std::ofstream(run.ring(rank)) << "x";
  std::ofstream(run.plan("beef")) << "x";
  EXPECT_EQ(run.ranks_with_rings(), (Ranks{0, 2, 10}));
}

TEST(RunDirectoryTest, FindsTheStepsThatARankHasKept) {
  const testing::ScratchDirectory scratch;
  const RunDirectory run(scratch / "run");
  EXPECT_TRUE(run.kept_steps(1).empty());  // no events at all
  EXPECT_TRUE(run.kept_steps_by_rank().empty());
  std::filesystem::create_directories(run.events());
  for (const std::int64_t step : {70L, 8L, 123'456'789'012L}) std::ofstream(run.kept_ring(1, step));
  std::ofstream(run.kept_ring(11, 5)) << "x";
  for (const char* other : {"rank1.ring", "rank1-step.ring", "rank1-step5.rin", "rank1-step-5.ring",
                            "rank1-step1234567890123456789.ring"}) {
    std::ofstream(run.events() / other) << "x";
  }
  EXPECT_EQ(run.kept_steps(1), (std::vector<std::int64_t>{8, 70, 123'456'789'012}));
  using Kept = std::map<std::uint32_t, std::vector<std::int64_t>>;
  EXPECT_EQ(run.kept_steps_by_rank(), (Kept{{1, {8, 70, 123'456'789'012}}, {11, {5}}}));
}

}  // namespace
}  // namespace megascale
