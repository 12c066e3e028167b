// `megascale train --robust`: a job survives the loss of its ranks and of its driver, and ends with
// the bits of a run that lost nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/robust_support.h"

namespace megascale::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(RobustTest, ACleanRunHasOneAttemptAndNoIncident) {
  const Finished done = megascale(robust("run", {"train.train_iters=30"}));
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_EQ(done.json().at("steps_done"), 30) << done;
  EXPECT_EQ(done.json().at("attempts"), 1);
  EXPECT_EQ(done.json().at("incidents"), 0);
  EXPECT_EQ(status("run").at("exit_code"), 0);
  expect_sound("run", 0);
  expect_nothing_left("run");
  const Finished again = megascale(robust("run", {"train.train_iters=30"}));
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_THAT(again.err, HasSubstr("nothing to do"));
}

TEST_F(RobustTest, LostRanksAreReplacedAndTheBitsAreThoseOfAnUninterruptedRun) {
  Process process(robust("run"));
  kill_ranks(process, "run", {2, 0}, /*seed=*/3);
  const Finished done = stop(process, "run", 3);
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_EQ(done.json().at("attempts"), 3) << done;
  expect_bits_of_whole_run("run", done);
  const auto found = incidents("run");
  ASSERT_EQ(found.size(), 2U) << found;
  EXPECT_EQ(found[0].at("rank"), 2) << found;
  EXPECT_EQ(found[1].at("rank"), 0) << found;
  for (const auto& incident : found) {
    EXPECT_EQ(incident.at("rule"), "dead_process");
    EXPECT_THAT(incident.at("outcome"), HasSubstr("resumed at step"));
    EXPECT_FALSE(incident.at("open"));
  }
  EXPECT_THAT(done.err,
              ContainsRegex("rank 2 was killed by signal 9 .Killed. .step [0-9]+.; attempt "
                            "2 resumes at step [0-9]+; [0-9.]+ s"));
  EXPECT_THAT(done.err, Not(HasSubstr("to save a checkpoint"))) << "no lost attempt can save";
  expect_sound("run", 2);
  expect_nothing_left("run");
}

TEST_F(RobustTest, AFrozenRankIsNamedAndReplaced) {
  Process process(robust("run"));
  ASSERT_TRUE(trains(process, "run", 1, 10)) << process.err();
  ASSERT_EQ(::kill(processes_of(space / "run").at(1), SIGSTOP), 0);
  const Finished done = stop(process, "run", 2);
  ASSERT_EQ(done.exit_code, 0) << done;
  const auto found = incidents("run");
  ASSERT_EQ(found.size(), 1U) << found;
  expect_sound("run", 1);
  EXPECT_EQ(found[0].at("rule"), "frozen_process");
  EXPECT_EQ(found[0].at("rank"), 1);
}

TEST_F(RobustTest, ASelfCheckPrecedesEachStartAndAHostThatFailsEndsTheJob) {
  // The machine may be busy: only what must not change is compared.
  const Settings checked{"control.checks=true", "control.check_least_share=0"};
  Process process(robust("run", checked));
  ASSERT_TRUE(trains(process, "run", 1, 10)) << process.err();
  ASSERT_EQ(::kill(processes_of(space / "run").at(1), SIGKILL), 0);
  const Finished done = stop(process, "run", 2);
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_EQ(done.json().at("attempts"), 2) << done;
  EXPECT_THAT(incidents("run")[0].at("evidence"), HasSubstr("self-checks: 1 host passed"));
  EXPECT_GT(status("run").at("seconds").at("checks"), 0.5);
  expect_sound("run", 1);

  const auto baselines = space / "run" / "control/baselines";
  ASSERT_FALSE(std::filesystem::is_empty(baselines));
  const auto baseline = std::filesystem::directory_iterator(baselines)->path();
  auto json = nlohmann::json::parse(read(baseline));
  json["compute_digest"] = std::string(32, '0');
  space.write(std::filesystem::relative(baseline, space / ".").string(), json.dump());
  const Finished refused = megascale(robust("run", checked));
  EXPECT_EQ(refused.exit_code, 1) << refused;
  EXPECT_THAT(refused.err, HasSubstr("failed its self-checks: compute:"));
  expect_nothing_left("run");
}

