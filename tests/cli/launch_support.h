#ifndef MEGASCALE_TESTS_CLI_LAUNCH_SUPPORT_H_
#define MEGASCALE_TESTS_CLI_LAUNCH_SUPPORT_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/workspace.h"

// Jobs whose ranks are processes of the real binary.
namespace megascale::testing {

using Settings = std::vector<std::string>;

inline const Settings kFourRanks{"parallel.world_size=4", "parallel.tensor_model_parallel_size=2",
                                 "parallel.zero_stage=2", "train.eval_interval=5",
                                 "train.eval_iters=1"};
inline Settings four_ranks(const Settings& more = {}) {
  Settings all = kFourRanks;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
// For runs that are interrupted: they have no end, so they are not over before.
inline const Settings kLong{"train.train_iters=1000000", "train.log_interval=100",
                            "train.eval_interval=0", "checkpoint.interval=20",
                            "checkpoint.keep_last=3"};

inline const Settings kEndless{"train.train_iters=1000000", "train.log_interval=10"};

inline bool has_said(Process& process, const char* text) {
  return process.wait_until([&] { return process.err().find(text) != std::string::npos; });
}
// A signal has stopped the run; it has saved and has said so.
inline void expect_saved(const Finished& finished, const std::filesystem::path& run,
                         const char* said = "stopping after this step to save a checkpoint") {
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_TRUE(finished.json().at("interrupted")) << finished;
  EXPECT_TRUE(checkpoint_of(run, finished.json().at("steps_done")).is_object()) << finished;
  EXPECT_THAT(finished.err, ::testing::HasSubstr(said));
  EXPECT_THAT(finished.err, ::testing::HasSubstr("saved in " + (run / "checkpoints").string()));
}

inline std::vector<std::string> with(std::vector<std::string> arguments, const std::string& more) {
  arguments.push_back(more);
  return arguments;
}

// Processes that train in this directory, by rank, which the launcher's variable says; -1: the one
// that has started the others.
inline std::map<int, pid_t> processes_of(const std::filesystem::path& run_dir,
                                         const std::string& variable = "RANK") {
  std::map<int, pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::istringstream words(read(entry.path() / "cmdline"));
    bool ours = false;
    for (std::string word; std::getline(words, word, '\0');)
      ours = ours || word == "train.run_dir=" + run_dir.string();
    if (!ours) continue;
    int rank = -1;
    std::istringstream variables(read(entry.path() / "environ"));
    for (std::string one; std::getline(variables, one, '\0');) {
      if (one.starts_with(variable + "=")) rank = std::stoi(one.substr(variable.size() + 1));
    }
    found[rank] = std::stoi(name);
  }
  return found;
}

// Both have trained `steps` steps to the same bits.
inline void expect_same_run(const std::filesystem::path& got, const std::filesystem::path& want,
                            std::int64_t steps) {
  EXPECT_EQ(history_of(got).size(), static_cast<std::size_t>(steps));
  EXPECT_EQ(history_of(got), history_of(want));
  const auto checkpoint = checkpoint_of(got, steps);
  ASSERT_TRUE(checkpoint.is_object());
  EXPECT_GT(checkpoint.at("tensors").size(), 10U);
  EXPECT_EQ(checkpoint, checkpoint_of(want, steps));
}

class LaunchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Finished probe = megascale({"bench", "collectives", "--transport", "ucx", "--ranks", "2",
                                      "--sizes", "4", "--batches", "1"});
    if (probe.err.find("built without UCX") != std::string::npos)
      GTEST_SKIP() << "built without UCX";
  }
  const Workspace space;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CLI_LAUNCH_SUPPORT_H_
