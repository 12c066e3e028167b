#include "megascale/diagnose/neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "megascale/base/error.h"
#include "megascale/comm/store/embedded/server.h"
#include "megascale/diagnose/exchange.h"

namespace megascale::diagnose {
namespace {

using ::testing::HasSubstr;

HostSummary host(const char* name, const char* digest, const char* kind = "AVX3") {
  return {.host = name, .compute_kind = kind, .compute_digest = digest, .passed = true};
}

TEST(NeighboursTest, TheHostWithAnotherDigestIsNamed) {
  const auto wrong = compare_hosts(std::vector{host("a", "11"), host("b", "22"), host("c", "11")});
  EXPECT_EQ(wrong[0].text + wrong[2].text, "");
  EXPECT_THAT(wrong[1].text, HasSubstr("those of 2 equal hosts have 11"));
  EXPECT_TRUE(wrong[1].certain);
}

TEST(NeighboursTest, OfTwoThatDifferBothAreNamed) {
  const auto wrong = compare_hosts(std::vector{host("a", "11"), host("b", "22")});
  EXPECT_THAT(wrong[0].text, HasSubstr("one of them computes wrongly"));
  EXPECT_THAT(wrong[1].text, HasSubstr("one of them computes wrongly"));
  EXPECT_FALSE(wrong[1].certain);
}

TEST(NeighboursTest, HostsOfAnotherKindMayDiffer) {
  const auto wrong = compare_hosts(
      std::vector{host("a", "11"), host("b", "22", "AVX2"), host("c", ""), host("d", "11")});
  for (const Difference& one : wrong) EXPECT_EQ(one.text, "");
}

TEST(NeighboursTest, AClockThatIsFarOffIsNamed) {
  std::vector hosts{host("a", "11"), host("b", "11"), host("c", "11")};
  hosts[0].wall_ns = 61'000'000'000;
  hosts[1].wall_ns = 30'000'000'000;
  EXPECT_EQ(compare_hosts(hosts)[0].text, "");
  hosts[0].wall_ns = 91'000'000'000;
  EXPECT_THAT(compare_hosts(hosts)[0].text,
              HasSubstr("differs from that of the other hosts by 61 s"));
}

// Hosts as threads; each has a rank, a worker and a connection to the store of its own.
std::vector<std::vector<HostReport>> meet(std::vector<HostReport> own) {
  comm::StoreServerOptions options;
  options.secret = comm::JobSecret::random();
  options.job = "hosts#0";
  comm::StoreServer store(options);
  store.start();
  const auto hosts = static_cast<std::uint32_t>(own.size());
  std::vector<std::vector<HostReport>> reports(hosts);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < hosts; ++rank) {
    threads.emplace_back([&, rank] {
      comm::ProcessLaunch launch;
      launch.environment.rank = rank;
      launch.environment.world_size = hosts;
      launch.environment.store = store.address();
      launch.environment.launcher_runs_store = true;
      launch.environment.job = "hosts#0";
      launch.secret = options.secret;
      launch.network = {.transports = "posix,self", .devices = "lo"};
      reports[rank] = check_neighbours(launch, std::move(own[rank]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return reports;
}

HostReport named(const char* name) {
  return {.host = name, .compute_kind = "AVX3", .compute_digest = "11", .checks = {}};
}

TEST(NeighboursTest, HostsAreComparedAndReduceInPairs) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  const auto reports = meet({named("a"), named("b"), named("c")});
  ASSERT_EQ(reports[0].size(), 3U);
  EXPECT_EQ(reports[1].size(), 1U);
  for (const HostReport& report : reports[0]) {
    EXPECT_TRUE(report.passed()) << report.failures();
    ASSERT_EQ(report.checks.size(), 2U);
    EXPECT_EQ(report.checks[1].name, "all_reduce");
    EXPECT_EQ(report.checks[1].outcome, CheckOutcome::passed) << report.checks[1].text;
  }
}

TEST(NeighboursTest, AHostThatHasFailedIsLeftOutOfTheNetworkTest) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  HostReport bad = named("b");
  bad.compute_digest = "22";
  const auto reports = meet({named("a"), bad, named("c"), named("d")});
  ASSERT_EQ(reports[0].size(), 4U);
  EXPECT_FALSE(reports[0][1].passed());
  EXPECT_THAT(reports[0][1].failures(), HasSubstr("comparison"));
  EXPECT_EQ(reports[0][1].checks[1].outcome, CheckOutcome::skipped);
  EXPECT_TRUE(reports[0][0].passed());
  EXPECT_THAT(reports[0][0].checks[1].text, HasSubstr("not with b"));
  EXPECT_THAT(reports[0][3].checks[1].text, HasSubstr("GB/s"));
}

}  // namespace
}  // namespace megascale::diagnose
