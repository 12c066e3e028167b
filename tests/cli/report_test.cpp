// Goal: report, top and compare tell the truth about a training that goes on, has ended or was killed.
// Method: trainings of two ranks; their numbers are compared with metrics.jsonl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ReportCommandTest : public ::testing::Test {
 protected:
  [[nodiscard]] json report(const std::string& command, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{command, (space_ / "run").string(), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = megascale(words);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    text_ = finished.out;
    return finished.json();
  }
  Workspace space_;
  mutable std::string text_;
};

const std::vector<std::string> kTwoRanks{"parallel.world_size=2", "train.train_iters=12"};

TEST_F(ReportCommandTest, AFinishedRun) {
  ASSERT_EQ(space_.train("run", kTwoRanks).exit_code, 0);
  const auto page = space_ / "report.html";
  const json found = report("report", {"--html", page.string()});
  EXPECT_EQ(found.at("state"), "complete");
  EXPECT_EQ(found.at("steps_done"), 12);
  const auto metrics = metrics_of(space_ / "run");
  EXPECT_EQ(found.at("newest").at("loss"), metrics.back().at("loss"));
  EXPECT_EQ(found.at("job").at("memory_bytes").at(0).at("arena"),
            metrics.back().at("memory_bytes"));
  ASSERT_EQ(found.at("records").at("ranks").size(), 2U);
  const json& times = found.at("records").at("times");
  const double parts =
      times.at("compute_seconds").get<double>() + times.at("exposed_comm_seconds").get<double>() +
      times.at("bubble_seconds").get<double>() + times.at("data_wait_seconds").get<double>() +
      times.at("other_seconds").get<double>();
  // Medians of parts need not add up to the median of the whole.
  EXPECT_NEAR(parts, times.at("step_seconds").get<double>(),
              times.at("step_seconds").get<double>());
  for (const char* shown : {"step 12 of 12, complete", "computation", "op kinds that take longest",
                            "slow ranks", "memory of a rank"})
    EXPECT_THAT(text_, HasSubstr(shown));
  EXPECT_THAT(read(page), HasSubstr("<svg"));
}

TEST_F(ReportCommandTest, ARunThatGoesOnThenWasKilled) {
  Process training(
      space_.arguments("train", "run", {"parallel.world_size=2", "train.train_iters=1000000"}));
  ASSERT_TRUE(training.wait_until([&] {
    return std::filesystem::exists(space_ / "run/metrics.jsonl") &&
           metrics_of(space_ / "run").size() > 10;
  })) << training.err();
  json found = report("top", {"--once"});
  EXPECT_EQ(found.at("state"), "running");
  EXPECT_GT(found.at("seconds_left"), 0);
  EXPECT_THAT(text_, HasSubstr("running; last step"));
  EXPECT_THAT(text_, HasSubstr("rank 1"));
  // Without a terminal there is one block for each refresh.
  Process top({"top", (space_ / "run").string(), "--seconds", "0.1"});
  EXPECT_TRUE(top.wait_until([&] {
    const std::size_t first = top.out().find("running");
    return first != std::string::npos && top.out().find("running", first + 1) != std::string::npos;
  })) << top.out();
  EXPECT_EQ(top.out().find('\x1b'), std::string::npos);
  training.send(SIGKILL);
  (void)training.wait();
  const Finished ended = top.wait();  // it ends with the run
  EXPECT_EQ(ended.exit_code, 0) << ended;
  EXPECT_THAT(ended.out, HasSubstr("ended before its last step"));
  found = report("report");
  EXPECT_EQ(found.at("state"), "stopped");
}

