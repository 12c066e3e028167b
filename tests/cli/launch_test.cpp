// `megascale train` on several ranks as users start them: threads, processes, launchers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>

#include "cli/free_port.h"
#include "cli/launch_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

// As on hosts with one rank each: without the local ones.
Settings rank_environment(int rank, int ranks, int port) {
  return {"RANK=" + std::to_string(rank),
          "WORLD_SIZE=" + std::to_string(ranks),
          "LOCAL_RANK=" + std::to_string(rank),
          "LOCAL_WORLD_SIZE=" + std::to_string(ranks),
          "MASTER_ADDR=127.0.0.1",
          "MASTER_PORT=" + std::to_string(port),
          "MEGASCALE_JOB_SECRET=a secret of this test"};
}

TEST_F(LaunchTest, ProcessesTrainStopResumeAndGenerateAsThreadsDo) {
  const Finished threads = space.train("threads", four_ranks());
  ASSERT_EQ(threads.exit_code, 0) << threads;

  auto arguments = with(space.arguments("train", "processes", four_ranks()), "--processes");
  const Finished first = megascale(with(with(arguments, "--stop-after"), "7"));
  ASSERT_EQ(first.exit_code, 0) << first;
  EXPECT_EQ(first.json().at("steps_done"), 7) << first;
  const Finished rest = megascale(arguments);
  ASSERT_EQ(rest.exit_code, 0) << rest;
  EXPECT_THAT(rest.err, HasSubstr("at step 7"));
  ASSERT_TRUE(rest.json().is_object()) << rest;
  EXPECT_EQ(rest.json().at("loss"), threads.json().at("loss"));
  expect_same_run(space / "processes", space / "threads", 12);
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_TRUE(std::filesystem::exists(space / "processes" / "events" /
                                        ("rank" + std::to_string(rank) + ".ring")));
  }

  const auto generate = [&](const char* run) {
    return megascale({"generate", "--checkpoint", (space / run).string() + "/checkpoints",
                      "--prompt", "the king", "--max-tokens", "8"});
  };
  const Finished text = generate("processes");
  EXPECT_EQ(text.exit_code, 0) << text;
  EXPECT_EQ(text.out, generate("threads").out);
}

TEST_F(LaunchTest, ASignalToOneRankStopsAllAndSaves) {
  const Settings set = four_ranks(kLong);
  Process process(with(space.arguments("train", "run", set), "--processes"));
  ASSERT_TRUE(process.wait_until([&] { return has_saved(space / "run"); }));
  ASSERT_EQ(::kill(processes_of(space / "run").at(2), SIGTERM), 0);
  const Finished stopped = process.wait();
  ASSERT_EQ(stopped.exit_code, 0) << stopped;
  const std::int64_t done = stopped.json().at("steps_done");
  EXPECT_TRUE(stopped.json().at("interrupted"));
  EXPECT_TRUE(checkpoint_of(space / "run", done).is_object()) << done;
  EXPECT_TRUE(processes_of(space / "run").empty());
}

// The parent passes it on.
TEST_F(LaunchTest, ASignalToTheParentStopsAllAndSaves) {
  Process process(with(space.arguments("train", "run", four_ranks(kLong)), "--processes"));
  ASSERT_TRUE(process.wait_until([&] { return has_saved(space / "run"); }));
  process.send(SIGTERM);
  const Finished stopped = process.wait();
  ASSERT_EQ(stopped.exit_code, 0) << stopped;
  EXPECT_TRUE(checkpoint_of(space / "run", stopped.json().at("steps_done")).is_object());
}

// Rank 0 prints the JSON object, unless it cannot: then the parent does.
TEST_F(LaunchTest, ALostRankIsNamedAndNoProcessIsLeft) {
  for (const int victim : {0, 3}) {
    SCOPED_TRACE(victim);
    const std::string run = "lost" + std::to_string(victim);
    Process process(with(space.arguments("train", run, four_ranks(kLong)), "--processes"));
    ASSERT_TRUE(process.wait_until([&] { return has_saved(space / run); }));
    ASSERT_EQ(::kill(processes_of(space / run).at(victim), SIGKILL), 0);
    const Finished lost = process.wait();
    EXPECT_EQ(lost.exit_code, 1) << lost;
    EXPECT_TRUE(processes_of(space / run).empty());
    ASSERT_TRUE(lost.json().is_object()) << lost;
    EXPECT_TRUE(lost.json().contains("errors")) << lost;
    EXPECT_THAT(lost.err, HasSubstr("was ended by signal 9 (Killed), the first of 4 ranks to"));
    EXPECT_THAT(lost.err, HasSubstr("is lost: its process has ended"));
  }
}

