// `megascale diagnose`, alone and between hosts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/free_port.h"
#include "cli/launch_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

// One of two hosts, as a launcher starts it.
Setup as_host(const char* rank, const char* local_size, const std::string& port) {
  return {.environment = {std::string("RANK=") + rank, "WORLD_SIZE=2", "LOCAL_RANK=0",
                          std::string("LOCAL_WORLD_SIZE=") + local_size, "MASTER_ADDR=127.0.0.1",
                          "MASTER_PORT=" + port, "MEGASCALE_JOB_SECRET=a secret of this test"}};
}

class DiagnoseCommandTest : public LaunchTest {
 protected:
  [[nodiscard]] std::vector<std::string> diagnose(const std::vector<std::string>& more) const {
    std::vector<std::string> all{
        "diagnose", (space / "run").string(), "--free-memory", "0", "--free-disk", "1", "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(DiagnoseCommandTest, AHealthyHostPassesAndWritesItsBaseline) {
  const std::string baseline = (space / "baseline.json").string();
  const Finished first = megascale(diagnose({"--baseline", baseline}));
  ASSERT_EQ(first.exit_code, 0) << first;
  EXPECT_TRUE(first.json().at("passed"));
  EXPECT_EQ(first.json().at("hosts")[0].at("checks").size(), 8U);
  nlohmann::json file = nlohmann::json::parse(read(baseline));
  // This machine is shared: rates may fall, digests and counts may not.
  const auto again =
      diagnose({"--baseline", baseline, "--least-share", "0.001", "--only", "compute,interfaces"});
  const Finished second = megascale(again);
  EXPECT_EQ(second.exit_code, 0) << second;
  EXPECT_EQ(nlohmann::json::parse(read(baseline)), file);

  file["compute_digest"] = std::string(32, '0');
  file["checks"]["compute"]["compute.cores"]["value"] = 100'000;
  file["checks"]["interfaces"]["tcp.eth77.lo"] = {{"value", 1}, {"unit", "GB/s"}};
  space.write("baseline.json", file.dump());
  const Finished third = megascale(again);
  EXPECT_EQ(third.exit_code, 1) << third;
  EXPECT_FALSE(third.json().at("passed"));
  for (const char* why : {"this processor computes wrongly", "compute.cores is",
                          "tcp.eth77.lo is not there any more"})
    EXPECT_THAT(third.err, HasSubstr(why));
}

TEST_F(DiagnoseCommandTest, AChosenCheckFailsAlone) {
  const Finished full = megascale({"diagnose", (space / "run").string(), "--only", "disk,clock",
                                   "--free-disk", "1000000000000000000", "--json"});
  EXPECT_EQ(full.exit_code, 1) << full;
  EXPECT_THAT(full.out, HasSubstr("disk        failed"));
  EXPECT_EQ(full.json().at("hosts")[0].at("checks").size(), 2U);
  EXPECT_THAT(full.err, HasSubstr("lower --free-disk"));
  const Finished unknown = megascale({"diagnose", "--only", "disks"});
  EXPECT_EQ(unknown.exit_code, 2) << unknown;
  EXPECT_THAT(unknown.err, HasSubstr("checks are all_to_all, compute"));
}

TEST_F(DiagnoseCommandTest, HostsOfALauncherAreComparedAndReduce) {
  const std::string port = std::to_string(free_port());
  const auto arguments = diagnose({"--only", "compute"});
  Process first(arguments, as_host("0", "1", port)), second(arguments, as_host("1", "1", port));
  const Finished other = second.wait(), done = first.wait();
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_EQ(other.exit_code, 0) << other;
  const auto hosts = done.json().at("hosts");
  ASSERT_EQ(hosts.size(), 2U) << done;
  for (const auto& host : hosts) {
    EXPECT_EQ(host.at("checks")[2].at("check"), "all_reduce");
    EXPECT_EQ(host.at("checks")[2].at("outcome"), "passed");
  }
  EXPECT_EQ(hosts[0].at("compute_digest"), hosts[1].at("compute_digest"));
  const Finished crowded = megascale(arguments, as_host("0", "2", port));
  EXPECT_EQ(crowded.exit_code, 2) << crowded;
  EXPECT_THAT(crowded.err, HasSubstr("--ntasks-per-node=1"));
}

}  // namespace
}  // namespace megascale::testing
