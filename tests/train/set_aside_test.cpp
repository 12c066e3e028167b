// States that may be damaged are not loaded, and checkpoints are not deleted.
#include "megascale/train/set_aside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "megascale/checkpoint/layout.h"
#include "megascale/checkpoint/open.h"
#include "support/scratch_directory.h"
#include "train/training.h"

namespace megascale::train {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(SetAsideTest, LaterCheckpointsAreRenamedAndLaterCopiesRemoved) {
  const testing::ScratchDirectory scratch;
  for (const std::int64_t step : {10, 20, 30}) {
    fs::create_directories(scratch / "checkpoints" / checkpoint::step_name(step));
    fs::create_directories(scratch / "copies" / checkpoint::step_name(step));
  }
  fs::create_directories(scratch / "checkpoints" /
                         "doubtful-step-00000030");  // of an earlier fault
  std::vector<std::string> messages;
  set_aside_later(scratch / "checkpoints", scratch / "copies", 19,
                  [&](const std::string& message) { messages.push_back(message); });
  for (const char* folder : {"checkpoints", "copies"}) {
    const auto left = checkpoint::list(scratch / folder).checkpoints;
    ASSERT_EQ(left.size(), 1U) << folder;
    EXPECT_EQ(left[0].step, 10);
  }
  for (const char* name :
       {"doubtful-step-00000020", "doubtful-step-00000030", "doubtful-step-00000030-2"})
    EXPECT_TRUE(fs::exists(scratch / "checkpoints" / name)) << name;
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch / "copies"), fs::directory_iterator()), 1);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_THAT(messages[0], HasSubstr("is set aside as doubtful-step-000000"));
}

TEST(SetAsideTest, NothingToSetAsideIsNoError) {
  const testing::ScratchDirectory scratch;
  set_aside_later(scratch / "absent", {}, 0, [](const std::string&) { FAIL(); });
}

// Reading the list again must not show a checkpoint that was passed over: the driver would log it as
// committed a second time.
TEST(SetAsideTest, CheckpointsThatWerePassedOverAreRenamed) {
  const testing::ScratchDirectory scratch;
  const fs::path checkpoints = scratch / "checkpoints";
  for (const std::int64_t step : {10, 20, 30})
    fs::create_directories(checkpoints / checkpoint::step_name(step));
  fs::create_directories(checkpoints / "passed-over-step-00000030");  // of an earlier fault
  std::vector<std::string> messages;
  set_aside_passed_over(checkpoints, 10,
                        [&](const std::string& message) { messages.push_back(message); });
  const checkpoint::Listing left = checkpoint::list(checkpoints);
  ASSERT_EQ(left.checkpoints.size(), 1U);
  EXPECT_EQ(left.checkpoints[0].step, 10);
  EXPECT_EQ(left.aside, (std::vector<fs::path>{checkpoints / "passed-over-step-00000020",
                                               checkpoints / "passed-over-step-00000030",
                                               checkpoints / "passed-over-step-00000030-2"}));
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_THAT(messages[0], HasSubstr("is set aside as passed-over-step-00000030-2"));
}

TEST(SetAsideTest, WhatCannotBeRenamedStaysAndIsSaid) {
  const testing::ScratchDirectory scratch;
  const fs::path checkpoints = scratch / "checkpoints";
  const fs::path stays = checkpoints / checkpoint::step_name(20);
  fs::create_directories(stays);
  if (::mount("tmpfs", stays.c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "mounting needs root";
  std::string said;
  set_aside_passed_over(checkpoints, 10, [&](const std::string& message) { said += message; });
  ASSERT_EQ(::umount(stays.c_str()), 0);
  EXPECT_THAT(said, HasSubstr("cannot be renamed (Device or resource busy); it stays"));
  EXPECT_TRUE(fs::exists(stays));
}

TEST(SetAsideTest, AResumeSetsADamagedCheckpointAside) {
  testing::Laboratory laboratory;
  const testing::Settings settings{"model.num_layers=1", "model.hidden_size=16",
                                   "train.train_iters=8", "model.num_attention_heads=4",
                                   "checkpoint.interval=2"};
  const testing::Outcome begun = laboratory.run(settings, {.most_steps = 4});
  fs::resize_file(begun.checkpoints / "step-00000004" / "shard-00000-of-00001.safetensors", 200);
  std::string said;
  const testing::Outcome outcome =
      laboratory.run(settings, {.on_message = [&](const std::string& line) { said += line + "\n"; },
                                .again = begun.checkpoints});
  EXPECT_THAT(said, HasSubstr("checkpoint passed over: "));
  EXPECT_THAT(said, HasSubstr("is set aside as passed-over-step-00000004"));
  EXPECT_THAT(said, HasSubstr("at step 2"));
  EXPECT_TRUE(fs::exists(begun.checkpoints / "passed-over-step-00000004" / "manifest.json"));
  EXPECT_EQ(testing::first_difference(outcome.tensors, laboratory.run(settings).tensors), "");
}

}  // namespace
}  // namespace megascale::train
