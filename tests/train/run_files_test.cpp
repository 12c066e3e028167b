// Goal: one owner of a run directory, and a history of steps that a broken line cannot block.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/train/directory_owner.h"
#include "megascale/train/metrics.h"
#include "support/scratch_directory.h"

namespace megascale::train {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScratchDirectory;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(DirectoryOwnerTest, ASecondOwnerIsToldWhoTheFirstIs) {
  const ScratchDirectory scratch;
  std::optional<DirectoryOwner> first(std::in_place, scratch / "");
  EXPECT_TRUE(first->is_locked());
  EXPECT_EQ(first->epoch(), 1);
  EXPECT_THAT(error_of([&] { DirectoryOwner second(scratch / ""); }),
              AllOf(HasSubstr((scratch / "").string()), HasSubstr("host "),
                    HasSubstr("process " + std::to_string(::getpid())), HasSubstr("epoch 1"),
                    HasSubstr("train.run_dir")));
  EXPECT_NO_THROW(first->require());
  first.reset();
  EXPECT_EQ(DirectoryOwner(scratch / "").epoch(), 2);
}

// The system takes the lock of a killed process away.
TEST(DirectoryOwnerTest, AKilledOwnerDoesNotBlock) {
  const ScratchDirectory scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    const DirectoryOwner owner(scratch / "");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(DirectoryOwner(scratch / "").epoch(), 2);
}

TEST(DirectoryOwnerTest, WhatIsInTheFileDoesNotMatter) {
  const ScratchDirectory scratch;
  for (const char* content : {"", "{", "[1]", R"({"epoch": "x"})", R"({"epoch": -1, "host": 3})",
                              R"({"epoch": 9223372036854775807})"}) {
    write_text_atomically(scratch / ".owner", content);
    EXPECT_EQ(DirectoryOwner(scratch / "").epoch(), 1) << content;
  }
}

// Somebody removed the file, so a second run could begin: the first one notices and stops.
TEST(DirectoryOwnerTest, NoticesThatAnotherOwnerHasCome) {
  const ScratchDirectory scratch;
  const DirectoryOwner first(scratch / "");
  std::filesystem::remove(scratch / ".owner");
  EXPECT_NO_THROW(first.require());
  write_text_atomically(scratch / ".owner", R"({"host":"other","process":17,"epoch":9})");
  EXPECT_THAT(error_of([&] { first.require(); }),
              AllOf(HasSubstr("host other, process 17, epoch 9"), HasSubstr("epoch 1")));
}

TEST(MeanLossTest, IsTheMeanOfTheIntervalWithoutSkippedSteps) {
  MeanLoss mean;
  EXPECT_EQ(mean.add(1, false), 1);
  EXPECT_EQ(mean.add(std::nan(""), false), 1);
  EXPECT_EQ(mean.add(4, true), 2.5);
  EXPECT_EQ(mean.add(7, true), 7) << "a new interval";
  EXPECT_TRUE(std::isnan(mean.add(std::nan(""), false)));
  EXPECT_THAT(to_log_line({.step = 1, .loss = 5, .mean_loss = 3}, 10, 0), HasSubstr("loss 3.0000"));
}

TEST(MetricsFileTest, BrokenLinesAreNamedAndDoNotBlockAResume) {
  const ScratchDirectory scratch;
  const auto path = scratch / "metrics.jsonl";
  std::ofstream(path) << "{\"step\":1}\n{\"step\":\"x\"}\n{broken\n[]\n{\"loss\":3}\n{\"step\":2}\n"
                         "{\"step\":3}\n{\"step\":4,\"lo";
  std::vector<std::string> messages;
  MetricsFile file(path, 2, [&](const std::string& message) { messages.push_back(message); });
  EXPECT_EQ(read_text(path), "{\"step\":1}\n{\"step\":2}\n");
  EXPECT_THAT(messages, ElementsAre(HasSubstr(path.string() +
                                              ":2: expected an object with an integer \"step\""),
                                    HasSubstr(":3: "), HasSubstr(":4: "), HasSubstr(":5: ")));
  EXPECT_THAT(messages[0], HasSubstr(R"({"step":"x"})"));
  EXPECT_FALSE(file.write({.step = 3}));
  EXPECT_THAT(read_text(path), HasSubstr("{\"step\":2}\n{\"step\":3,"));
}

}  // namespace
}  // namespace megascale::train
