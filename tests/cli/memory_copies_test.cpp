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
const Settings kCopied{"train.train_iters=1600", "train.log_interval=1000", "model.num_layers=1",
                       "model.hidden_size=128", "checkpoint.memory_interval=1"};

// The directory of copies that the run has named.
std::filesystem::path copies_in(const std::string& log) {
  const std::string before = "copies of the state every 1 steps in ";
  const std::size_t at = log.find(before);
  if (at == std::string::npos) return {};
  return log.substr(at + before.size(), log.find('\n', at) - at - before.size());
}

// Three copies beside the snapshot count in what a job needs.
TEST(MemoryEstimate, CountsCopiesInMemory) {
  const Workspace space;
  auto words = space.arguments("plan", "run", {"checkpoint.memory_interval=5"});
  const Finished with = megascale(words);
  ASSERT_EQ(with.exit_code, 0) << with;
  const auto number_after = [&](const std::string& word) {
    const std::size_t at = with.out.find("\n  " + word + " ");
    return at == std::string::npos ? 0 : std::stoll(with.out.substr(at + 3 + word.size()));
  };
  EXPECT_GT(number_after("snapshot"), 0) << with;
  EXPECT_EQ(number_after("copies"), 3 * number_after("snapshot")) << with;
  EXPECT_THAT(megascale(space.arguments("plan", "run", {})).out,
              ::testing::Not(HasSubstr("checkpoint.memory_interval")));
}

// Kills a run as often as `kills` says, each time a while after it has made its first copy, and then
// lets it end.
void kill_and_go_on(const Workspace& space, const std::vector<std::string>& words, int kills,
                    std::uint64_t seed) {
  const PhiloxStream random(seed, "kills");
  std::filesystem::path copies;
  for (int kill = 0; kill < kills; ++kill) {
    Process process(words);
    ASSERT_TRUE(process.wait_until([&] { return !copies_in(process.err()).empty(); }));
    copies = copies_in(process.err());
    const auto has_copy = [&] {
      for (const auto& entry : std::filesystem::directory_iterator(copies)) {
        if (entry.path().filename().string().starts_with("step-")) return true;
      }
      return false;
    };
    ASSERT_TRUE(process.wait_until([&] {
      try {
        return has_copy();
      } catch (const std::filesystem::filesystem_error&) {  // it changes meanwhile
        return false;
      }
    }));
    const auto wait_ms = random.bits(static_cast<std::uint64_t>(kill)) % 60;
    process.wait_until([] { return false; }, static_cast<double>(wait_ms) * 1e-3);
    for (const auto& [rank, id] : processes_of(space / "run")) ::kill(id, SIGKILL);
    process.send(SIGKILL);
    process.wait();
    if (kill > 0) {
      EXPECT_THAT(process.err(), HasSubstr("resuming from " + copies.string()));
    }
  }
  const Finished last = megascale(words);
  EXPECT_EQ(last.exit_code, 0) << last;
  EXPECT_THAT(last.err, HasSubstr("resuming from " + copies.string()));
  EXPECT_FALSE(std::filesystem::exists(copies)) << "removed at the end";
  expect_same_run(space / "run", space / "straight", 1600);
}

TEST(KilledWithCopies, GoesOnFromMemory) {
  const Workspace space;
  Settings straight = kCopied;
  straight.emplace_back("checkpoint.memory_interval=0");
  ASSERT_EQ(space.train("straight", straight).exit_code, 0);
  kill_and_go_on(space, space.arguments("train", "run", kCopied), 4, 11);
}

TEST_F(LaunchTest, KilledProcessesGoOnFromMemory) {
  Settings settings = kCopied;
  settings.insert(settings.end(), {"parallel.world_size=2", "parallel.zero_stage=1"});
  Settings straight = settings;
  straight.emplace_back("checkpoint.memory_interval=0");
  ASSERT_EQ(space.train("straight", straight).exit_code, 0);
  kill_and_go_on(space, with(space.arguments("train", "run", settings), "--processes"), 2, 12);
}

}  // namespace
}  // namespace megascale::testing
