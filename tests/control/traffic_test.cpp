// Network counters are read, become bytes a step, and a fall of those is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/sights.h"
#include "megascale/control/interface_counters.h"
#include "megascale/control/rules/rule.h"
#include "support/scratch_directory.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(InterfaceCountersTest, AreThoseOfDevicesAndRdmaPorts) {
  const ScratchDirectory scratch;
  scratch.write("dev",
                "Inter-|   Receive  |  Transmit\n face |bytes packets | bytes\n"
                "    lo: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n"
                "  eth0:5000 1 0 0 0 0 0 0 7000 1 0 0 0 0 0 0\n");
  std::filesystem::create_directories(scratch / "rdma/mlx5_0/ports/1/counters");
  scratch.write("rdma/mlx5_0/ports/1/counters/port_rcv_data", "25\n");
  scratch.write("rdma/mlx5_0/ports/1/counters/port_xmit_data", "50\n");
  EXPECT_THAT(read_interface_counters(scratch / "dev", scratch / "rdma"),
              ElementsAre(InterfaceCounters{.name = "lo", .received = 100, .sent = 100},
                          InterfaceCounters{.name = "eth0", .received = 5000, .sent = 7000},
                          InterfaceCounters{.name = "mlx5_0/1", .received = 100, .sent = 200}));
  EXPECT_TRUE(read_interface_counters(scratch / "absent", scratch / "absent").empty());
  EXPECT_FALSE(read_interface_counters().empty()) << "every Linux host has lo";
}

class TrafficTest : public ::testing::Test {
 protected:
  // Two steps have moved `bytes` each over eth0.
  void beat(std::int64_t bytes, std::int64_t steps = 2) {
    done += steps;
    moved += steps * bytes;
    Heartbeat heartbeat = heartbeat_of(1, 1, {running_rank(0, done)});
    heartbeat.interfaces = {{.name = "eth0", .received = moved, .sent = 0},
                            {.name = "lo", .received = done, .sent = done}};
    table.take(heartbeat);
  }
  [[nodiscard]] std::optional<Verdict> verdict() const {
    return traffic_fall({.settings = settings, .state = state, .hosts = hosts, .traffic = &table},
                        "a");
  }
  std::int64_t done = 10, moved = 12345;
  DriverSettings settings;
  DriverState state;
  std::map<std::string, HostSight> hosts;
  TrafficTable table;
};

TEST_F(TrafficTest, AFallIsToldAndNoiseIsNot) {
  for (int i = 0; i < 100; ++i) {
    beat(10'000'000 + i % 7 * 500'000);
    if (i % 5 == 0) beat(90'000'000);  // a checkpoint to a remote file system
    EXPECT_FALSE(verdict());
  }
  for (int i = 0; i < 4; ++i) beat(4'000'000);
  ASSERT_TRUE(verdict());
  EXPECT_EQ(verdict()->action, Action::alert);
  EXPECT_EQ(verdict()->host, "a");
  EXPECT_THAT(verdict()->what, HasSubstr("interface eth0 of host a has fallen"));
}

TEST_F(TrafficTest, LittleTrafficAndHeartbeatsWithoutAStepAreNotJudged) {
  for (int i = 0; i < 100; ++i) beat(100'000);
  for (int i = 0; i < 10; ++i) beat(10);
  EXPECT_FALSE(verdict());
  table.clear();
  for (int i = 0; i < 100; ++i) {
    beat(10'000'000);
    beat(0, 0);  // the same step, seen again
  }
  EXPECT_FALSE(verdict());
  EXPECT_TRUE(table.of("b").empty());
}

}  // namespace
}  // namespace megascale::control
