#include "megascale/checkpoint/save.h"

#include <fstream>

#include "checkpoint/support.h"

namespace megascale::checkpoint {
namespace {

using testing::error_of;
using testing::holds;
using testing::Model;
using testing::says;
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

// Somebody makes a directory of the final name while the save is under way. A plain rename would
// replace it without a word if it is empty.
TEST(SaveTest, TheFinalNameMustBeFree) {
  const Scratch scratch;
  const Model model(5);
  const std::filesystem::path name = scratch.path() / "step-00000005";
  const SaveOptions options{.before_action = [&](Action action, const std::filesystem::path& path) {
    if (action == Action::rename && path == name) std::filesystem::create_directory(name);
  }};
  const Error error = error_of([&] { save(scratch.path(), model.state, model.pieces(), options); });
  EXPECT_TRUE(says(error, ErrorCode::io, {name.string(), "File exists"}));
  EXPECT_TRUE(std::filesystem::is_empty(name));
  EXPECT_TRUE(list(scratch.path()).leftovers.empty());
}

// Steps 10, 20, ... `count` times; from step `diverged` on without an update.
void save_run(const std::filesystem::path& directory, std::int64_t count, std::int64_t diverged,
              std::int64_t keep_last) {
  for (std::int64_t step = 10; step <= 10 * count; step += 10) {
    Model model(step);
    if (step >= diverged) {
      model.state.skipped_in_a_row = step - diverged + 1;
      model.state.update = {.updates = diverged - 1, .skipped = step - diverged + 1};
    }
    save(directory, model.state, model.pieces(), {.keep_last = keep_last});
  }
}
std::vector<std::int64_t> kept_in(const std::filesystem::path& directory) {
  std::vector<std::int64_t> steps;
  for (const Entry& entry : list(directory).checkpoints) steps.push_back(entry.step);
  return steps;
}

// Goal: a run that diverges does not remove the last checkpoint that is worth anything.
TEST(RetentionTest, KeepsTheNewestHealthyCheckpoint) {
  const Scratch scratch;
  save_run(scratch.path(), 8, /*diverged=*/50, 2);
  EXPECT_EQ(kept_in(scratch.path()), (std::vector<std::int64_t>{80, 70, 40}));
  EXPECT_EQ(newest_healthy(scratch.path(), 80), scratch.path() / "step-00000040");
  EXPECT_EQ(newest_healthy(scratch.path(), 40), std::nullopt);
  const Verification verification = verify(scratch.path());
  EXPECT_TRUE(verification.good());
  EXPECT_EQ(verification.checkpoints[0].skipped_in_a_row, 31);
  EXPECT_EQ(verification.checkpoints[2].skipped_in_a_row, 0);
}
TEST(RetentionTest, KeepsNoMoreThanAskedWhileTheRunIsHealthy) {
  const Scratch scratch;
  save_run(scratch.path(), 6, /*diverged=*/1000, 2);
  EXPECT_EQ(kept_in(scratch.path()), (std::vector<std::int64_t>{60, 50}));
  save_run(scratch.path() / "one", 3, 1000, 1);
  EXPECT_EQ(kept_in(scratch.path() / "one"), (std::vector<std::int64_t>{30}));
  // A damaged one is no healthy one.
  std::ofstream(scratch.path() / "step-00000060" / "manifest.json") << "{}";
  EXPECT_EQ(newest_healthy(scratch.path(), 100), scratch.path() / "step-00000050");
  EXPECT_EQ(newest_healthy(scratch.path() / "none", 100), std::nullopt);
}
// The checkpoint of the last update has the weights with which the next step failed.
TEST(RetentionTest, KeepsTheOneBeforeTheLastUpdate) {
  const Scratch scratch;
  save_run(scratch.path(), 6, /*diverged=*/41, 2);
  EXPECT_EQ(kept_in(scratch.path()), (std::vector<std::int64_t>{60, 50, 30}));
}

TEST(LeftoversTest, OnlyDirectoriesThatASaveNamedAreRemoved) {
  const Scratch scratch;
  const std::string id(32, 'a');
  const std::vector<std::string> ours{".partial-step-00000300-" + id,
                                      ".removed-step-00000100-" + id},
      others{".partial-model-" + id,
             ".partial-step-00000300-" + id.substr(1),
             ".partial-step-00000300-" + id + "0",
             ".removed-step-300-" + id,
             ".partial-",
             "step-00000300-" + id};
  for (const auto* names : {&ours, &others}) {
    for (const std::string& name : *names) {
      std::filesystem::create_directories(scratch.path() / name);
      std::ofstream(scratch.path() / name / "shard") << "bytes";
    }
  }
  {
    const FileHandle lock = lock_directory(scratch.path());  // a save of another process
    EXPECT_TRUE(remove_leftovers(scratch.path()).empty());
  }
  EXPECT_EQ(remove_leftovers(scratch.path()).size(), 2U);
  for (const std::string& name : ours) EXPECT_FALSE(std::filesystem::exists(scratch.path() / name));
  for (const std::string& name : others)
    EXPECT_TRUE(std::filesystem::exists(scratch.path() / name));
  EXPECT_TRUE(remove_leftovers(scratch.path()).empty());
  EXPECT_TRUE(remove_leftovers(scratch.path() / "none").empty());
}

}  // namespace
}  // namespace megascale::checkpoint
