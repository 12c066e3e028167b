// Goal: the pace of a save is kept, can be changed, and can end it.
#include "megascale/checkpoint/write_pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "checkpoint/support.h"

namespace megascale::checkpoint {
namespace {

using namespace std::chrono_literals;
using testing::error_of;

TEST(WritePaceTest, BlocksTakeAtLeastTheirTime) {
  WritePace pace;
  const auto begin = std::chrono::steady_clock::now();
  pace.set_rate({.bytes_per_second = 10'000});
  for (int i = 0; i < 6; ++i) pace.before_block(100);
  // The first block need not wait; each of the others waits for the one before: 10 ms.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 50ms);
}

// Blocks of 100 bytes at 100 bytes per second. The third one begins 4 s late.
TEST(WritePaceTest, ADelayedSaveCatchesUpByAFactorOrStaysLate) {
  const BlockTurns::Clock::time_point begin{};
  for (const double catch_up : {1.0, 2.0}) {
    BlockTurns turns({.bytes_per_second = 100, .catch_up = catch_up}, begin);
    std::vector<double> starts;
    for (int i = 0; i < 12; ++i) {
      const auto now = std::max(turns.next(), begin + (i < 2 ? 0s : 6s));
      starts.push_back(std::chrono::duration<double>(now - begin).count());
      turns.begin_block(100, now);
    }
    const std::vector<double> late = {0, 1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const std::vector<double> caught_up = {0, 1, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10, 11};
    EXPECT_EQ(starts, catch_up == 1.0 ? late : caught_up);
  }
}

TEST(WritePaceTest, AWaitingBlockGoesOnAtANewRate) {
  WritePace pace;
  pace.set_rate({.bytes_per_second = 1e-6});
  pace.before_block(1);
  std::thread faster([&] { pace.set_rate({}); });
  pace.before_block(1);  // would wait for an hour
  faster.join();
}

TEST(WritePaceTest, ACancelledSaveEndsWithTheReason) {
  WritePace pace;
  pace.set_rate({.bytes_per_second = 1e-6});
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
