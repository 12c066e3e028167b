// Goal: the pace of a save is kept, can be changed, and can end it.
#include "megascale/checkpoint/write_pace.h"

#include <gtest/gtest.h>

#include <thread>

#include "checkpoint/support.h"

namespace megascale::checkpoint {
namespace {

using namespace std::chrono_literals;
using testing::error_of;

TEST(WritePaceTest, BlocksTakeAtLeastTheirTime) {
  WritePace pace;
  const auto begin = std::chrono::steady_clock::now();
  pace.set_rate(10'000);
  for (int i = 0; i < 6; ++i) pace.before_block(100);
  // The first block need not wait; each of the others waits for the one before: 10 ms.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 50ms);
  EXPECT_EQ(pace.nbytes(), 600U);
}

TEST(WritePaceTest, AWaitingBlockGoesOnAtANewRate) {
  WritePace pace;
  pace.set_rate(1e-6);
  pace.before_block(1);
  std::thread faster([&] { pace.set_rate(0); });
  pace.before_block(1);  // would wait for an hour
  faster.join();
}

TEST(WritePaceTest, ACancelledSaveEndsWithTheReason) {
  WritePace pace;
  pace.set_rate(1e-6);
  pace.before_block(1);
  std::thread ends([&] { pace.cancel(Error(ErrorCode::peer_lost, "rank 3 is lost")); });
  EXPECT_EQ(error_of([&] { pace.before_block(1); }).message(), "rank 3 is lost");
  ends.join();
  EXPECT_EQ(error_of([&] { pace.before_block(1); }).code(), ErrorCode::peer_lost);
}

// A save whose pace is cancelled leaves no committed checkpoint and no partial one.
TEST(WritePaceTest, EndsASaveThatLeavesNothing) {
  const testing::Scratch scratch;
  const testing::Model model(200);
  WritePace pace;
  pace.cancel(Error(ErrorCode::peer_lost, "rank 3 is lost"));
  const SaveOptions options{.pace = &pace};
  EXPECT_EQ(error_of([&] { save(scratch.path(), model.state, model.pieces(), options); }).code(),
            ErrorCode::peer_lost);
  const Listing listing = list(scratch.path());
  EXPECT_TRUE(listing.checkpoints.empty());
  EXPECT_TRUE(listing.leftovers.empty());
}

}  // namespace
}  // namespace megascale::checkpoint
