#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "comm/counted_exchange.h"
#include "comm/members.h"
#include "megascale/comm/hollow_communicator.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

using testing::Watchdog;

constexpr std::uint32_t kMembers = 3;
constexpr std::size_t kLarge = HollowCommunicator::kSmallNbytes / sizeof(float) + 1, kSmall = 5;

// Member m has blocks of the value 100 m + block.
std::vector<float> blocks(std::uint32_t member, std::size_t count, std::size_t length) {
  std::vector<float> values;
  for (std::size_t block = 0; block < count; ++block)
    values.insert(values.end(), length,
                  100.0F * static_cast<float>(member) + static_cast<float>(block));
  return values;
}

struct HollowCase {
  const TransferRule* kind;
  std::size_t send_blocks, receive_blocks;
  // Of member 1, by block, where transfers are hollow and where they are not.
  std::vector<float> hollow, real;
};

class HollowTest : public ::testing::TestWithParam<HollowCase> {
 public:
  // What member 1 receives; -1 where nothing was written.
  static std::vector<float> received(std::size_t length) {
    const Watchdog watchdog("hollow transfers");
    const HollowCase& c = GetParam();
    std::vector<std::vector<float>> send, receive;
    for (std::uint32_t m = 0; m < kMembers; ++m) {
      send.push_back(blocks(m, c.send_blocks, length));
      receive.emplace_back(c.receive_blocks * length, -1.0F);
    }
    Members members(kMembers, Backend::local);
    members.run([&](std::uint32_t m, Communicator& end) {
      HollowCommunicator hollow(end);
      hollow.start({.rule = c.kind,
                    .send = std::as_bytes(std::span(send[m])),
                    .receive = std::as_writable_bytes(std::span(receive[m])),
                    .offset = 1});
      EXPECT_EQ(members.wait(m), Progress::done);
    });
    return receive[1];
  }
  static std::vector<float> repeated(const std::vector<float>& values, std::size_t length) {
    std::vector<float> all;
    for (const float value : values) all.insert(all.end(), length, value);
    return all;
  }
};

TEST_P(HollowTest, LargeTransfersBringTheMembersOwnBytes) {
  EXPECT_EQ(received(kLarge), repeated(GetParam().hollow, kLarge));
}

TEST_P(HollowTest, SmallTransfersAreReal) {
  EXPECT_EQ(received(kSmall), repeated(GetParam().real, kSmall));
}

INSTANTIATE_TEST_SUITE_P(
    All, HollowTest,
    ::testing::Values(HollowCase{&transfer_rules::all_gather, 1, 3, {100, 100, 100}, {0, 100, 200}},
                      HollowCase{&transfer_rules::reduce_scatter, 3, 1, {101}, {303}},
                      HollowCase{&transfer_rules::all_to_all, 3, 3, {101, 101, 101}, {1, 101, 201}},
                      HollowCase{&transfer_rules::shift, 1, 1, {100}, {200}},
                      HollowCase{&transfer_rules::all_reduce, 0, 1, {-1}, {-3}}));

TEST(HollowCountsTest, LargeBlocksAreTheMembersOwnRowsAndWrongSizesAreFound) {
  const Watchdog watchdog("a hollow all_to_all_v");
  const CountedExchange<float> exchange{
      .members = kMembers,
      .row_count = kLarge,
      .bound = 3,
      .rows = [](std::uint32_t from, std::uint32_t to) { return 1 + (from + to) % 3; }};
  const std::size_t count = exchange.capacity() * kLarge;
  for (const bool wrong : {false, true}) {
    std::vector<std::vector<float>> receive(kMembers, std::vector<float>(count, -1.0F));
    Members members(kMembers, Backend::local);
    members.run([&](std::uint32_t m, Communicator& end) {
      HollowCommunicator hollow(end);
      MemberCounts counts(exchange, m);
      if (wrong && m == 2) counts.set_send(0, 1);  // rank 0 expects 3
      const std::vector<float> send(count, 100.0F + static_cast<float>(m));
      hollow.start({.rule = &transfer_rules::all_to_all_v,
                    .send = std::as_bytes(std::span(send)),
                    .receive = std::as_writable_bytes(std::span(receive[m])),
                    .counts = counts.counts()});
      EXPECT_EQ(members.wait(m), wrong ? Progress::failed : Progress::done);
      if (wrong) {
        EXPECT_NE(
            hollow.error().message().find("rank 2 sends 1 rows to rank 0, which expects 3 from it"),
            std::string::npos)
            << hollow.error().message();
      }
    });
    const auto own = [&](std::size_t i) { return receive[1][i]; };
    EXPECT_EQ(own(0), 101.0F);
    EXPECT_EQ(own(exchange.receive_begin(1, 2) + exchange.block_count(2, 1) - 1), 101.0F);
  }
}

TEST(HollowLossTest, WhatTheRealGroupLostIsLost) {
  const auto group = std::make_shared<FakeNccl>(1);
  Wakeup wakeup;
  NcclCommunicator real(group->open(0), 1, 0, wakeup);
  HollowCommunicator hollow(real);
  EXPECT_EQ(hollow.lost(), std::nullopt);
  group->break_network();
  EXPECT_TRUE(hollow.lost());
}

}  // namespace
}  // namespace megascale::comm
