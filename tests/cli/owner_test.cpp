// Goal: a run directory has one owner, which ends with its launcher and leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "cli/launch_support.h"

namespace megascale::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const Settings kUntilKilled{"train.train_iters=1000000", "train.log_interval=1000000",
                            "checkpoint.interval=20", "checkpoint.keep_last=2",
                            "model.num_layers=1"};

TEST(Owner, ASecondRunIsRefusedAndTheFirstOneLosesNothing) {
  const Workspace space;
  Process first(space.arguments("train", "run", kUntilKilled));
  ASSERT_TRUE(first.wait_until([&] { return has_saved(space / "run"); }));
  const std::string process = "process " + std::to_string(first.id());
  const Finished same = space.train("run", kUntilKilled);
  EXPECT_EQ(same.exit_code, 1) << same;
  EXPECT_THAT(same.err, AllOf(HasSubstr((space / "run").string()), HasSubstr(process),
                              HasSubstr("epoch 1"), HasSubstr("train.run_dir")));
  // Another run directory, but the same checkpoints.
  Settings shared = kUntilKilled;
  shared.push_back("checkpoint.dir=" + (space / "run/checkpoints").string());
  const Finished mixed = space.train("other", shared);
  EXPECT_EQ(mixed.exit_code, 1) << mixed;
  EXPECT_THAT(mixed.err, AllOf(HasSubstr("checkpoints"), HasSubstr(process)));
  first.send(SIGTERM);
  const Finished stopped = first.wait();
  EXPECT_EQ(stopped.exit_code, 0) << stopped;
  const auto lines = metrics_of(space / "run");
  EXPECT_EQ(lines.size(), stopped.json().at("steps_done").get<std::size_t>());
  for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i].at("step"), i + 1);
}

TEST(Owner, AKilledRunDoesNotBlockAndItsLeftoversGo) {
  const Workspace space;
  Process first(space.arguments("train", "run", kUntilKilled));
  ASSERT_TRUE(first.wait_until([&] { return has_saved(space / "run"); }));
  first.send(SIGKILL);
  first.wait();
  const auto checkpoints = space / "run/checkpoints";
  const auto leftover = checkpoints / (".partial-step-00000999-" + std::string(32, 'a')),
             removed = checkpoints / (".removed-step-00000001-" + std::string(32, 'b')),
             foreign = checkpoints / ".partial-notes";
  for (const auto& directory : {leftover, removed, foreign}) {
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "shard") << "bytes";
  }
  const Finished second = megascale([&] {
    auto words = space.arguments("train", "run", kUntilKilled);
    words.insert(words.end(), {"--stop-after", "1"});
    return words;
  }());
  EXPECT_EQ(second.exit_code, 0) << second;
  EXPECT_THAT(second.err, AllOf(HasSubstr("removed " + leftover.string()),
                                HasSubstr("removed " + removed.string())));
  EXPECT_FALSE(std::filesystem::exists(leftover));
  EXPECT_TRUE(std::filesystem::exists(foreign / "shard"));
  EXPECT_THAT(read(space / "run/.owner"), HasSubstr("\"epoch\":2"));
}

// A process of attempt 1 is stopped, attempt 2 begins, and the first one goes on: it saves nothing.
TEST(Owner, AProcessOfAnEarlierAttemptThatGoesOnSavesNothing) {
  const Workspace space;
  const auto attempt = [](int restarts) {
    return megascale::testing::Setup{
        .environment = {"MEGASCALE_EXECUTOR_REPORT=999",
                        "MEGASCALE_RESTART_COUNT=" + std::to_string(restarts)}};
  };
  const auto newest = [&] {
    std::filesystem::path last;
    for (const auto& entry : std::filesystem::directory_iterator(space / "run/checkpoints")) {
      if (entry.path().filename().string().starts_with("step-"))
        last = std::max(last, entry.path());
    }
    return last;
  };
  std::filesystem::create_directories(space / "run/control");
  std::ofstream(space / "run/control/epochs")
      << "record " << std::string(32, 'c') << "\nepoch 1\nepoch 2\n";
  const auto words = space.arguments("train", "run", kUntilKilled);
  Process first(words, attempt(0));
  ASSERT_TRUE(first.wait_until([&] { return has_saved(space / "run"); })) << first.err();
  first.send(SIGSTOP);
  auto again = words;
  again.insert(again.end(), {"--stop-after", "3"});
  Process second(again, attempt(1));
  const Finished next = second.wait();
  ASSERT_EQ(next.exit_code, 0) << next;
  EXPECT_THAT(next.err, AllOf(HasSubstr("taken over from an earlier attempt"),
                              HasSubstr("process " + std::to_string(first.id())),
                              HasSubstr("attempt 1"), HasSubstr("resuming from")));
  const std::filesystem::path saved = newest();
  EXPECT_THAT(read(saved / "manifest.json"), HasSubstr("\"epoch\": 2}"));
  first.send(SIGCONT);
  const Finished stale = first.wait();
  EXPECT_EQ(stale.exit_code, 1) << stale;
  EXPECT_THAT(stale.err, AllOf(HasSubstr("another owner"), HasSubstr("attempt 2")));
  EXPECT_EQ(newest(), saved);
}

// Somebody removes the file of the owner, and a second run begins: the first one stops before it
// saves again.
TEST(Owner, ARunThatHasLostItsDirectoryStops) {
  const Workspace space;
  Process first(space.arguments("train", "run", kUntilKilled));
  ASSERT_TRUE(first.wait_until([&] { return has_saved(space / "run"); }));
  std::ofstream(space / "run/new") << R"({"host":"other","process":17,"epoch":5})";
  std::filesystem::rename(space / "run/new", space / "run/.owner");
  const Finished ended = first.wait();
  EXPECT_EQ(ended.exit_code, 1) << ended;
  EXPECT_THAT(ended.err, HasSubstr("another owner: host other, process 17, epoch 5"));
}

// The launcher is a shell that mpirun's variables make look like mpirun. It is killed.
TEST(Owner, RanksEndWithTheirLauncher) {
  const Workspace space;
  const testing::Setup as_mpirun{
      .launcher = {"/bin/sh", "-c", "\"$@\" & wait", "sh"},
      .environment = {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1",
                      "OMPI_COMM_WORLD_LOCAL_RANK=0", "OMPI_COMM_WORLD_LOCAL_SIZE=1"}};
  Process launcher(space.arguments("train", "run", kUntilKilled), as_mpirun);
  ASSERT_TRUE(launcher.wait_until([&] { return has_saved(space / "run"); }));
  launcher.send(SIGKILL);
  const Finished ended = launcher.wait();  // until the rank has closed its pipes too
  EXPECT_EQ(ended.signal, SIGKILL) << ended;
  EXPECT_THAT(ended.err, HasSubstr("the launcher of this rank has ended"));
  EXPECT_TRUE(processes_of(space / "run", "OMPI_COMM_WORLD_RANK").empty());
  EXPECT_TRUE(ended.json().value("interrupted", false)) << "it saved: " << ended;
}

}  // namespace
}  // namespace megascale::testing
