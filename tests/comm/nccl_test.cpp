// What NCCL's communicator does beyond the contract that all share (contract_test.cpp).
#include <gtest/gtest.h>

#include "comm/fake_nccl.h"
#include "megascale/comm/nccl/nccl_communicator.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

class NcclTest : public ::testing::Test {
 public:
  static Transfer reduce(std::vector<float>& values) {
    return {.rule = &transfer_rules::all_reduce,
            .send = {},
            .receive = std::as_writable_bytes(std::span(values))};
  }
  std::unique_ptr<NcclCommunicator> open(std::uint32_t member) {
    return std::make_unique<NcclCommunicator>(group_->open(member), 2, member, wakeup_);
  }
  std::shared_ptr<FakeNccl> group_ = std::make_shared<FakeNccl>(2);
  Wakeup wakeup_;
  std::vector<float> a_{1}, b_{2};
};

// NCCL takes calls only once the group is formed, and nobody says when it has gone on.
TEST_F(NcclTest, ATransferIsHandedOverOnceTheGroupIsFormed) {
  const auto first = open(0);
  first->start(reduce(a_));
  const std::uint32_t epoch = wakeup_.epoch();
  EXPECT_EQ(first->poll(), Progress::waiting);
  EXPECT_NE(wakeup_.epoch(), epoch) << "who sleeps on it would never look again";
  const auto second = open(1);
  EXPECT_EQ(first->poll(), Progress::moving);
  second->start(reduce(b_));
  EXPECT_EQ(second->poll(), Progress::done);
  EXPECT_EQ(first->poll(), Progress::done);
  EXPECT_EQ(a_, std::vector<float>{3});
  EXPECT_EQ(first->lost(), std::nullopt);
}

TEST_F(NcclTest, WhatGoesWrongBehindATransferIsFoundAndEndsTheGroup) {
  auto first = open(0);
  const auto second = open(1);
  first->start(reduce(a_));
  second->start(reduce(b_));
  (void)first->poll();
  EXPECT_EQ(second->poll(), Progress::done);
  EXPECT_EQ(first->poll(), Progress::done);
  group_->break_network();
  const auto lost = first->lost();
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->message(), "NCCL: unhandled");
  EXPECT_TRUE(first->lost());
  first->abort(Error(ErrorCode::peer_lost, "too late"));
  first->start(reduce(a_));
  EXPECT_EQ(first->poll(), Progress::failed);
  EXPECT_EQ(first->error().message(), "NCCL: unhandled");
  first.reset();
  EXPECT_EQ(group_->aborted(), 1) << "once: NCCL's communicator is gone then";
}

TEST_F(NcclTest, AnAbortedEndFailsWithItsErrorAndWakesWhoWaits) {
  auto first = open(0);
  first->start(reduce(a_));
  EXPECT_EQ(first->poll(), Progress::waiting);
  const std::uint32_t epoch = wakeup_.epoch();
  first->abort(Error(ErrorCode::peer_lost, "rank 1 lost its disk"));
  EXPECT_NE(wakeup_.epoch(), epoch);
  EXPECT_EQ(first->poll(), Progress::failed);
  EXPECT_EQ(first->error().code(), ErrorCode::peer_lost);
  EXPECT_EQ(first->lost()->message(), "rank 1 lost its disk");
  first.reset();
  EXPECT_EQ(group_->aborted(), 1);
}

// Goal: groups whose aborts wait for each other's device work all end.  Method: a rank finds a loss
// in one of two groups and aborts both, as a lane runner does.
TEST_F(NcclTest, AbortsOfSeveralGroupsDoNotWaitForEachOther) {
  const testing::Watchdog watchdog("aborts of two groups");
  for (const bool finds_a_loss : {true, false}) {
    group_ = std::make_shared<FakeNccl>(2);
    const auto other = std::make_shared<FakeNccl>(2);
    group_->let_aborts_wait_for(other);
    auto first = open(0);
    auto second = std::make_unique<NcclCommunicator>(other->open(0), 2, 0, wakeup_);
    if (finds_a_loss) {
      group_->break_network();
      first->start(reduce(a_));
      EXPECT_EQ(first->poll(), Progress::failed);
    }
    first->abort(Error(ErrorCode::failed, "stop"));
    second->abort(Error(ErrorCode::failed, "stop"));
    EXPECT_EQ(first->poll(), Progress::failed);
    first.reset();
    second.reset();
    EXPECT_EQ(group_->aborted(), 1);
    EXPECT_EQ(other->aborted(), 1);
  }
}

