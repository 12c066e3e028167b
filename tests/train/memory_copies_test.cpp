// Copies of the state in memory: a run that dies goes on from the newest good one to the bits of an
// uninterrupted run, whatever has happened to the copies; nobody else's are touched; none are left.
#include "megascale/train/memory_copies.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <map>
#include <thread>

#include "megascale/train/directory_owner.h"
#include "support/watchdog.h"
#include "train/training.h"

namespace megascale::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

Settings copied(const Settings& more = {}) {
  Settings all{"model.num_layers=2",
               "model.hidden_size=16",
               "model.num_attention_heads=4",
               "train.micro_batch_size=1",
               "train.train_iters=8",
               "parallel.world_size=4",
               "parallel.tensor_model_parallel_size=2",
               "checkpoint.memory_interval=1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

struct Said {
  std::function<void(const std::string&)> adder() {
    return [this](const std::string& message) { text += message + "\n"; };
  }
  std::string text;
};

class MemoryCopiesTest : public ::testing::Test {
 protected:
  // A run that dies at the start of a step: after `steps` steps, once a copy is there.
  fs::path die(const Settings& settings, std::int64_t steps) {
    const fs::path checkpoints = laboratory_.next_checkpoints();
    std::atomic<std::int64_t> begun{0};
    EXPECT_THROW(laboratory_.run(settings,
                                 {.before_task =
                                      [&](std::uint32_t rank, std::uint32_t task) {
                                        if (rank != 1 || task != 0) return;
                                        // Only so that a copy is there; steps may be faster than copies.
                                        while (begun >= 2 && newest_copy().empty())
                                          std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                        if (++begun > steps)
                                          throw Error(ErrorCode::failed, "this test ends the run");
                                      }}),
                 Error);
    return checkpoints;
  }
  // The only directory of copies; empty if there is none.
  [[nodiscard]] fs::path copies() const {
    const fs::directory_iterator it(laboratory_.memory_root());
    return it == fs::directory_iterator() ? fs::path() : it->path();
  }
  [[nodiscard]] fs::path newest_copy() const {
    const fs::path directory = copies();
    if (directory.empty()) return {};
    const auto entries = checkpoint::list(directory).checkpoints;
    return entries.empty() ? fs::path() : entries.front().path;
  }
  // The run goes on to the end, says all of `parts`, has the bits of a straight run, and leaves no
  // copies.
  void expect_to_go_on(const fs::path& checkpoints, const Settings& settings,
                       const std::vector<std::string>& parts) {
    Said said;
    const Outcome outcome =
        laboratory_.run(settings, {.on_message = said.adder(), .again = checkpoints});
    for (const std::string& part : parts) EXPECT_THAT(said.text, HasSubstr(part));
    const Outcome straight = laboratory_.run(copied({"checkpoint.memory_interval=0"}));
    EXPECT_EQ(outcome.state.step, straight.state.step);
    EXPECT_EQ(first_difference(outcome.tensors, straight.tensors), "");
    EXPECT_TRUE(fs::is_empty(laboratory_.memory_root()));
  }
  Laboratory laboratory_;
  const Watchdog watchdog_{"a run with copies in memory"};
};

TEST_F(MemoryCopiesTest, ARunThatDiesGoesOnFromMemory) {
  const fs::path run = die(copied(), 5);
  EXPECT_FALSE(fs::exists(run / "step-00000001")) << "nothing is on the disk";
  const fs::path copy = newest_copy();
  ASSERT_FALSE(copy.empty());
  expect_to_go_on(run, copied(), {"resuming from " + copy.string()});
}

// The copy after step N is whole before step N + 1 counts as done, however slow copies are beside steps.
TEST_F(MemoryCopiesTest, AtMostOneIntervalIsLost) {
  for (const int interval : {1, 2}) {
    SCOPED_TRACE(interval);
    const Settings settings =
        copied({"checkpoint.memory_interval=" + std::to_string(interval), "train.eval_interval=0"});
    const fs::path run = die(settings, 5);
    EXPECT_GE(checkpoint::list(copies()).checkpoints.front().step, 4);
    expect_to_go_on(run, settings, {"resuming from "});
  }
}

TEST_F(MemoryCopiesTest, EveryStepThatIsDueHasOneAndItsStall) {
  for (const std::int64_t interval : {1, 3}) {
    SCOPED_TRACE(interval);
    std::map<std::int64_t, double> stalls;
    laboratory_.run(copied({"checkpoint.memory_interval=" + std::to_string(interval)}),
                    {.on_step = [&](const train::StepMetrics& metrics) {
                      if (metrics.checkpoint_stall_seconds)
                        stalls[metrics.step] = *metrics.checkpoint_stall_seconds;
                    }});
    for (std::int64_t step = 1; step < 8; ++step) {
      if (step % interval == 0) {
        EXPECT_GT(stalls[step], 0) << step;
      }
    }
    EXPECT_FALSE(stalls.contains(8)) << "the last step is saved while training stands still";
    if (interval == 3) {
      EXPECT_FALSE(stalls.contains(2) || stalls.contains(5)) << "no copy, and none under way";
    }
  }
}

// Another layout of ranks reads the same copy: here two instead of four ranks.
TEST_F(MemoryCopiesTest, AnotherLayoutReadsThem) {
  const fs::path run = die(copied(), 5);
  Said said;
  laboratory_.run(copied({"parallel.world_size=2"}), {.on_message = said.adder(), .again = run});
  EXPECT_THAT(said.text, HasSubstr("resuming from " + laboratory_.memory_root().string()));
}

TEST_F(MemoryCopiesTest, TheDiskIsTakenIfItIsNewer) {
  const Settings settings = copied({"checkpoint.interval=4", "checkpoint.background=false"});
  const fs::path run = die(settings, 7);
  ASSERT_TRUE(fs::exists(run / "step-00000004"));
  const fs::path copy = newest_copy();
  ASSERT_FALSE(copy.empty());
  fs::rename(copy, copy.parent_path() / ".old");  // as if the last copies had not been made
  expect_to_go_on(run, settings, {"resuming from " + (run / "step-00000004").string()});
}

struct Damage {
  const char* name;
  void (*apply)(const fs::path& copy);
  const char* said;
};
void PrintTo(const Damage& damage, std::ostream* stream) { *stream << damage.name; }

fs::path a_shard(const fs::path& copy) { return copy / "shard-00000-of-00004.safetensors"; }

class DamagedCopyTest : public MemoryCopiesTest, public ::testing::WithParamInterface<Damage> {};
INSTANTIATE_TEST_SUITE_P(
    All, DamagedCopyTest,
    ::testing::Values(
        Damage{"flipped_bit",
               [](const fs::path& copy) {
                 std::fstream file(a_shard(copy), std::ios::in | std::ios::out | std::ios::binary);
                 file.seekg(-100, std::ios::end);
                 const auto at = file.tellg();
                 const int byte = file.get();
                 file.seekp(at);
                 file.put(static_cast<char>(byte ^ 4));
               },
               "its bytes were changed"},
        Damage{"torn_header", [](const fs::path& copy) { fs::resize_file(a_shard(copy), 40); },
               "expected"},
        Damage{"missing_shard", [](const fs::path& copy) { fs::remove(a_shard(copy)); },
               "shard-00000"},
        Damage{"torn_manifest",
               [](const fs::path& copy) { fs::resize_file(copy / "manifest.json", 300); },
               "manifest.json"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// The disk has step 4; the copy of a later step is damaged.
TEST_P(DamagedCopyTest, IsFoundAndTheDiskIsTaken) {
  const Settings settings = copied({"checkpoint.interval=4", "checkpoint.background=false"});
  const fs::path run = die(settings, 7);
  const fs::path copy = newest_copy();
  ASSERT_FALSE(copy.empty());
  GetParam().apply(copy);
  expect_to_go_on(run, settings,
                  {"copy in memory passed over: ", GetParam().said,
                   "resuming from " + (run / "step-00000004").string()});
}

// A directory of the name that this run would use, which others may write to.
TEST_F(MemoryCopiesTest, ADirectoryThatOthersMayUseIsNotTaken) {
  const fs::path run = die(copied(), 3);
  const fs::path directory = copies();
  fs::permissions(directory, fs::perms::all);
  Said said;
  const Outcome outcome = laboratory_.run(copied(), {.on_message = said.adder(), .again = run});
  EXPECT_THAT(said.text, AllOf(HasSubstr("copies in memory passed over: " + directory.string()),
                               HasSubstr("no copies in memory: " + directory.string()),
                               Not(HasSubstr("resuming"))));
  EXPECT_EQ(outcome.losses.size(), 8U);
  EXPECT_TRUE(fs::exists(directory));
}

// Two runs, and a copy of the directory of the first one: all have copies of their own.
TEST_F(MemoryCopiesTest, AnotherRunsCopiesAreNotTouched) {
  const fs::path first = die(copied(), 3);
  const fs::path copy = newest_copy();
  laboratory_.run(copied());  // another directory
  EXPECT_TRUE(fs::exists(copy)) << "another run";
  const fs::path twin = laboratory_.new_checkpoints();
  fs::copy(first.parent_path(), twin.parent_path(), fs::copy_options::recursive);
  Said said;
  laboratory_.run(copied(), {.on_message = said.adder(), .again = twin});
  EXPECT_THAT(said.text, Not(HasSubstr("resuming")));
  EXPECT_TRUE(fs::exists(copy)) << "a copy of the directory";
}

// Copies of a run whose directory was deleted go when another run begins, but for those of a run that
// is alive.
TEST_F(MemoryCopiesTest, ThoseOfADeletedRunAreRemoved) {
  const fs::path run = die(copied(), 3);
  const fs::path orphans = copies();
  fs::remove_all(run.parent_path());
  const fs::path alive = laboratory_.memory_root() / "megascale-copies-alive";
  train::make_private_directory(alive);
  const FileHandle mark = train::mark_copies(alive, run.parent_path());
  const fs::path unknown = laboratory_.memory_root() / "megascale-copies-unknown";
  train::make_private_directory(unknown);
  Said said;
  laboratory_.run(copied({"checkpoint.memory_interval=0"}), {.on_message = said.adder()});
  EXPECT_THAT(said.text, HasSubstr("removing " + orphans.string()));
  EXPECT_FALSE(fs::exists(orphans));
  EXPECT_TRUE(fs::exists(alive));
  EXPECT_TRUE(fs::exists(unknown)) << "of a version that made no mark";
  fs::remove_all(alive);
  fs::remove_all(unknown);
}

// Runs without copies remove what a former process of the run has left, once its state is on the
// disk.
TEST_F(MemoryCopiesTest, ARunWithoutCopiesGoesOnFromTheOldOnesAndRemovesThem) {
  const fs::path run = die(copied(), 5);
  const fs::path copy = newest_copy();
  expect_to_go_on(run, copied({"checkpoint.memory_interval=0"}),
                  {"resuming from " + copy.string()});
}

TEST_F(MemoryCopiesTest, FullMemoryIsSaidAndOnlyTheDiskIsUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to mount a tmpfs";
  const fs::path root = laboratory_.memory_root();
  if (::mount("tmpfs", root.c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "cannot mount a tmpfs here";
  Said said;
  const Outcome outcome = laboratory_.run(copied(), {.on_message = said.adder()});
  ::umount2(root.c_str(), MNT_DETACH);
  EXPECT_THAT(said.text, AllOf(HasSubstr("copy in memory of step 1 not made, training goes on: "),
                               HasSubstr(" are free")));
  EXPECT_EQ(outcome.losses.size(), 8U);
  EXPECT_EQ(outcome.state.step, 8);
}

// The copies do not change bits, with checkpoints on the disk beside them and without.
TEST_F(MemoryCopiesTest, TheRunHasTheBitsOfOneWithout) {
  const Outcome without = laboratory_.run(copied({"checkpoint.memory_interval=0"}));
  for (const Settings& more : {Settings{}, Settings{"checkpoint.interval=2"}}) {
    EXPECT_EQ(first_difference(laboratory_.run(copied(more)), without), "");
  }
  EXPECT_TRUE(fs::is_empty(laboratory_.memory_root()));
}

TEST(DirectoryIdentityTest, BelongsToTheDirectory) {
  const ScratchDirectory scratch;
  fs::create_directory(scratch / "a");
  std::string first;
  {
    const train::DirectoryOwner owner(scratch / "a");
    first = owner.identity();
    EXPECT_EQ(first.size(), 16U);
  }
  fs::rename(scratch / "a", scratch / "b");
  EXPECT_EQ(train::DirectoryOwner(scratch / "b").identity(), first) << "renamed, next owner";
  fs::copy(scratch / "b", scratch / "c", fs::copy_options::recursive);
  EXPECT_NE(train::DirectoryOwner(scratch / "c").identity(), first) << "copied";
}

}  // namespace
}  // namespace megascale::testing
