// The job record: what is stored comes back, the log only grows, and a killed writer loses nothing
// that it has committed.
#include "megascale/control/job_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"
#include "support/scratch_directory.h"

namespace megascale::control {
namespace {

using Access = Database::Access;
using megascale::testing::ScratchDirectory;
using ::testing::HasSubstr;

Change change_of(std::int64_t number) {
  Change change;
  change.attempts.push_back({.epoch = number, .session = 1, .started_ns = 10 * number});
  change.incidents.push_back(
      {.number = number, .session = 1, .epoch = number, .what = "what", .evidence = "why"});
  for (int i = 0; i < 3; ++i) {
    change.entries.push_back({.session = 1,
                              .time_ns = 10 * number + i,
                              .kind = EntryKind::attempt_started,
                              .epoch = number,
                              .text = "text"});
  }
  change.nodes.push_back({.host = "a", .incarnation = number, .cores = 2, .state = "connected"});
  return change;
}

TEST(JobRecordTest, GivesBackWhatWasStored) {
  const ScratchDirectory scratch;
  std::string name;
  {
    JobRecord record(scratch / "job", Access::write);
    const JobRow row = record.begin_session("settings");
    EXPECT_EQ(row.session, 1);
    name = row.name;
    EXPECT_EQ(name.size(), 16U);
    record.commit(change_of(1), "state 1", 5);
    Change closing;
    closing.incidents.push_back({.number = 1, .session = 1, .epoch = 1, .outcome = "well"});
    record.commit(closing, "state 2", 6);
  }
  JobRecord record(scratch / "job", Access::read);
  EXPECT_EQ(record.job().name, name);
  EXPECT_EQ(record.job().state, "state 2");
  EXPECT_EQ(record.job().alive_ns, 6);
  EXPECT_EQ(record.job().settings, "settings");
  EXPECT_EQ(record.attempts(), change_of(1).attempts);
  EXPECT_EQ(record.nodes(), change_of(1).nodes);
  ASSERT_EQ(record.incidents().size(), 1U);
  EXPECT_EQ(record.incidents()[0].outcome, "well");
  ASSERT_EQ(record.events().size(), 3U);
  EXPECT_EQ(record.events()[2].number, 3);
  EXPECT_EQ(record.events()[2].time_ns, 12);
}

TEST(JobRecordTest, ANewSessionKeepsTheNameAndTheLog) {
  const ScratchDirectory scratch;
  JobRecord first(scratch / "job", Access::write);
  const JobRow before = first.begin_session("a");
  first.commit(change_of(1), "s", 1);
  JobRecord second(scratch / "job", Access::write);
  const JobRow after = second.begin_session("b");
  EXPECT_EQ(after.session, 2);
  EXPECT_EQ(after.name, before.name);
  EXPECT_EQ(after.state, "s");
  EXPECT_EQ(second.events().size(), 3U);
}

TEST(JobRecordTest, TheLogCannotBeChanged) {
  const ScratchDirectory scratch;
  JobRecord record(scratch / "job", Access::write);
  record.commit(change_of(1), "s", 1);
  Database direct(scratch / "job", Access::write);
  for (const char* sql : {"UPDATE events SET text = 'x'", "DELETE FROM events"}) {
    try {
      direct.run(sql);
      ADD_FAILURE() << sql << " was accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), HasSubstr("append-only"));
    }
  }
}

// Goal: a driver starts also while somebody looks at its new record. A reader that comes first locks the file
// for a moment, here a transaction for longer.
TEST(JobRecordTest, ANewRecordWaitsForALock) {
  const ScratchDirectory scratch;
  Database other(scratch / "job", Access::write);
  auto lock = std::make_unique<Transaction>(other);
  std::thread holder([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    lock.reset();
  });
  EXPECT_NO_THROW({
    JobRecord record(scratch / "job", Access::write);
    EXPECT_EQ(record.begin_session("settings").session, 1);
  });
  holder.join();
}

// Goal: of two drivers that create one record the second one finds that of the first.
TEST(JobRecordTest, TwoThatCreateARecordGetTheSameOne) {
  const ScratchDirectory scratch;
  std::array<std::string, 4> names;
  std::vector<std::thread> drivers;
  drivers.reserve(names.size());
  for (std::string& name : names) {
    drivers.emplace_back(
        [&] { name = JobRecord(scratch / "job", Access::write).begin_session("settings").name; });
  }
  for (std::thread& driver : drivers) driver.join();
  for (const std::string& name : names) EXPECT_EQ(name, names[0]);
}

TEST(JobRecordTest, WhatIsNoRecordIsRefused) {
  const ScratchDirectory scratch;
  const auto refusal = [](const std::filesystem::path& path, Access access) {
    try {
      const JobRecord record(path, access);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string();
  };
  EXPECT_THAT(refusal(scratch / "absent", Access::read), HasSubstr("does not exist"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "absent"));
  scratch.write("text", std::string(5000, 'x'));
  EXPECT_THAT(refusal(scratch / "text", Access::read), HasSubstr("not a database"));
  EXPECT_THAT(refusal(scratch / "text", Access::write), HasSubstr("not a database"));
  { const JobRecord record(scratch / "newer", Access::write); }
  Database(scratch / "newer", Access::write).run("PRAGMA user_version = 99");
  EXPECT_THAT(refusal(scratch / "newer", Access::read), HasSubstr("version 99"));
}

// A child commits changes one after the other until it is killed. Every change consists of rows of
// four tables and the state; the record must hold all of a change or nothing, and no committed one
// may be missing.
TEST(JobRecordTest, AKilledWriterLosesNoCommit) {
  const ScratchDirectory scratch;
  const PhiloxStream random(11, "kill the writer");
  std::int64_t last = 0;
  for (std::uint64_t round = 0; round < 15; ++round) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      JobRecord record(scratch / "job", Access::write);
      for (std::int64_t i = last + 1;; ++i) {
        record.commit(change_of(i), std::to_string(i), i);
        (void)!::write(pipe[1], "c", 1);
      }
    }
    ::close(pipe[1]);
    char byte = 0;
    ASSERT_EQ(::read(pipe[0], &byte, 1), 1);  // it has begun
    ::usleep(static_cast<unsigned>(random.bits(round) % 20'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    std::int64_t told = 1;
    while (::read(pipe[0], &byte, 1) == 1) ++told;
    ::close(pipe[0]);
    JobRecord record(scratch / "job", Access::read);
    const std::int64_t now = std::stoll(record.job().state);
    EXPECT_GE(now, last + told) << "a commit is lost in round " << round;
    EXPECT_LE(now, last + told + 1);
    EXPECT_EQ(record.attempts().size(), static_cast<std::size_t>(now));
    EXPECT_EQ(record.incidents().size(), static_cast<std::size_t>(now));
    EXPECT_EQ(record.events().size(), static_cast<std::size_t>(3 * now));
    EXPECT_EQ(record.nodes().at(0).incarnation, now);
    last = now;
  }
}

}  // namespace
}  // namespace megascale::control
