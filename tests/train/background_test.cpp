// Checkpoints that are written beside the next steps: the bits of the run are those of one that
// stands still meanwhile, a storage that hangs delays no step, and a save that fails costs nothing
// but itself.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <optional>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "support/watchdog.h"
#include "train/training.h"

namespace megascale::testing {
namespace {

using checkpoint::Action;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

Settings four_threads(const Settings& more = {}) {
  Settings all{"model.num_layers=2",          "model.hidden_size=16",
               "model.num_attention_heads=4", "train.micro_batch_size=1",
               "parallel.world_size=4",       "parallel.pipeline_model_parallel_size=2",
               "parallel.zero_stage=1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The steps of the checkpoints that are there, the newest first.
std::vector<std::int64_t> saved_steps(const std::filesystem::path& checkpoints) {
  std::vector<std::int64_t> steps;
  for (const auto& entry : checkpoint::list(checkpoints).checkpoints) steps.push_back(entry.step);
  return steps;
}

// A storage that hangs until open(). Writers wait in through().
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // Fails the test, and goes on, if nobody opens the gate.
  void through() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 60s, [&] { return open_; })) << "the gate stays shut";
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

class Messages {
 public:
  std::function<void(const std::string&)> adder() {
    return [this](const std::string& message) { text_ += message + "\n"; };
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t count(const std::string& part) const {
    std::size_t found = 0;
    for (std::size_t at = text_.find(part); at != std::string::npos; at = text_.find(part, at + 1))
      ++found;
    return found;
  }

 private:
  std::string text_;
};

bool is_write_of(Action action, const std::filesystem::path& path, std::int64_t step) {
  return action == Action::write &&
         path.string().find(fmt::format("partial-step-{:08}", step)) != std::string::npos;
}

TEST(BackgroundCheckpointTest, HasTheBitsOfARunThatStandsStill) {
  const Watchdog watchdog("runs that save", 120s);
  Laboratory laboratory;
  for (const Settings& layout :
       {Settings{"parallel.world_size=1", "parallel.pipeline_model_parallel_size=1"},
        Settings{"parallel.world_size=2", "parallel.pipeline_model_parallel_size=1"},
        Settings{"parallel.world_size=8", "parallel.tensor_model_parallel_size=2"}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(layout, " ")));
    Settings beside = four_threads(layout), still = beside;
    beside.emplace_back("checkpoint.interval=2");
    still.insert(still.end(), {"checkpoint.interval=2", "checkpoint.background=false"});
    // The writers are slow, so that steps really run beside them.
    const auto slow = [](std::uint32_t, Action action, const std::filesystem::path&) {
      if (action == Action::write) std::this_thread::sleep_for(1ms);
    };
    const Outcome want = laboratory.run(still),
                  got = laboratory.run(beside, {.before_storage = slow});
    EXPECT_EQ(first_difference(got, want), "");
    EXPECT_EQ(got.state.step, want.state.step);
    // A checkpoint that both have holds the same. One that had to wait for the writers is of a later
    // step.
    const auto steps = saved_steps(want.checkpoints);
    for (const std::int64_t step : saved_steps(got.checkpoints)) {
      if (std::find(steps.begin(), steps.end(), step) == steps.end()) continue;
      const auto name = fmt::format("step-{:08}", step);
      EXPECT_EQ(first_difference(read_tensors(checkpoint::Opened(got.checkpoints / name)),
                                 read_tensors(checkpoint::Opened(want.checkpoints / name))),
                "")
          << name;
    }
    EXPECT_THAT(steps, ElementsAre(8, 6, 4, 2));
    EXPECT_EQ(checkpoint::open_path(got.checkpoints).manifest().epoch, 1);
  }
}

// One rank's storage hangs until three more steps are done: those steps do not wait for it. The
// checkpoint that is due meanwhile is taken after the first step without a busy writer.
TEST(BackgroundCheckpointTest, AStorageThatHangsDelaysNoStep) {
  const Watchdog watchdog("a storage that hangs", 120s);
  Laboratory laboratory;
  Gate gate;
  Messages messages;
  std::atomic<std::int64_t> stalls{0};
  const Outcome outcome = laboratory.run(
      four_threads({"checkpoint.interval=2"}),
      {.before_storage =
           [&](std::uint32_t rank, Action action, const std::filesystem::path& path) {
             if (rank == 2 && is_write_of(action, path, 2)) gate.through();
           },
       .on_step =
           [&](const train::StepMetrics& metrics) {
             if (metrics.checkpoint_stall_seconds) ++stalls;
             if (metrics.step == 5) gate.open();
           },
       .on_message = messages.adder()});
  const auto steps = saved_steps(outcome.checkpoints);
  ASSERT_GE(steps.size(), 2U);
  EXPECT_EQ(steps.front(), 8);
  EXPECT_EQ(steps.back(), 2);
  for (const std::int64_t step : steps) EXPECT_NE(step, 4) << "taken beside the one before";
  EXPECT_EQ(messages.count("still writing the one before"), 1U) << messages.text();
  EXPECT_EQ(messages.count("written in "), steps.size()) << messages.text();
  EXPECT_EQ(stalls, static_cast<std::int64_t>(steps.size()) - 1) << "all but the last";
}

TEST(BackgroundCheckpointTest, AWriterThatFailsCostsItsCheckpointOnly) {
  const Watchdog watchdog("a writer that fails", 120s);
  Laboratory laboratory;
  Messages messages;
  const std::filesystem::path checkpoints = laboratory.next_checkpoints();
  const Outcome outcome = laboratory.run(
      four_threads({"checkpoint.interval=4"}),
      {.before_storage =
           [&](std::uint32_t rank, Action action, const std::filesystem::path& path) {
             if (rank == 3 && is_write_of(action, path, 4))
               throw Error(ErrorCode::io, "the disk of this test is broken");
           },
       .on_message = messages.adder()});
  EXPECT_THAT(
      messages.text(),
      HasSubstr("checkpoint of step 4 not saved, training goes on: rank 3: the disk of this "
                "test is broken"));
  EXPECT_THAT(saved_steps(checkpoints), ElementsAre(8));
  EXPECT_TRUE(checkpoint::list(checkpoints).leftovers.empty());
  EXPECT_EQ(first_difference(outcome, laboratory.run(four_threads())), "");
}

TEST(BackgroundCheckpointTest, TheLastOneThatFailsFailsTheRun) {
  const Watchdog watchdog("a last writer that fails", 120s);
  Laboratory laboratory;
  const std::filesystem::path checkpoints = laboratory.next_checkpoints();
  try {
    laboratory.run(four_threads({"checkpoint.interval=5"}),
                   {.before_storage = [&](std::uint32_t rank, Action action,
                                          const std::filesystem::path& path) {
                     if (rank == 1 && is_write_of(action, path, 8))
                       throw Error(ErrorCode::io, "the disk of this test is broken");
                   }});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("rank 1: the disk of this test is broken"));
  }
  EXPECT_THAT(saved_steps(checkpoints), ElementsAre(5));
}

// The run is asked to stop while a checkpoint is being written: both that one and the one of the
// last step are there.
TEST(BackgroundCheckpointTest, AStopWaitsForTheOneUnderWay) {
  const Watchdog watchdog("a run that stops", 120s);
  Laboratory laboratory;
  Gate gate;
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> steps{0};
  const Outcome outcome = laboratory.run(
      four_threads({"checkpoint.interval=2"}),
      {.before_task =
           [&](std::uint32_t rank, std::uint32_t task) {
             if (rank == 0 && task == 0 && ++steps == 4) gate.open();
           },
       .before_storage =
           [&](std::uint32_t rank, Action action, const std::filesystem::path& path) {
             if (rank == 1 && is_write_of(action, path, 2)) {
               gate.through();
               std::this_thread::sleep_for(50ms);  // the loop waits, or saves too early
             }
           },
       .on_step =
           [&](const train::StepMetrics& metrics) {
             if (metrics.step == 3) stop = true;
           },
       .stop = &stop});
  EXPECT_THAT(saved_steps(outcome.checkpoints), ElementsAre(4, 2));
  EXPECT_EQ(outcome.state.step, 4);
}

// A rank dies at a task while checkpoints are being written: the job ends with that rank's error.
// One storage hangs until then.
TEST(BackgroundCheckpointTest, ARankThatFailsEndsTheWriters) {
  const Watchdog watchdog("writers without a rank", 120s);
  Laboratory laboratory;
  Gate gate;
  std::atomic<std::int64_t> steps{0};
  const std::filesystem::path checkpoints = laboratory.next_checkpoints();
  try {
    laboratory.run(four_threads({"checkpoint.interval=2"}),
                   {.before_task =
                        [&](std::uint32_t rank, std::uint32_t task) {
                          if (rank != 2 || task != 0 || ++steps != 4) return;
                          gate.open();
                          throw Error(ErrorCode::out_of_memory, "the memory of this test is full");
                        },
                    .before_storage =
                        [&](std::uint32_t rank, Action action, const std::filesystem::path& path) {
                          if (rank == 0 && is_write_of(action, path, 2)) gate.through();
                        }});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.message();
    EXPECT_THAT(error.message(), HasSubstr("the memory of this test is full"));
  }
  for (const std::int64_t step : saved_steps(checkpoints)) EXPECT_EQ(step, 2);
}

// Another run takes the directory while a checkpoint is being written: it is not committed, and the
// run ends.
TEST(BackgroundCheckpointTest, IsNotCommittedToTheDirectoryOfAnotherRun) {
  const Watchdog watchdog("a run without a directory", 120s);
  Laboratory laboratory;
  Gate gate;
  const std::filesystem::path checkpoints = laboratory.next_checkpoints(),
                              owner = checkpoints.parent_path() / ".owner";
  try {
    laboratory.run(four_threads({"checkpoint.interval=2", "train.train_iters=200"}),
                   {.before_storage =
                        [&](std::uint32_t rank, Action action, const std::filesystem::path& path) {
                          if (rank == 3 && is_write_of(action, path, 2)) gate.through();
                        },
                    .on_step =
                        [&](const train::StepMetrics& metrics) {
                          if (metrics.step != 4) return;
                          write_text_atomically(owner,
                                                R"({"host":"other","process":17,"epoch":5})");
                          gate.open();
                        }});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("another owner: host other, process 17, epoch 5"));
  }
  EXPECT_TRUE(saved_steps(checkpoints).empty());
}