TEST_F(ReportCommandTest, CompareFindsTheFirstDifference) {
  ASSERT_EQ(space_.train("run", kTwoRanks).exit_code, 0);
  ASSERT_EQ(space_.train("same", kTwoRanks).exit_code, 0);
  auto other = kTwoRanks;
  other.emplace_back("optimizer.lr=0.002");
  ASSERT_EQ(space_.train("other", other).exit_code, 0);
  const json same = report("compare", {(space_ / "same").string()});
  EXPECT_EQ(same.at("keys"), json::array());
  EXPECT_EQ(same.at("common_steps"), 12);
  EXPECT_FALSE(same.contains("first_different_loss"));
  EXPECT_THAT(text_, HasSubstr("equal to the last bit in all 12 common steps"));
  const json differs = report("compare", {(space_ / "other").string()});
  EXPECT_THAT(differs.at("keys").at(0).at("key").get<std::string>(), HasSubstr("optimizer.lr"));
  // The first step starts from equal weights.
  EXPECT_GE(differs.at("first_different_loss").at("step"), 2);
  EXPECT_LE(differs.at("first_different_loss").at("step"), 3);
  EXPECT_GT(differs.at("ops").size(), 3U);
}

TEST_F(ReportCommandTest, StoredStepsOutliveTheRings) {
  auto set = kTwoRanks;
  set.emplace_back("train.train_iters=40");
  set.emplace_back("observe.stored_steps=1000");
  for (const bool processes : {false, true}) {
    SCOPED_TRACE(processes ? "processes" : "threads");
    std::filesystem::remove_all(space_ / "run");
    auto words = space_.arguments("train", "run", set);
    if (processes) words.emplace_back("--processes");
    const Finished trained = megascale(words);
    ASSERT_EQ(trained.exit_code, 0) << trained;
    for (int rank = 0; rank < 2; ++rank)
      std::filesystem::remove(space_ / ("run/events/rank" + std::to_string(rank) + ".ring"));
    const json found = report("report").at("records");
    // On a busy machine a ring may lose steps before they are read. They are counted.
    EXPECT_EQ(found.at("ranks").size(), 2U);
    EXPECT_EQ(found.at("steps").back(), 39);
    EXPECT_TRUE(found.at("steps").size() == 16 || found.at("dropped") > 0) << found;
  }
}

TEST_F(ReportCommandTest, TheTensorBoardAndTheTableAreWritten) {
  auto set = kTwoRanks;
  set.emplace_back("observe.tensorboard_dir=" + (space_ / "board").string());
  set.emplace_back("observe.csv=true");
  ASSERT_EQ(space_.train("run", set).exit_code, 0);
  const std::string table = read(space_ / "run/metrics.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 13) << table;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(space_ / "board")) {
    EXPECT_THAT(entry.path().filename().string(), ::testing::StartsWith("events.out.tfevents."));
    EXPECT_THAT(read(entry.path()), HasSubstr("lm loss vs samples"));
    ++files;
  }
  EXPECT_EQ(files, 1U);
}

TEST_F(ReportCommandTest, ASimulationIsReportedToo) {
  const std::string root(MEGASCALE_SOURCE_DIR);
  const Finished simulated =
      megascale({"simulate", root + "/configs/gpt2-124m.toml", "--cluster",
                 root + "/clusters/a100-megascale.toml", "--set", "parallel.world_size=8", "--set",
                 "train.global_batch_size=8", "--set", "train.micro_batch_size=1", "--unfolded",
                 "--keep", (space_ / "run").string()});
  ASSERT_EQ(simulated.exit_code, 0) << simulated;
  const json found = report("report");
  EXPECT_EQ(found.at("state"), "simulated");
  EXPECT_EQ(found.at("records").at("ranks").size(), 8U);
  EXPECT_EQ(report("top").at("state"), "simulated") << "top ends at once";
}

TEST_F(ReportCommandTest, AnEmptyDirectorySaysWhatToDo) {
  for (const char* command : {"report", "top"}) {
    const Finished finished = megascale({command, (space_ / "").string()});
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_THAT(finished.err, HasSubstr("expected the run directory of megascale train"));
  }
}

}  // namespace
}  // namespace megascale::testing