class NcclWindowTest : public NcclTest {
 public:
  static constexpr std::size_t kCount = 64;
  NcclWindowTest() {
    for (std::uint32_t m = 0; m < 2; ++m) {
      memory_.push_back(std::make_unique<FakeNcclMemory>(kCount * sizeof(float)));
      ends_.push_back(open_with(m, memory_[m]->bytes()));
    }
  }
  std::unique_ptr<NcclCommunicator> open_with(std::uint32_t member, std::span<std::byte> window) {
    return std::make_unique<NcclCommunicator>(group_->open(member), 2, member, wakeup_, window);
  }
  // `count` floats of a member's window, from number `begin` on.
  [[nodiscard]] std::span<std::byte> part(std::uint32_t member, std::size_t begin,
                                          std::size_t count) const {
    return memory_[member]->bytes().subspan(begin * sizeof(float), count * sizeof(float));
  }
  // Both members' ends of one transfer, until it is over on both.
  void run(const Transfer& first, const Transfer& second) {
    ends_[0]->start(first);
    ends_[1]->start(second);
    const testing::Watchdog watchdog("a transfer of two members");
    for (bool done = false; !done;) {
      const Progress one = ends_[0]->poll(), two = ends_[1]->poll();
      done = one == Progress::done && two == Progress::done;
    }
  }
  void gather(std::size_t first_send, std::size_t first_receive, std::size_t second_send,
              std::size_t second_receive) {
    run({.rule = &transfer_rules::all_gather,
         .send = part(0, first_send, 4),
         .receive = part(0, first_receive, 8)},
        {.rule = &transfer_rules::all_gather,
         .send = part(1, second_send, 4),
         .receive = part(1, second_receive, 8)});
  }
  std::vector<std::unique_ptr<FakeNcclMemory>> memory_;
  std::vector<std::unique_ptr<NcclCommunicator>> ends_;
};

TEST_F(NcclWindowTest, TheFirstTransferWaitsUntilAllHaveRegistered) {
  const Transfer sum{.rule = &transfer_rules::all_reduce, .receive = part(0, 0, 4)};
  ends_[0]->start(sum);
  EXPECT_EQ(ends_[0]->poll(), Progress::waiting) << "not given to NCCL";
  EXPECT_EQ(group_->windows(), 1);
  EXPECT_EQ(ends_[1]->poll(), Progress::done);
  EXPECT_EQ(group_->windows(), 1) << "not before this member transfers";
  ends_[1]->start({.rule = &transfer_rules::all_reduce, .receive = part(1, 0, 4)});
  EXPECT_EQ(ends_[1]->poll(), Progress::moving);
  EXPECT_EQ(ends_[0]->poll(), Progress::done);
  EXPECT_EQ(ends_[1]->poll(), Progress::done);
  EXPECT_EQ(group_->windows(), 2);
  gather(0, 8, 0, 8);
  EXPECT_EQ(group_->windows(), 2) << "once";
}

// As memory goes when the run ends: after its windows, whether the group was aborted or not.
TEST_F(NcclWindowTest, WindowsEndWithTheirGroup) {
  gather(0, 8, 0, 8);
  ends_[0].reset();
  EXPECT_EQ(group_->windows(), 1);
  ends_[1]->abort(Error(ErrorCode::failed, "stop"));
  ends_[1].reset();
  EXPECT_EQ(group_->windows(), 0);
  EXPECT_EQ(group_->aborted(), 1);
}

TEST_F(NcclWindowTest, WhereThereIsNoWindowTheTransferFailsByThat) {
  group_->refuse_windows();
  ends_[0]->start({.rule = &transfer_rules::all_reduce, .receive = part(0, 0, 4)});
  EXPECT_EQ(ends_[0]->poll(), Progress::failed);
  EXPECT_EQ(ends_[0]->error().code(), ErrorCode::unsupported);
  ends_[0].reset();
  EXPECT_EQ(group_->windows(), 0);
}

TEST_F(NcclWindowTest, PartsMayLieInTheirPlaceOrAtEqualOffsets) {
  gather(8, 8, 12, 8);
  gather(0, 8, 0, 8);
  run({.rule = &transfer_rules::reduce_scatter, .send = part(0, 0, 8), .receive = part(0, 0, 4)},
      {.rule = &transfer_rules::reduce_scatter, .send = part(1, 0, 8), .receive = part(1, 4, 4)});
  // Pairs exchange their addresses.
  run({.rule = &transfer_rules::shift,
       .send = part(0, 0, 4),
       .receive = part(0, 8, 4),
       .offset = 1},
      {.rule = &transfer_rules::shift,
       .send = part(1, 16, 4),
       .receive = part(1, 32, 4),
       .offset = 1});
}

