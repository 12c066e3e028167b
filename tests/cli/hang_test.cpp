// Goal: `megascale hang` names the rank that stopped, while the job hangs and after it was killed.
// Method: a real job of four processes, one of which gets SIGSTOP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/launch_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

class HangCommandTest : public LaunchTest {
 protected:
  void expect_named(std::uint32_t rank, const std::string& state) const {
    Finished hang;
    nlohmann::json verdict = nlohmann::json::object();
    // Until the others have come to the transfer in which they wait, they move.
    for (int i = 0; i < 20 && !verdict.value("hangs", false); ++i) {
      hang = megascale({"hang", (space / "run").string(), "--seconds", "1.5", "--json"});
      ASSERT_EQ(hang.exit_code, 0) << hang;
      verdict = hang.json();
    }
    EXPECT_TRUE(verdict.at("hangs")) << hang;
    ASSERT_FALSE(verdict.at("suspects").empty()) << hang;
    for (const auto& suspect : verdict.at("suspects")) EXPECT_EQ(suspect.at("rank"), rank) << hang;
    EXPECT_THAT(verdict.at("suspects")[0].at("process").get<std::string>(), HasSubstr(state))
        << hang;
  }
};

TEST_F(HangCommandTest, TheStoppedRankIsNamedAliveAndDead) {
  Process process(with(space.arguments("train", "run", four_ranks(kLong)), "--processes"));
  ASSERT_TRUE(process.wait_until([&] { return has_saved(space / "run"); }));
  ASSERT_EQ(::kill(processes_of(space / "run").at(2), SIGSTOP), 0);
  expect_named(2, "stopped");
  for (const auto& [rank, pid] : processes_of(space / "run")) ::kill(pid, SIGKILL);
  (void)process.wait();
  expect_named(2, "gone");
}

TEST_F(HangCommandTest, AFinishedJobHasNoSuspectAndAnEmptyDirectoryIsRefused) {
  ASSERT_EQ(megascale(space.arguments("train", "run")).exit_code, 0);
  const Finished hang = megascale({"hang", (space / "run").string(), "--json"});
  EXPECT_EQ(hang.exit_code, 0) << hang;
  EXPECT_FALSE(hang.json().at("hangs")) << hang;
  EXPECT_EQ(megascale({"hang", (space / "none").string()}).exit_code, 2);
}

}  // namespace
}  // namespace megascale::testing
