// Which connections a server keeps, the addresses that it listens at, and its log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "control/secure/log_lines.h"
#include "megascale/base/philox.h"
#include "megascale/control/secure/connection_table.h"
#include "megascale/control/secure/host_port.h"
#include "megascale/control/secure/trusted_clock.h"

namespace megascale::secure {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ConnectionLimits small_limits() {
  return {
      .in_total = 6, .per_address = 4, .pending = 4, .pending_per_address = 2, .pending_for = 10s};
}

TEST(ConnectionTableTest, TheOldestPendingOneOfTheSameAddressGivesWay) {
  ConnectionTable table(small_limits());
  EXPECT_THAT(table.add(1, {"a", 1}, {}), IsEmpty());
  EXPECT_THAT(table.add(2, {"a", 2}, {}), IsEmpty());
  EXPECT_THAT(table.add(3, {"b", 1}, {}), IsEmpty());
  EXPECT_THAT(table.add(4, {"a", 3}, {}), ElementsAre(1));
  table.remove(1);
  table.admit({"a", 2});
  EXPECT_THAT(table.add(5, {"a", 4}, {}), IsEmpty());  // 2 is no longer pending
  EXPECT_EQ(table.pending(), 3U);
  EXPECT_EQ(table.size(), 4U);
}

TEST(ConnectionTableTest, InTotalTheBusiestAddressGivesWay) {
  ConnectionTable table(small_limits());
  for (ConnectionTable::Id id = 1; id <= 2; ++id)
    EXPECT_THAT(table.add(id, {"a", static_cast<std::uint16_t>(id)}, {}), IsEmpty());
  EXPECT_THAT(table.add(3, {"b", 1}, {}), IsEmpty());
  EXPECT_THAT(table.add(4, {"c", 1}, {}), IsEmpty());
  EXPECT_THAT(table.add(5, {"d", 1}, {}), ElementsAre(1));
}

TEST(ConnectionTableTest, MembersNeverGiveWay) {
  ConnectionTable table(small_limits());
  for (ConnectionTable::Id id = 1; id <= 6; ++id) {
    const HostPort peer{"m" + std::to_string(id), 1};
    EXPECT_THAT(table.add(id, peer, {}), IsEmpty());
    table.admit(peer);
  }
  EXPECT_THAT(table.add(7, {"x", 1}, {}), ElementsAre(7));  // the new one itself
  table.remove(7);
  table.remove(1);
  EXPECT_THAT(table.add(8, {"x", 1}, {}), IsEmpty());
  EXPECT_THAT(table.overdue(ConnectionTable::Time(11s)), ElementsAre(8));
}

TEST(ConnectionTableTest, OneAddressHasItsShare) {
  ConnectionTable table(small_limits());
  for (ConnectionTable::Id id = 1; id <= 4; ++id) {
    const HostPort peer{"a", static_cast<std::uint16_t>(id)};
    EXPECT_THAT(table.add(id, peer, {}), IsEmpty());
    table.admit(peer);
  }
  EXPECT_THAT(table.add(5, {"a", 5}, {}), ElementsAre(5));
  table.remove(5);
  EXPECT_THAT(table.add(6, {"b", 1}, {}), IsEmpty());
}

TEST(ConnectionTableTest, PendingOnesHaveATimeLimit) {
  ConnectionTable table(small_limits());
  const ConnectionTable::Time start{};
  EXPECT_THAT(table.add(1, {"a", 1}, start), IsEmpty());
  EXPECT_THAT(table.add(2, {"b", 1}, start + 5s), IsEmpty());
  EXPECT_THAT(table.overdue(start + 9s), IsEmpty());
  EXPECT_THAT(table.overdue(start + 10s), ElementsAre(1));
  table.admit({"a", 1});
  EXPECT_THAT(table.overdue(start + 20s), ElementsAre(2));
}

// Random events: the limits always hold, and nothing is left when all are gone.
TEST(ConnectionTableTest, HoldsItsLimitsUnderRandomEvents) {
  const PhiloxStream random(7, "connections");
  const ConnectionLimits limits = small_limits();
  ConnectionTable table(limits);
  std::map<ConnectionTable::Id, HostPort> open;
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    const std::uint64_t bits = random.bits(i);
    const HostPort peer{std::string(1, static_cast<char>('a' + bits % 5)),
                        static_cast<std::uint16_t>(bits / 5 % 7)};
    switch (bits / 64 % 4) {
      case 0:
        table.admit(peer);
        break;
      case 1:
        if (!open.empty()) {
          const auto gone = std::next(open.begin(), static_cast<long>(bits / 256 % open.size()));
          table.remove(gone->first);
          open.erase(gone);
        }
        break;
      default:
        // A port is free again only when its connection is gone.
        if (std::any_of(open.begin(), open.end(),
                        [&](const auto& entry) { return entry.second == peer; }))
          break;
        open[i] = peer;
        for (const auto id : table.add(i, peer, {})) {
          table.remove(id);
          ASSERT_EQ(open.erase(id), 1U);
        }
    }
    ASSERT_EQ(table.size(), open.size());
    ASSERT_LE(table.size(), limits.in_total);
    ASSERT_LE(table.pending(), limits.pending);
  }
  for (const auto& [id, peer] : open) table.remove(id);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.pending(), 0U);
}

TEST(HostPortTest, ReadsAddressesAndRefusesOtherTexts) {
  EXPECT_EQ(*parse_host_port("host-a:29400"), (HostPort{"host-a", 29400}));
  EXPECT_EQ(*parse_host_port("[::1]:1"), (HostPort{"::1", 1}));
  EXPECT_EQ(to_string(HostPort{"::1", 1}), "[::1]:1");
  for (const char* text : {"", ":", "host", ":1", "host:", "host:65536", "host:-1", "host:1x",
                           "::1:1", "tcp://host:1", "host/x:1", "redis+unix:///tmp/x"}) {
    EXPECT_FALSE(parse_host_port(text)) << text;
  }
}

TEST(HostPortTest, NobodyListensAtAllInterfaces) {
  for (const char* host : {"0.0.0.0", "::", "*", ""})
    EXPECT_THROW((void)listen_at({.host = host, .port = 0}), Error) << host;
  const FileHandle listener = listen_at({});
  EXPECT_TRUE(is_loopback(listener));
  EXPECT_NE(listening_address(listener).port, 0);
  EXPECT_THROW((void)listen_at(listening_address(listener)), Error);  // in use
}

TEST(DurationTest, HasANumberAndAUnit) {
  EXPECT_EQ(*parse_duration("90m"), 90min);
  EXPECT_EQ(*parse_duration("2d"), 48h);
  for (const char* text : {"", "1", "h", "1.5h", "-1h", "1w", "1 h", "99999999999d"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(LimitedLogTest, SaysHowManyLinesAreLeftOut) {
  testing::LogLines lines;
  LimitedLog log(lines.log(), 3, 50ms);
  for (int i = 0; i < 10; ++i) log("line " + std::to_string(i));
  EXPECT_EQ(lines.text(), "line 0\nline 1\nline 2\n");
  std::this_thread::sleep_for(60ms);
  log("later");
  EXPECT_EQ(lines.text(), "line 0\nline 1\nline 2\n7 more lines like these were left out\nlater\n");
}

}  // namespace
}  // namespace megascale::secure