// The stand-in is the judge in the other tests.
TEST_F(NcclWindowTest, TheStandInSeesWhatNcclForbids) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(gather(0, 8, 0, 16), "unequal offsets");
  EXPECT_DEATH(gather(0, 8, 4, 8), "unequal offsets");
  EXPECT_DEATH(gather(8, 8, 16, 8), "unequal offsets");
  EXPECT_DEATH(run(reduce(a_), reduce(b_)), "outside of the window");
  EXPECT_DEATH(memory_.erase((gather(0, 8, 0, 8), memory_.begin())), "while it is a window");
  const auto gather_in = [this](std::span<std::byte> first) {
    ends_.clear();
    group_ = std::make_shared<FakeNccl>(2);
    ends_.push_back(open_with(0, first));
    ends_.push_back(open_with(1, memory_[1]->bytes()));
    gather(0, 8, 0, 8);
  };
  std::vector<std::byte> other(kCount * sizeof(float));
  EXPECT_DEATH(gather_in(other), "NCCL did not allocate");
  const FakeNcclMemory larger(2 * kCount * sizeof(float));
  EXPECT_DEATH(gather_in(larger.bytes()), "windows of different sizes");
}

// Two members call a channel with arguments on memory of the host. The stand-in compares them.
class NcclRulesTest : public ::testing::Test {
 public:
  NcclRulesTest() {
    for (std::uint32_t m = 0; m < 2; ++m) channels_.push_back(group_->open(m));
  }
  std::span<std::byte> bytes(std::size_t begin, std::size_t count) {
    return std::span(memory_).subspan(begin, count);
  }
  std::vector<std::byte> memory_ = std::vector<std::byte>(64);
  std::shared_ptr<FakeNccl> group_ = std::make_shared<FakeNccl>(2);
  std::vector<std::unique_ptr<NcclChannel>> channels_;
};

TEST_F(NcclRulesTest, WhatADeviceWouldHangOnOrComputeWronglyIsSeen) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  NcclChannel &a = *channels_[0], &b = *channels_[1];
  EXPECT_DEATH((a.meet(), b.all_reduce(bytes(0, 8), DType::float32)),
               "member 1 all_reduce, member 0 meet");
  EXPECT_DEATH((a.all_gather(bytes(0, 16), bytes(32, 8)), b.all_gather(bytes(0, 8), bytes(32, 4))),
               "member 1 calls all_gather of 4 to 8 bytes.*member 0 of 8 to 16");
  EXPECT_DEATH((a.all_gather(bytes(0, 24), bytes(32, 8)), b.all_gather(bytes(0, 24), bytes(32, 8))),
               "all_gather of 24 bytes in 2 members of 8");
  EXPECT_DEATH((a.all_reduce(bytes(0, 8), DType::float32), b.all_reduce(bytes(0, 8), DType::int64)),
               "type int64; member 0");
  EXPECT_DEATH((a.broadcast(bytes(0, 8), 0), b.broadcast(bytes(0, 8), 1)), "root 1, type");
  EXPECT_DEATH((a.broadcast(bytes(0, 8), 2), b.broadcast(bytes(0, 8), 2)),
               "root 2 in a group of 2");
  EXPECT_DEATH((a.all_gather(bytes(0, 16), bytes(0, 8)), b.all_gather(bytes(0, 16), bytes(4, 8))),
               "member 1's part of all_gather overlaps the whole");
  EXPECT_DEATH((a.reduce_scatter(bytes(4, 8), bytes(0, 16), DType::float32),
                b.reduce_scatter(bytes(8, 8), bytes(0, 16), DType::float32)),
               "member 0's part of reduce_scatter overlaps the whole");
}

TEST_F(NcclRulesTest, PairsWhoseSizesDifferAreSeen) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  using Outgoing = NcclChannel::Outgoing;
  using Incoming = NcclChannel::Incoming;
  const auto exchange = [this](std::size_t sent, std::size_t received, std::uint32_t peer) {
    channels_[0]->exchange(std::vector<Outgoing>{{peer, bytes(0, sent)}}, {});
    channels_[1]->exchange({}, std::vector<Incoming>{{0, bytes(32, received)}});
  };
  EXPECT_DEATH(exchange(8, 4, 1), "member 0 sends 8 bytes to member 1, which receives 4");
  EXPECT_DEATH(exchange(8, 8, 0), "member 0 sends 8 bytes to member 0, which receives : a device");
  EXPECT_DEATH(exchange(8, 8, 2), "peer 2 of member 0 in a group of 2");
  exchange(8, 8, 1);
}

TEST_F(NcclRulesTest, AChannelTakesCallsOnlyWhileItsGroupIsWhole) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto alone = std::make_shared<FakeNccl>(2);
  const auto first = alone->open(0);
  EXPECT_DEATH(first->meet(), "before the group is formed");
  channels_[0]->abort();
  EXPECT_DEATH(channels_[0]->meet(), "a call after abort");
  EXPECT_DEATH(channels_[0]->abort(), "a second abort");
}

}  // namespace
}  // namespace megascale::comm
