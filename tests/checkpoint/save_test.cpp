#include "megascale/checkpoint/save.h"

#include "checkpoint/support.h"

namespace megascale::checkpoint {
namespace {

using testing::holds;
using testing::Model;
using testing::Scratch;

TEST(SaveTest, WhatIsSavedIsRead) {
  const Scratch scratch;
  const Model model(200);
  const SaveReport report = save(scratch.path() / "a" / "b", model.state, model.pieces());
  EXPECT_EQ(report.path, scratch.path() / "a" / "b" / "step-00000200");
  EXPECT_TRUE(report.notes.empty());
  EXPECT_TRUE(holds(Opened(report.path), model));
  EXPECT_TRUE(holds(Opened(report.path, Check::on_read), model));
  EXPECT_TRUE(holds(*open_newest(scratch.path() / "a" / "b"), model));
}

TEST(SaveTest, AnAbsentOrEmptyDirectoryIsAFreshStart) {
  const Scratch scratch;
  EXPECT_FALSE(open_newest(scratch.path()).has_value());
  EXPECT_FALSE(open_newest(scratch.path() / "none").has_value());
}

TEST(SaveTest, NewestIsByNumber) {
  const Scratch scratch;
  for (const std::int64_t step : {99'999'999, 100'000'000, 7})
    save(scratch.path(), Model(step).state, Model(step).pieces());
  EXPECT_TRUE(holds(*open_newest(scratch.path()), Model(100'000'000)));
  const Listing listing = list(scratch.path());
  ASSERT_EQ(listing.checkpoints.size(), 3U);
  EXPECT_EQ(listing.checkpoints[2].step, 7);
}

TEST(SaveTest, FilesAreBoundedAndALargerPieceHasItsOwn) {
  const Scratch scratch;
  const Model model(1);
  const SaveReport report =
      save(scratch.path(), model.state, model.pieces(), {.shard_nbytes_max = 300});
  const Opened opened(report.path);
  EXPECT_GT(opened.manifest().shards.size(), 6U);
  for (const ShardFile& shard : opened.manifest().shards) {
    const std::uint64_t data = shard.pieces.back().end - shard.pieces.front().begin;
    EXPECT_TRUE(data <= 300 || shard.pieces.size() == 1) << shard.file;
  }
  EXPECT_TRUE(holds(opened, model));
}

TEST(SaveTest, FillMakesThePieceWhenItIsWritten) {
  const Scratch scratch;
  const Model model(3);
  std::vector<Piece> pieces = model.pieces();
  for (Piece& piece : pieces) {
    piece.fill = [bytes = piece.bytes](std::span<std::byte> out) {
      std::copy(bytes.begin(), bytes.end(), out.begin());
    };
    piece.bytes = {};
  }
  EXPECT_TRUE(holds(Opened(save(scratch.path(), model.state, pieces).path), model));
}

TEST(SaveTest, SameStepIsReplacedAsAWhole) {
  const Scratch scratch;
  const Model first(5), second(5, 16);
  save(scratch.path(), first.state, first.pieces());
  save(scratch.path(), second.state, second.pieces());
  EXPECT_TRUE(holds(*open_newest(scratch.path()), second));
  EXPECT_TRUE(list(scratch.path()).leftovers.empty());
}

}  // namespace
}  // namespace megascale::checkpoint
