// Epochs of attempts: a process of an earlier attempt that goes on cannot commit, whatever it was
// doing; a checkpoint of an epoch that no executor has recorded is not used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "megascale/base/error.h"
#include "megascale/checkpoint/save.h"
#include "megascale/train/epoch_record.h"
#include "megascale/train/run_files.h"
#include "support/scratch_directory.h"

namespace megascale::train {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScratchDirectory;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

class FenceTest : public ::testing::Test {
 protected:
  FenceTest() { config_.train.run_dir = (scratch_ / "run").string(); }
  // The owner of the directory in this attempt; as in another process, whose lock stays.
  std::unique_ptr<RunFiles> owner(std::int64_t attempt) {
    return std::make_unique<RunFiles>(
        config_, [this](const std::string& line) { said_ += line + "\n"; }, attempt);
  }
  [[nodiscard]] std::filesystem::path checkpoints() const { return checkpoint_directory(config_); }
  checkpoint::SaveOptions options(std::int64_t epoch) const {
    return {.attempt = checkpoint::AttemptMark{.record = record_, .epoch = epoch}};
  }
  [[nodiscard]] std::vector<checkpoint::Piece> pieces() const {
    return {checkpoint::whole_piece("t", DType::float32, {4}, std::as_bytes(std::span(values_)))};
  }

  ScratchDirectory scratch_;
  Config config_;
  std::string said_, record_ = std::string(32, 'd');
  std::vector<float> values_ = std::vector<float>(4, 1.5F);
};

TEST_F(FenceTest, ASaveOfAnEarlierAttemptThatGoesOnCannotCommit) {
  const auto stale = owner(1);
  checkpoint::PendingSave pending = checkpoint::begin_save(checkpoints(), 5, 16, options(1));
  const auto shards = checkpoint::write_shards(pending, pieces(), options(1));
  EXPECT_GT(stale->require_owner(), 0);  // the last question before the commit
  const auto next = owner(2);
  EXPECT_THAT(said_, AllOf(HasSubstr("taken over from an earlier attempt"), HasSubstr("attempt 1"),
                           HasSubstr("removed " + pending.partial.string())));
  const std::string refused =
      message_of([&] { (void)checkpoint::commit_save(pending, {.step = 5}, shards, options(1)); });
  EXPECT_THAT(refused, HasSubstr("No such file"));
  EXPECT_TRUE(checkpoint::list(checkpoints()).checkpoints.empty());
  EXPECT_THAT(message_of([&] { (void)stale->require_owner(); }), HasSubstr("attempt 2"));
  // The lock of the stale save does not stop the new attempt.
  checkpoint::save(checkpoints(), {.step = 6}, pieces(), options(2));
  EXPECT_EQ(checkpoint::open_newest(checkpoints())->manifest().attempt, options(2).attempt);
}

TEST_F(FenceTest, OnlyALaterAttemptTakesOver) {
  const auto first = owner(2);
  EXPECT_THAT(message_of([&] { (void)owner(2); }), HasSubstr("in use by"));
  EXPECT_NO_THROW(owner(3));
}

TEST_F(FenceTest, ARunWithoutADriverKeepsItsDirectory) {
  const auto first = owner(0);
  EXPECT_THAT(message_of([&] { (void)owner(9); }), HasSubstr("in use by"));
}

TEST_F(FenceTest, OnlyEpochsThatWereRecordedAreUsed) {
  const RunDirectory run(config_.train.run_dir);
  EXPECT_FALSE(EpochRecord(run).mark(1)) << "no record";
  EpochRecord::add(run, 1);
  EpochRecord::add(run, 3);
  std::ofstream(run.control() / "epochs", std::ios::app) << "epoch 4";  // torn
  EXPECT_THAT(message_of([&] { (void)EpochRecord(run).mark(4); }), HasSubstr("the epoch 4"));
  EpochRecord::add(run, 5);
  const EpochRecord record(run);
  record_ = record.mark(5)->record;
  EXPECT_EQ(record_.size(), 32U);
  EXPECT_EQ(record.mark(1)->record, record_);
  const checkpoint::Accept accept = [&](const auto& manifest, const auto& path) {
    record.require(manifest, path);
  };
  checkpoint::save(checkpoints(), {.step = 1}, pieces(), options(3));
  checkpoint::save(checkpoints(), {.step = 2}, pieces(), options(2));
  std::string passed;
  const auto opened = checkpoint::open_newest(
      checkpoints(), [&](const Error& error) { passed += error.message(); },
      checkpoint::Check::everything, accept);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->state().step, 1);
  EXPECT_THAT(passed, AllOf(HasSubstr("step-00000002"), HasSubstr("found epoch 2")));
  // Of another record, or of none, it is as good as one of a run without a driver.
  record_ = std::string(32, 'a');
  checkpoint::save(checkpoints(), {.step = 3}, pieces(), options(9));
  checkpoint::save(checkpoints(), {.step = 4}, pieces());
  for (const std::int64_t step : {4, 3}) {
    const auto good =
        checkpoint::open_newest(checkpoints(), {}, checkpoint::Check::everything, accept);
    EXPECT_EQ(good->state().step, step);
    std::filesystem::remove_all(good->path());
  }
}

}  // namespace
}  // namespace megascale::train
