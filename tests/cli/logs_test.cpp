// `megascale logs --follow` sees ranks whose logs begin after it was started.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/process.h"
#include "support/scratch_directory.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

class LogsTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(run() / "control/logs"); }
  [[nodiscard]] std::filesystem::path run() const { return scratch_ / "run"; }
  void write(int rank, const std::string& line) const {
    std::ofstream(run() / ("control/logs/rank" + std::to_string(rank) + ".log"), std::ios::app)
        << line << std::endl;
  }
  [[nodiscard]] std::string shown() const {
    std::ostringstream text;
    text << std::ifstream(scratch_ / "out").rdbuf();
    return text.str();
  }
  ScratchDirectory scratch_;
};

TEST_F(LogsTest, FollowSeesARankWhoseLogBeginsLater) {
  Process follow({"logs", run().string(), "--follow"}, {.stdout_to = (scratch_ / "out").string()});
  for (const int rank : {0, 3}) {
    const std::string text = "hello of rank " + std::to_string(rank);
    write(rank, "2026-01-01T00:00:00.000Z 1 " + text);
    EXPECT_TRUE(follow.wait_until([&] { return shown().find(text) != std::string::npos; }, 20))
        << shown();
  }
  follow.send(SIGTERM);
  (void)follow.wait();
}

TEST_F(LogsTest, WithoutFollowALogIsExpected) {
  const Finished none = megascale({"logs", run().string()});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("expected the log of a rank"));
  EXPECT_EQ(megascale({"logs", (scratch_ / "absent").string(), "--follow"}).exit_code, 2);
}

}  // namespace
}  // namespace megascale::testing
