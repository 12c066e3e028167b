// What a training does when the system gives it less than it needs, or takes something away: it says
// what is missing, and loses nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/launch_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

// A command that starts with less than it needs.
Setup limited(const std::string& limit, unsigned user = 0) {
  return {.user = user, .launcher = {"bash", "-c", limit + "; exec \"$0\" \"$@\""}};
}

// Threads of OpenMP that wait for one whose core another program has taken sleep soon, unless the user
// has said otherwise.
TEST(Limits, WaitingThreadsOfOpenMPSleepSoon) {
  const Workspace space;
  int runs = 0;
  const auto environment_of = [&](const megascale::testing::Setup& setup) {
    Process process(space.arguments("train", "run" + std::to_string(runs++), kEndless), setup);
    EXPECT_TRUE(has_said(process, "step 10/")) << process.err();
    const std::string directory = "/proc/" + std::to_string(process.id());
    EXPECT_EQ(read(directory + "/comm"), "megascale\n") << "the second start keeps the name";
    return read(directory + "/environ");
  };
  EXPECT_THAT(environment_of({}), HasSubstr("GOMP_SPINCOUNT="));
  for (const char* chosen : {"OMP_WAIT_POLICY=active", "GOMP_SPINCOUNT=7"}) {
    const std::string environment = environment_of({.environment = {chosen}});
    EXPECT_THAT(environment, HasSubstr(chosen));
    EXPECT_EQ(environment.find("GOMP_SPINCOUNT"), environment.rfind("GOMP_SPINCOUNT")) << chosen;
    if (std::string_view(chosen).starts_with("OMP")) {
      EXPECT_EQ(environment.find("GOMP_SPINCOUNT"), std::string::npos);
    }
  }
}

TEST(Limits, AFileThatMayNotGrowIsNamed) {
  const Workspace space;
  const Finished prepared =
      megascale({"prepare", (space / "text.txt").string(), "--output", (space / "out").string()},
                limited("ulimit -f 8"));
  EXPECT_EQ(prepared.exit_code, 1) << prepared;
  EXPECT_THAT(prepared.err, HasSubstr((space / "out.bin").string()));
  EXPECT_THAT(prepared.err, HasSubstr("File too large"));
  const Finished trained = megascale(space.arguments("train", "run"), limited("ulimit -f 8"));
  EXPECT_EQ(trained.exit_code, 1) << trained;
  EXPECT_THAT(trained.err, HasSubstr((space / "run/events").string()));
  EXPECT_THAT(trained.err, HasSubstr("File too large"));
}

TEST(Limits, ThreadsThatCannotBeStartedAreAnError) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const Workspace space;
  constexpr unsigned kNobody = 65534;
  ::chmod((space / "").c_str(), 0777);
  for (const char* limit : {"ulimit -u 1", "ulimit -u 3"}) {
    const Finished finished = megascale(
        space.arguments("train", "run", {"train.threads_per_rank=2"}), limited(limit, kNobody));
    EXPECT_EQ(finished.exit_code, 1) << limit << finished;
    EXPECT_THAT(finished.err, HasSubstr("ulimit -u")) << limit;
    EXPECT_TRUE(finished.json().contains("errors")) << limit << finished;
  }
}

TEST(Limits, DataThatShrinkDuringTheRunAreNamed) {
  const Workspace space;
  for (const auto& [file, set] :
       {std::pair<std::string, Settings>{space.corpus() + ".bin", kEndless},
        {space.corpus() + ".idx",
         {"train.train_iters=1000000", "train.log_interval=10", "data.packed_documents=true"}}}) {
    Process process(space.arguments("train", "run", set));
    ASSERT_TRUE(has_said(process, "step 10/"));
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 8);
    const Finished finished = process.wait();
    EXPECT_EQ(finished.exit_code, 1) << finished;
    EXPECT_THAT(finished.err, HasSubstr(file));
    EXPECT_THAT(finished.err, HasSubstr("must stay as it is"));
    ASSERT_EQ(megascale({"prepare", (space / "text.txt").string(), "--separator", "\n", "--output",
                         space.corpus()})
                  .exit_code,
              0);
    std::filesystem::remove_all(space / "run");
  }
}

TEST(Limits, ARunDirectoryThatIsMovedIsNamedAndMadeAgain) {
  const Workspace space;
  Process process(space.arguments("train", "run", kEndless));
  ASSERT_TRUE(has_said(process, "step 10/"));
  std::filesystem::rename(space / "run", space / "moved");
  ASSERT_TRUE(has_said(process, "was moved or deleted during the run"));
  process.send(SIGTERM);
  const Finished finished = process.wait();
  EXPECT_THAT(finished.err, HasSubstr((space / "run").string()));
  expect_saved(finished, space / "run");
  const auto before = metrics_of(space / "moved"), after = metrics_of(space / "run");
  ASSERT_FALSE(before.empty() || after.empty());
  EXPECT_EQ(after.front().at("step").get<int>(), before.back().at("step").get<int>() + 1);
  EXPECT_EQ(after.back().at("step"), finished.json().at("steps_done"));
}

TEST(Limits, NumbersOutOfRangeAreRefusedInShortWords) {
  for (const auto& [option, value] : {std::pair{"--max-tokens", "-1"},
                                      {"--temperature", "-0.5"},
                                      {"--temperature", "nan"},
                                      {"--top-p", "1.5"},
                                      {"--top-p", "nan"}}) {
    const Finished finished = megascale({"generate", "--checkpoint", "x", option, value});
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_THAT(finished.err, HasSubstr(option));
    EXPECT_THAT(finished.err, HasSubstr(std::string("found ") + value));
    EXPECT_LT(finished.err.size(), 200U) << finished;
  }
  const Finished empty = megascale({"eval", "--checkpoint", "x", "--data", ""});
  EXPECT_EQ(empty.exit_code, 2) << empty;
  EXPECT_THAT(empty.err, HasSubstr("--data"));
}

}  // namespace
}  // namespace megascale::testing