TEST_F(RobustTest, ACrashLoopEndsWithItsOwnCode) {
  const Finished done = megascale(robust("run", {"data.data_path=/absent"}));
  EXPECT_EQ(done.exit_code, 3) << done;
  EXPECT_THAT(done.err, AllOf(HasSubstr("3 attempts in a row have failed without progress"),
                              HasSubstr("/absent.bin")));
  ASSERT_TRUE(done.json().is_object()) << done;
  EXPECT_EQ(done.json().at("attempts"), 3);
  expect_sound("run", 3);
  expect_nothing_left("run");
}

TEST_F(RobustTest, WhatAPersonMustChangeIsNotRetried) {
  ASSERT_EQ(megascale(robust("run", {"train.train_iters=10"})).exit_code, 0);
  const Finished done = megascale(robust("run", {"train.train_iters=20", "optimizer.lr=0.5"}));
  EXPECT_EQ(done.exit_code, 2) << done;
  EXPECT_THAT(done.err, HasSubstr("optimizer.lr = 0.5"));
  EXPECT_EQ(done.json().at("attempts"), 1);
}

TEST_F(RobustTest, ADriverThatIsKilledOrStoppedComesBackAndRestartsNothing) {
  Process process(robust("run", {"control.lease_seconds=1"}));
  std::int64_t step = 0;
  for (const int signal : {SIGKILL, SIGKILL, SIGSTOP}) {
    step += 10;
    ASSERT_TRUE(trains(process, "run", 1, step)) << process.err();
    const pid_t driver = driver_of("run");
    ASSERT_GT(driver, 0);
    ASSERT_EQ(::kill(driver, signal), 0);
    ASSERT_TRUE(process.wait_until([&] {
      const pid_t now = driver_of("run");
      return now > 0 && now != driver;
    }));
  }
  const Finished done = stop(process, "run", 1);
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_EQ(done.json().at("attempts"), 1);
  expect_sound("run", 0);
  EXPECT_THAT(done.err, AllOf(HasSubstr("it is started again, the ranks go on"),
                              HasSubstr("does not answer for 1 s")));
}

// The driver dies together with a rank: whichever comes first, the job recovers once.
TEST_F(RobustTest, ARankAndTheDriverAreKilledTogether) {
  Process process(robust("run"));
  ASSERT_TRUE(trains(process, "run", 1, 10)) << process.err();
  const pid_t driver = driver_of("run"), rank = processes_of(space / "run").at(3);
  ASSERT_EQ(::kill(driver, SIGKILL), 0);
  ASSERT_EQ(::kill(rank, SIGKILL), 0);
  const Finished done = stop(process, "run", 2);
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_EQ(done.json().at("attempts"), 2) << done;
  expect_sound("run", 1);
}

TEST_F(RobustTest, SignalsStopAndSaveAsWithoutIt) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const std::string run = "run" + std::to_string(signal);
    Process process(robust(run.c_str()));
    ASSERT_TRUE(trains(process, run.c_str(), 1, 10)) << process.err();
    process.send(signal);
    expect_saved(process.wait(), space / run, "stopping after this step; a checkpoint is saved");
    EXPECT_EQ(incidents(run.c_str()).size(), 0U);
    expect_nothing_left(run.c_str());
  }
}

TEST_F(RobustTest, TwoInterruptsEndEverything) {
  Process process(robust("run", {"train.global_batch_size=1024"}));
  ASSERT_TRUE(trains(process, "run", 1, -1)) << process.err();
  process.send(SIGINT);
  ASSERT_TRUE(has_said(process, "stopping after this step"));
  process.send(SIGINT);
  const Finished ended = process.wait();
  EXPECT_EQ(ended.exit_code, 130) << ended;
  expect_nothing_left("run");
}

