#include "megascale/control/rank_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/scratch_directory.h"

namespace megascale::control {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<RankLine> lines_of(const std::filesystem::path& path, std::uint32_t rank) {
  std::vector<RankLine> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(parse_rank_line(rank, line));
  return lines;
}

TEST(RankLogsTest, ALineHasItsTimeAttemptAndText) {
  const megascale::testing::ScratchDirectory scratch;
  EXPECT_THAT(ranks_with_logs(scratch / "run"), IsEmpty());
  {
    RankLogs logs(scratch / "run");
    logs.add(10, 2, "loss 3.1 | and more");
    logs.add(3, 2, "");
  }
  EXPECT_THAT(ranks_with_logs(scratch / "run"), ElementsAre(3U, 10U));
  const auto lines = lines_of(rank_log(scratch / "run", 10), 10);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].text, "loss 3.1 | and more");
  EXPECT_EQ(lines[0].attempt, 2);
  EXPECT_EQ(lines[0].rank, 10U);
  EXPECT_THAT(lines[0].time, ::testing::MatchesRegex("20..-..-..T..:..:......Z"));
  EXPECT_EQ(lines_of(rank_log(scratch / "run", 3), 3)[0].text, "");
}

TEST(RankLogsTest, ALogHasABoundAndTheNewestLinesStay) {
  const megascale::testing::ScratchDirectory scratch;
  {
    RankLogs logs(scratch / "run", 1000);
    for (int i = 0; i < 500; ++i) logs.add(0, 1, std::to_string(i));
  }
  const auto path = rank_log(scratch / "run", 0);
  EXPECT_LE(std::filesystem::file_size(path), 1100U);
  EXPECT_LE(std::filesystem::file_size(path.string() + ".1"), 1100U);
  EXPECT_EQ(lines_of(path, 0).back().text, "499");
}

TEST(RankLogsTest, ALineOfSomethingElseIsAllText) {
  for (const char* line : {"", "x", "one two three", "2026Z one x"}) {
    const RankLine parsed = parse_rank_line(4, line);
    EXPECT_EQ(parsed.rank, 4U);
    EXPECT_EQ(parsed.text, line);
  }
}

// The lines are lost; nothing else happens.
TEST(RankLogsTest, AFolderThatCannotBeWrittenIsNoError) {
  const megascale::testing::ScratchDirectory scratch;
  scratch.write("run", "a file, not a directory");
  RankLogs logs(scratch / "run");
  logs.add(0, 1, "lost");
}

}  // namespace
}  // namespace megascale::control
