// Goal: all processes of a run are killed at any moment, and the same command goes on from memory to
// the bits of a run that nobody killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "cli/launch_support.h"
#include "megascale/base/philox.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

// Nothing is on the disk before the end. The copies are large beside a step, so that many kills come
// while one is being written.
const Settings kCopied{"train.log_interval=1000", "optimizer.lr_decay_iters=300",
                       "model.num_layers=1", "model.hidden_size=128",
                       "checkpoint.memory_interval=1"};

// The directory of copies that the run has named.
std::filesystem::path copies_in(const std::string& log) {
  const std::string before = "copies of the state every 1 steps in ";
  const std::size_t at = log.find(before);
  if (at == std::string::npos) return {};
  return log.substr(at + before.size(), log.find('\n', at) - at - before.size());
}

// The number that `plan` prints behind a word; 0 if it does not print the word.
std::int64_t planned(const Workspace& space, const std::string& word, const Settings& set) {
  const Finished plan = megascale(space.arguments("plan", "run", set));
  EXPECT_EQ(plan.exit_code, 0) << plan;
  const std::size_t at = plan.out.find("\n  " + word + " ");
  return at == std::string::npos ? 0 : std::stoll(plan.out.substr(at + 3 + word.size()));
}

// Three copies beside the snapshot count in what a job needs.
TEST(MemoryEstimate, CountsCopiesInMemory) {
  const Workspace space;
  const Settings set{"checkpoint.memory_interval=5"};
  EXPECT_GT(planned(space, "snapshot", set), 0);
  EXPECT_EQ(planned(space, "copies", set), 3 * planned(space, "snapshot", set));
  EXPECT_EQ(planned(space, "copies", {}), 0);
}

// What the largest task writes: at least a weight of 128 x 512 and its moments.
TEST(MemoryEstimate, CountsCopiesOfTasksDoneTwice) {
  const Workspace space;
  EXPECT_GE(planned(space, "repeated tasks", {"model.hidden_size=128", "train.repeat_interval=8"}),
            3 * 128 * 512 * 4);
  EXPECT_EQ(planned(space, "repeated tasks", {}), 0);
}

// The step of the newest copy in a directory; -1 without one.
std::int64_t newest_copy(const std::filesystem::path& copies) {
  constexpr std::string_view kPrefix = "step-";
  std::int64_t newest = -1;
  std::error_code ignored;  // they change meanwhile
  for (const auto& entry : std::filesystem::directory_iterator(copies, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPrefix))
      newest = std::max<std::int64_t>(newest, std::stoll(name.substr(kPrefix.size())));
  }
  return newest;
}

// A run without an end that is killed, and goes on from its copies in memory.
class CopiedRun {
 public:
  CopiedRun(Settings set, bool processes) : set_(std::move(set)), processes_(processes) {}
  [[nodiscard]] std::vector<std::string> words(const char* run, std::int64_t steps,
                                               const char* more = "") const {
    Settings all = set_;
    all.push_back("train.train_iters=" + std::to_string(steps));
    if (*more != '\0') all.emplace_back(more);
    auto command = space.arguments("train", run, all);
    if (processes_) command.emplace_back("--processes");
    return command;
  }
  // Lets it make a new copy and some more steps.
  void go_on(Process& process, int milliseconds) {
    ASSERT_TRUE(process.wait_until([&] { return !copies_in(process.err()).empty(); }));
    if (!copies.empty()) {
      ASSERT_TRUE(has_said(process, ("resuming from " + copies.string()).c_str()));
    }
    copies = copies_in(process.err());
    const std::int64_t before = newest_copy(copies);
    ASSERT_TRUE(process.wait_until([&] { return newest_copy(copies) > before; }));
    process.wait_until([] { return false; }, milliseconds * 1e-3);
  }
  void kill(Process& process) const {
    for (const auto& [rank, id] : processes_of(space / "run")) ::kill(id, SIGKILL);
    process.send(SIGKILL);
    process.wait();
  }
  // The run has the bits of one of as many steps that was left alone and made no copies.
  void expect_bits_of_straight_run(std::int64_t steps) const {
    const Finished straight = megascale(words("straight", steps, "checkpoint.memory_interval=0"));
    ASSERT_EQ(straight.exit_code, 0) << straight;
    expect_same_run(space / "run", space / "straight", steps);
  }

  const Workspace space;
  std::filesystem::path copies;

 private:
  Settings set_;
  bool processes_;
};
constexpr std::int64_t kNoEnd = 1'000'000;

void kill_and_go_on(CopiedRun& run, int kills, std::uint64_t seed) {
  const PhiloxStream random(seed, "kills");
  for (int start = 0; start < kills; ++start) {
    Process process(run.words("run", kNoEnd));
    ASSERT_NO_FATAL_FAILURE(
        run.go_on(process, static_cast<int>(random.bits(static_cast<std::uint64_t>(start)) % 60)));
    run.kill(process);
  }
  Process last(run.words("run", kNoEnd));
  ASSERT_NO_FATAL_FAILURE(run.go_on(last, 0));
  last.send(SIGTERM);
  const Finished done = last.wait();
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_FALSE(std::filesystem::exists(run.copies)) << "removed at the end";
  run.expect_bits_of_straight_run(done.json().at("steps_done"));
}

TEST(KilledWithCopies, GoesOnFromMemory) {
  CopiedRun run(kCopied, /*processes=*/false);
  kill_and_go_on(run, 4, 11);
}

TEST_F(LaunchTest, KilledProcessesGoOnFromMemory) {
  Settings settings = kCopied;
  settings.insert(settings.end(), {"parallel.world_size=2", "parallel.zero_stage=1"});
  CopiedRun run(settings, /*processes=*/true);
  kill_and_go_on(run, 2, 12);
}

// Nothing else has that state: it must come to the disk, also if no step is left to do.
TEST(KilledWithCopies, AStateInMemoryIsSavedBeforeTheRunEnds) {
  CopiedRun run(kCopied, /*processes=*/false);
  Process process(run.words("run", kNoEnd));
  ASSERT_NO_FATAL_FAILURE(run.go_on(process, 20));
  run.kill(process);
  const std::int64_t steps = newest_copy(run.copies);
  const Finished done = megascale(run.words("run", steps));
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_EQ(done.json().at("steps_done"), steps) << done;
  EXPECT_FALSE(std::filesystem::exists(run.copies));
  EXPECT_TRUE(checkpoint_of(run.space / "run", steps).is_object()) << done;
  const Finished again = megascale(run.words("run", steps));
  EXPECT_THAT(again.err, HasSubstr("nothing to do")) << again;
  run.expect_bits_of_straight_run(steps);
}

}  // namespace
}  // namespace megascale::testing