TEST_F(RobustTest, NothingOutlivesTheExecutorAndTheNextStartGoesOn) {
  Process process(robust("run"));
  ASSERT_TRUE(trains(process, "run", 1, 10)) << process.err();
  const Finished second = megascale(robust("run"));
  EXPECT_EQ(second.exit_code, 1) << second;
  EXPECT_THAT(second.err, HasSubstr("found one in use by"));
  process.send(SIGKILL);
  EXPECT_EQ(process.wait().signal, SIGKILL);
  expect_nothing_left("run");
  EXPECT_FALSE(status("run").at("driver_lives"));
  Process next(robust("run"));
  const Finished rest = stop(next, "run", 2);
  EXPECT_EQ(rest.exit_code, 0) << rest;
  EXPECT_EQ(rest.json().at("attempts"), 1);
  EXPECT_EQ(status("run").at("attempt"), 2);
  EXPECT_EQ(status("run").at("session"), 2);
  expect_sound("run", 0);
}

TEST_F(RobustTest, ObserveModeEndsAsWithoutADriver) {
  Process process(robust("run", {"control.mode=observe"}));
  ASSERT_TRUE(trains(process, "run", 1, 10)) << process.err();
  ASSERT_EQ(::kill(processes_of(space / "run").at(2), SIGKILL), 0);
  const Finished done = process.wait(60);
  EXPECT_EQ(done.exit_code, 1) << done;
  EXPECT_THAT(incidents("run")[0].at("action"), HasSubstr("would be restarted"));
  EXPECT_EQ(done.json().at("attempts"), 1);
}

TEST_F(RobustTest, OneRankIsAJobToo) {
  Settings set = kRobust;
  set.emplace_back("checkpoint.interval=100");
  Process process(with(space.arguments("train", "run", set), "--robust"));
  ASSERT_TRUE(trains(process, "run", 1, 100)) << process.err();
  ASSERT_EQ(::kill(processes_of(space / "run").at(0), SIGSEGV), 0);
  const Finished done = stop(process, "run", 2);
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_GE(done.json().at("steps_done"), 100);
  EXPECT_EQ(done.json().at("attempts"), 2) << done;
}

// Driver, executor and ranks have no rights but those of a user who owns the run directory.
TEST_F(RobustTest, AnOrdinaryUserIsEnough) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  constexpr unsigned kNobody = 65534;
  ASSERT_EQ(::chown((space / "").c_str(), kNobody, kNobody), 0);
  Process process(robust("run"), {.user = kNobody});
  ASSERT_TRUE(trains(process, "run", 1, 10)) << process.err();
  struct stat owner {};
  ASSERT_EQ(::stat(("/proc/" + std::to_string(driver_of("run"))).c_str(), &owner), 0);
  EXPECT_EQ(owner.st_uid, kNobody);
  ASSERT_EQ(::kill(processes_of(space / "run").at(1), SIGKILL), 0);
  const Finished done = stop(process, "run", 2);
  EXPECT_EQ(done.exit_code, 0) << done;
  expect_sound("run", 1);
  expect_nothing_left("run");
}

TEST_F(RobustTest, BadUseIsRefused) {
  const Finished limited = megascale(with(with(robust("run"), "--stop-after"), "5"));
  EXPECT_EQ(limited.exit_code, 2) << limited;
  EXPECT_THAT(limited.err, HasSubstr("train.train_iters"));
  const Finished nested =
      megascale(robust("run"),
                {.environment = {"RANK=0", "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=1",
                                 "MEGASCALE_JOB_SECRET=a secret of this test"}});
  EXPECT_EQ(nested.exit_code, 2) << nested;
  EXPECT_THAT(nested.err, HasSubstr("--robust starts the ranks itself"));
  for (const char* command : {"status", "incidents"}) {
    const Finished absent = of_run(command, "absent");
    EXPECT_EQ(absent.exit_code, 2) << absent;
    EXPECT_THAT(absent.err, HasSubstr("does not exist"));
  }
}

}  // namespace
}  // namespace megascale::testing
