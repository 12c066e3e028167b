// What NCCL's communicator does beyond the contract that all share (contract_test.cpp).
#include <gtest/gtest.h>

#include "comm/fake_nccl.h"
#include "megascale/comm/nccl/nccl_communicator.h"

namespace megascale::comm {
namespace {

class NcclTest : public ::testing::Test {
 public:
  static Transfer reduce(std::vector<float>& values) {
    return {.kind = TransferKind::all_reduce,
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
  const auto first = open(0), second = open(1);
  first->start(reduce(a_));
  second->start(reduce(b_));
  (void)first->poll();
  EXPECT_EQ(second->poll(), Progress::done);
  EXPECT_EQ(first->poll(), Progress::done);
  group_->break_network();
  const auto lost = first->lost();
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->message(), "NCCL: unhandled");
  EXPECT_EQ(group_->aborted(), 1) << "once: NCCL's communicator is gone then";
  EXPECT_TRUE(first->lost());
  first->abort(Error(ErrorCode::peer_lost, "too late"));
  EXPECT_EQ(group_->aborted(), 1);
  first->start(reduce(a_));
  EXPECT_EQ(first->poll(), Progress::failed);
  EXPECT_EQ(first->error().message(), "NCCL: unhandled");
}

TEST_F(NcclTest, AnAbortedEndFailsWithItsErrorAndWakesWhoWaits) {
  const auto first = open(0);
  first->start(reduce(a_));
  EXPECT_EQ(first->poll(), Progress::waiting);
  const std::uint32_t epoch = wakeup_.epoch();
  first->abort(Error(ErrorCode::peer_lost, "rank 1 lost its disk"));
  EXPECT_NE(wakeup_.epoch(), epoch);
  EXPECT_EQ(first->poll(), Progress::failed);
  EXPECT_EQ(first->error().code(), ErrorCode::peer_lost);
  EXPECT_EQ(first->lost()->message(), "rank 1 lost its disk");
  EXPECT_EQ(group_->aborted(), 1);
}

}  // namespace
}  // namespace megascale::comm