// At the automatic rate a checkpoint lasts for about three quarters of the interval, and at a rate that is
// far too low for the whole run: the last one hurries.
TEST(BackgroundCheckpointTest, TheEndOfARunDoesNotWaitForASlowPace) {
  const Watchdog watchdog("a slow pace", 120s);
  Laboratory laboratory;
  const Outcome outcome =
      laboratory.run(four_threads({"checkpoint.interval=2", "checkpoint.max_rate=0.5"}));
  EXPECT_THAT(saved_steps(outcome.checkpoints), ElementsAre(8, 2));
}

TEST(VotesTest, TheCountsOfAllRanksFitIntoOneSum) {
  for (const std::int64_t stop : {std::int64_t{0}, std::int64_t{1}, Votes::kMostRanks}) {
    for (const std::int64_t busy : {std::int64_t{0}, std::int64_t{1}, Votes::kMostRanks}) {
      const Votes votes = Votes::of(Votes{.stop = stop, .busy = busy}.sum());
      EXPECT_EQ(votes.stop, stop);
      EXPECT_EQ(votes.busy, busy);
    }
  }
  double sum = 0;
  for (int rank = 0; rank < 1000; ++rank)
    sum += Votes{.stop = rank % 2, .busy = rank % 5 == 0}.sum();
  EXPECT_EQ(Votes::of(sum).stop, 500);
  EXPECT_EQ(Votes::of(sum).busy, 200);
}

}  // namespace
}  // namespace megascale::testing