TEST_F(LaunchTest, NoRankOutlivesTheParent) {
  Process process(with(space.arguments("train", "run", four_ranks(kLong)), "--processes"));
  ASSERT_TRUE(process.wait_until([&] { return processes_of(space / "run").size() == 5; }));
  process.send(SIGKILL);
  EXPECT_EQ(process.wait().signal, SIGKILL);
  const auto end = std::chrono::steady_clock::now() + 5s;
  while (!processes_of(space / "run").empty() && std::chrono::steady_clock::now() < end)
    ::usleep(1000);
  EXPECT_TRUE(processes_of(space / "run").empty());
}

TEST_F(LaunchTest, TheEnvironmentMakesRanks) {
  const Settings two{"train.eval_interval=5", "train.eval_iters=1"};
  ASSERT_EQ(
      megascale(with(with(space.arguments("train", "threads", two), "--ranks"), "2")).exit_code, 0);
  const int port = free_port();
  const auto arguments = space.arguments("train", "ranks", two);
  Process second(arguments, {.environment = rank_environment(1, 2, port)});
  Process first(arguments, {.environment = rank_environment(0, 2, port)});
  const Finished of_second = second.wait(), of_first = first.wait();
  EXPECT_EQ(of_first.exit_code, 0) << of_first;
  EXPECT_TRUE(of_first.json().is_object()) << of_first;
  EXPECT_EQ(of_second.exit_code, 0) << of_second;
  EXPECT_EQ(of_second.out + of_second.err, "");
  expect_same_run(space / "ranks", space / "threads", 12);
}

TEST_F(LaunchTest, RanksThatDifferAreRefusedBeforeTheFirstStep) {
  const int port = free_port();
  Process second(space.arguments("train", "run", {"optimizer.lr=0.5"}),
                 {.environment = rank_environment(1, 2, port)});
  Process first(space.arguments("train", "run"), {.environment = rank_environment(0, 2, port)});
  for (const Finished& finished : {second.wait(), first.wait()}) {
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_THAT(finished.err, HasSubstr("rank 1 (host "));
    EXPECT_THAT(finished.err, HasSubstr("configuration"));
  }
  EXPECT_FALSE(std::filesystem::exists(space / "run" / "metrics.jsonl"));
}

// A rank that cannot start tells the others, which would wait a minute for it.
TEST_F(LaunchTest, ARankThatCannotStartEndsTheWaitOfTheOthers) {
  const auto expect_refused = [&](const Finished& finished, int code, const std::string& why) {
    EXPECT_EQ(finished.exit_code, code) << finished;
    EXPECT_FALSE(finished.timed_out);
    EXPECT_THAT(finished.err, HasSubstr(why));
  };
  const auto good = space.arguments("train", "run");
  const auto without_data = space.arguments("train", "run", {"data.data_path=/absent"});
  const std::string said = "does not start: cannot read /absent.bin";
  for (const int failing : {0, 1}) {
    SCOPED_TRACE(failing);
    const int port = free_port();
    Process first(failing == 0 ? without_data : good,
                  {.environment = rank_environment(0, 2, port)});
    Process second(failing == 1 ? without_data : good,
                   {.environment = rank_environment(1, 2, port)});
    const Finished of_first = first.wait(30), of_second = second.wait(30);
    expect_refused(failing == 0 ? of_first : of_second, 1, "/absent.bin");
    expect_refused(failing == 0 ? of_second : of_first, 1, said);
  }
  const int port = free_port();
  Settings impossible = rank_environment(1, 2, port);
  impossible[2] = "LOCAL_RANK=7";
  Process first(good, {.environment = rank_environment(0, 2, port)});
  Process second(good, {.environment = impossible});
  expect_refused(second.wait(30), 2, "local rank 7 of 2 local ranks of 2 ranks is impossible");
  expect_refused(first.wait(30), 2, "rank 1 (host ");
}

