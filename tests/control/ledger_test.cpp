// The ledger: every second in one bucket, and the right one.
#include "megascale/control/ledger.h"

#include <gtest/gtest.h>

#include <numeric>

#include "control/sights.h"
#include "megascale/base/philox.h"

namespace megascale::control {
namespace {

using megascale::testing::kSecond;

LogEntry at(double seconds, EntryKind kind, double moved = 0) {
  return {.time_ns = static_cast<std::int64_t>(seconds * 1e9), .kind = kind, .seconds = moved};
}

void expect_balanced(const Ledger& ledger) {
  EXPECT_EQ(std::accumulate(ledger.ns.begin(), ledger.ns.end(), std::int64_t{0}), ledger.wall_ns);
  for (const std::int64_t ns : ledger.ns) EXPECT_GE(ns, 0);
}

TEST(LedgerTest, EverySecondOfAJobWithAFailureHasItsBucket) {
  const std::vector<LogEntry> log{
      at(100, EntryKind::session_started),    at(101, EntryKind::attempt_started),
      at(103, EntryKind::attempt_training),   at(103, EntryKind::attempt_caught_up),
      at(113, EntryKind::incident_opened, 2), at(113, EntryKind::attempt_stopping, 2),
      at(114, EntryKind::stall, 1.5),         at(114, EntryKind::attempt_ended),
      at(118, EntryKind::attempt_started),    at(121, EntryKind::attempt_training),
      at(125, EntryKind::attempt_caught_up),  at(131, EntryKind::attempt_ended),
      at(131, EntryKind::session_ended)};
  const Ledger ledger = make_ledger(log, 0);
  expect_balanced(ledger);
  EXPECT_EQ(ledger.wall_ns, 31 * kSecond);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::stepping), 10 - 2 - 1.5 + 6);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::checkpoint_stall), 1.5);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::detection), 2);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::restart), 3 + 1 + 3);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::repeated), 4);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::idle), 4);
  EXPECT_NEAR(ledger.effective(), 12.5 / 31, 1e-9);
}

TEST(LedgerTest, SelfChecksHaveTheirBucket) {
  const std::vector<LogEntry> log{
      at(0, EntryKind::session_started),  at(1, EntryKind::checks_started),
      at(4, EntryKind::checks_ended),     at(5, EntryKind::attempt_started),
      at(6, EntryKind::attempt_training), at(6, EntryKind::attempt_caught_up),
      at(8, EntryKind::attempt_stopping), at(9, EntryKind::attempt_ended),
      at(10, EntryKind::checks_started),  at(14, EntryKind::checks_ended),
      at(14, EntryKind::attempt_started), at(15, EntryKind::session_ended)};
  const Ledger ledger = make_ledger(log, 0);
  expect_balanced(ledger);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::checks), 3 + 4);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::restart), 1 + 1 + 1 + 1 + 1);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::idle), 1);
}

TEST(LedgerTest, TheTimeBetweenSessionsDoesNotCount) {
  const std::vector<LogEntry> log{
      at(0, EntryKind::session_started),     at(0, EntryKind::attempt_started),
      at(1, EntryKind::attempt_training),    at(1, EntryKind::attempt_caught_up),
      at(5, EntryKind::session_ended),       at(1000, EntryKind::session_started),
      at(1000, EntryKind::attempt_ended),    at(1001, EntryKind::attempt_started),
      at(1002, EntryKind::attempt_training), at(1002, EntryKind::attempt_caught_up)};
  const Ledger ledger = make_ledger(log, 1010 * kSecond);
  expect_balanced(ledger);
  EXPECT_EQ(ledger.wall_ns, 15 * kSecond);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::stepping), 4 + 8);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::restart), 1 + 2);
}

TEST(LedgerTest, AFailureDuringTheStartIsRestartAndDetection) {
  const std::vector<LogEntry> log{
      at(0, EntryKind::session_started), at(0, EntryKind::attempt_started),
      at(5, EntryKind::attempt_stopping, 4), at(6, EntryKind::attempt_ended)};
  const Ledger ledger = make_ledger(log, 8 * kSecond);
  expect_balanced(ledger);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::detection), 4);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::restart), 2);
  EXPECT_DOUBLE_EQ(ledger.seconds(Bucket::idle), 2);
}

// Whatever the events and their seconds are, nothing is counted twice and nothing is lost.
TEST(LedgerTest, AnyLogIsBalanced) {
  const PhiloxStream random(5, "logs");
  std::uint64_t at_bit = 0;
  const auto next = [&](std::uint64_t below) { return random.bits(at_bit++) % below; };
  for (int round = 0; round < 500; ++round) {
    std::vector<LogEntry> log;
    double now = 0;
    for (std::uint64_t i = next(40); i > 0; --i) {
      now += static_cast<double>(next(1000)) * 1e-3;
      log.push_back(
          at(now, static_cast<EntryKind>(next(18)), static_cast<double>(next(3000)) * 1e-3));
    }
    expect_balanced(make_ledger(log, static_cast<std::int64_t>((now + 1) * 1e9)));
  }
}

}  // namespace
}  // namespace megascale::control
