// `megascale bench startup` as users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

Finished startup(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--json", "bench", "startup"});
  return megascale(arguments);
}

TEST(StartupTest, AFewRequestsPerRankAndOneBarrier) {
  for (const char* ranks : {"1", "6", "192"}) {
    const Finished run = startup({"--ranks", ranks, "--processes", "3"});
    ASSERT_EQ(run.exit_code, 0) << run;
    const auto report = run.json();
    EXPECT_EQ(report["ranks"], std::stoi(ranks)) << run;
    EXPECT_EQ(report["global_barriers"], 1) << run;
    EXPECT_LE(report["requests"].get<int>(), 5 * std::stoi(ranks) + 3) << run;
    EXPECT_GT(report["seconds"].get<double>(), 0) << run;
  }
}

TEST(StartupTest, TheOldOrderTakesABarrierPerGroup) {
  const Finished run = startup({"--ranks", "64", "--naive"});
  ASSERT_EQ(run.exit_code, 0) << run;
  // Tensor 8, pipeline 8, data 1: 8 + 8 + 64 groups.
  EXPECT_EQ(run.json()["global_barriers"], 80) << run;
  EXPECT_GT(run.json()["requests"].get<int>(), 2 * 80 * 64) << run;
}

TEST(StartupTest, RunsAgainstARedisOfItsOwn) {
  const Finished run = startup({"--ranks", "96", "--store", "redis"});
  if (run.err.find("no redis-server") != std::string::npos ||
      run.err.find("without Redis") != std::string::npos)
    GTEST_SKIP() << run.err;
  ASSERT_EQ(run.exit_code, 0) << run;
  EXPECT_LE(run.json()["requests"].get<int>(), 6 * 96 + 3) << run;
  EXPECT_EQ(run.out.find("requirepass"), std::string::npos);
}

TEST(StartupTest, FitsTheGrowthOfBothOrders) {
  const Finished run = startup({"--ranks", "256", "--fit"});
  ASSERT_EQ(run.exit_code, 0) << run;
  const auto growth = run.json()["growth"];
  // Counts, not times: these are exact.
  EXPECT_NEAR(growth["bootstrap"]["requests"].get<double>(), 1.0, 0.02) << run;
  EXPECT_GT(growth["barrier per group"]["requests"].get<double>(), 1.2) << run;
}

TEST(StartupTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(startup({"--ranks", "0"}).exit_code, 2);
  EXPECT_EQ(startup({"--processes", "9"}).exit_code, 2);
  EXPECT_EQ(startup({"--store", "etcd"}).exit_code, 2);
  const Finished run = startup({"--address", "nowhere"});
  EXPECT_EQ(run.exit_code, 2) << run;
  EXPECT_THAT(run.err, HasSubstr("'nowhere'"));
}

}  // namespace
}  // namespace megascale::testing