// As on two hosts whose copies of the corpus differ: one relative path, two working directories.
TEST_F(LaunchTest, RanksWithOtherDataBehindOnePathAreRefusedBeforeTheFirstStep) {
  const int port = free_port();
  std::vector<std::unique_ptr<Process>> ranks;
  for (const int rank : {0, 1}) {
    const auto host = space / ("host" + std::to_string(rank));
    std::filesystem::create_directory(host);
    std::filesystem::copy_file(space.corpus() + ".idx", host / "corpus.idx");
    std::string bin = read(space.corpus() + ".bin");
    if (rank == 1) bin[400] = '#';
    std::ofstream(host / "corpus.bin", std::ios::binary) << bin;
    ranks.push_back(std::make_unique<Process>(
        space.arguments("train", "run", {"data.data_path=corpus"}),
        testing::Setup{.launcher = {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", host.string()},
                       .environment = rank_environment(rank, 2, port)}));
  }
  for (const auto& rank : ranks) {
    const Finished finished = rank->wait();
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_THAT(finished.err, HasSubstr("another content of the data sets"));
  }
  EXPECT_FALSE(std::filesystem::exists(space / "run" / "metrics.jsonl"));
}

TEST_F(LaunchTest, BadLaunchesAreRefused) {
  Settings environment = rank_environment(0, 2, 20'000);
  const Finished three = megascale(with(with(space.arguments("train", "run"), "--ranks"), "3"),
                                   {.environment = environment});
  EXPECT_EQ(three.exit_code, 2) << three;
  EXPECT_THAT(three.err, HasSubstr("asks for 3 ranks, but the launcher started 2 processes"));
  environment.pop_back();
  const Finished open = megascale(space.arguments("train", "run"), {.environment = environment});
  EXPECT_EQ(open.exit_code, 2) << open;
  EXPECT_THAT(open.err, HasSubstr("MEGASCALE_JOB_SECRET"));
}

bool has_mpirun() {
  Process process({}, {.launcher = {"mpirun", "--version"}});
  return process.wait().exit_code == 0;
}

// A launcher that is killed cannot end its ranks. They notice it, save, and give the run directory
// free.
TEST_F(LaunchTest, RanksEndWhenMpirunIsKilled) {
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  Settings set = kLong;
  set.insert(set.end(), {"optimizer.lr_decay_iters=2000", "parallel.world_size=2"});
  Process mpirun(space.arguments("train", "run", set),
                 {.launcher = {"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to",
                               "none", "-n", "2"},
                  .environment = {"MEGASCALE_JOB_SECRET=a secret of this test"}});
  ASSERT_TRUE(mpirun.wait_until([&] { return has_saved(space / "run"); }));
  mpirun.send(SIGKILL);
  const auto end = std::chrono::steady_clock::now() + 60s;
  const auto left = [&] { return processes_of(space / "run", "OMPI_COMM_WORLD_RANK").size(); };
  while (left() > 0 && std::chrono::steady_clock::now() < end) ::usleep(50'000);
  EXPECT_EQ(left(), 0U);
  const Finished next =
      megascale(with(with(space.arguments("train", "run", set), "--stop-after"), "1"));
  EXPECT_EQ(next.exit_code, 0) << next;
  EXPECT_THAT(next.err, HasSubstr("resuming from"));
}

TEST_F(LaunchTest, MpirunMakesRanks) {
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  const Settings set = four_ranks();
  ASSERT_EQ(space.train("threads", set).exit_code, 0);
  Process process(space.arguments("train", "mpi", set),
                  {.launcher = {"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to",
                                "none", "-n", "4"},
                   .environment = {"MEGASCALE_JOB_SECRET=a secret of this test"}});
  const Finished mpi = process.wait();
  EXPECT_EQ(mpi.exit_code, 0) << mpi;
  EXPECT_TRUE(mpi.json().is_object()) << mpi;
  expect_same_run(space / "mpi", space / "threads", 12);
}

}  // namespace
}  // namespace megascale::testing
