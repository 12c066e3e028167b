// A driver and executors in one process, which talk over mutual TLS; the ranks are shells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "control/secure/cluster.h"
#include "control/secure/log_lines.h"
#include "megascale/control/driver_settings.h"
#include "megascale/control/job_record.h"
#include "megascale/control/message_text.h"
#include "megascale/control/remote/control_messages.h"
#include "megascale/control/remote/driver_server.h"
#include "megascale/control/remote/host_lock.h"
#include "megascale/control/remote/host_service.h"
#include "megascale/train/directory_owner.h"
#include "support/watchdog.h"

namespace megascale::control {
namespace {

using namespace std::chrono_literals;
using megascale::testing::LogLines;
using megascale::testing::ScratchDirectory;
using megascale::testing::TestCluster;
using megascale::testing::Watchdog;
using secure::Role;
using ::testing::HasSubstr;

class RemoteTest : public ::testing::Test {
 protected:
  // `script` is what the ranks do: they are shells that run the file "train".
  void SetUp() override { std::filesystem::create_directories(scratch_ / "run"); }
  void TearDown() override {
    if (HasFailure()) std::cerr << log_.text() << hosts_log_.text();
    stop_driver();
    for (std::thread& host : hosts_) host.join();
  }
  void start_driver(bool takes_over = false) {
    DriverServerOptions options{.run_dir = scratch_ / "run",
                                .listen = address_,
                                .credentials = cluster_.directory(),
                                .on_message = log_.log()};
    options.takes_over = takes_over;
    options.session_key = session_key_;
    driver_ = std::make_unique<DriverServer>(std::move(options));
    address_ = driver_->address();
    stop_ = false;
    decisions_ = std::thread([this] { end_ = driver_->run(stop_); });
  }
  void stop_driver() {
    if (!driver_) return;
    stop_ = true;
    decisions_.join();
    driver_.reset();
  }
  // Waits until the job has ended.
  DriverEnd wait_for_driver() {
    decisions_.join();
    driver_.reset();
    return end_;
  }
  [[nodiscard]] DriverAddress as(Role role, const std::string& name) {
    return {.hosts = {address_, {.host = "127.0.0.2", .port = address_.port}},
            .credentials = cluster_.make_member(role, name)};
  }
  void start_host(const std::string& name, bool replaces = false) {
    hosts_.emplace_back([this, name, replaces, address = as(Role::executor, name)] {
      const ExecutorEnd end = serve_host({.driver = address,
                                          .name = {},
                                          .address = {},
                                          .replaces = replaces,
                                          .program = "/bin/sh",
                                          .call_limit = 1s,
                                          .on_message = hosts_log_.log()});
      const std::lock_guard lock(mutex_);
      ends_.emplace(name, end);
    });
  }
  [[nodiscard]] DriverSettings job(const std::string& script) const {
    std::ofstream(scratch_ / "train") << script;
    return {.world_size = 4,
            .arguments = {"megascale", "train", "x"},
            .heartbeat_seconds = 0.1,
            .lease_seconds = 20,
            .grace_seconds = 0.2,
            .backoff_seconds = 0,
            .hosts = 2,
            .directory = (scratch_ / "").string(),
            .run_dir = (scratch_ / "run").string(),
            .checkpoints = (scratch_ / "run/checkpoints").string()};
  }
  // The reply, or the message of the error.
  [[nodiscard]] std::string call_as(Role role, const char* verb, std::string_view request,
                                    const std::string& name = "someone") {
    const auto reply = DriverClient(as(role, name)).call(verb, request, 20s);
    return reply ? *reply : reply.error().message();
  }
  [[nodiscard]] nlohmann::json status() {
    return nlohmann::json::parse(call_as(Role::operator_, kStatusVerb, "{}"), nullptr, false);
  }
  template <class Condition>
  bool wait_until(const Condition& condition) const {
    for (int i = 0; i < 2000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }

  TestCluster cluster_;
  ScratchDirectory scratch_;
  LogLines log_, hosts_log_;
  secure::HostPort address_;
  std::unique_ptr<DriverServer> driver_;
  std::string session_key_;
  std::atomic<bool> stop_ = false;
  DriverEnd end_;
  std::thread decisions_;
  std::vector<std::thread> hosts_;
  std::mutex mutex_;
  std::map<std::string, ExecutorEnd> ends_;

 private:
  Watchdog watchdog_{"a test of driver and executors"};
};

// What every rank writes: its place, and where it finds the store.
constexpr const char* kTellPlace =
    "echo $RANK of $WORLD_SIZE, $LOCAL_RANK of $LOCAL_WORLD_SIZE, $MEGASCALE_STORE, "
    "$MEGASCALE_JOB_SECRET > place$RANK; ";

std::string line_of(const std::filesystem::path& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

TEST_F(RemoteTest, ASubmittedJobRunsOnTwoHostsToItsEnd) {
  start_driver();
  start_host("a");
  start_host("b");
  const std::string reply = call_as(Role::operator_, kSubmitVerb,
                                    to_text(job(std::string(kTellPlace) + "echo '{\"x\":1}'")));
  EXPECT_FALSE(parse_submit_reply(reply).was_running);
  EXPECT_EQ(wait_for_driver().exit_code, 0) << log_.text();
  for (std::thread& host : hosts_) host.join();
  hosts_.clear();
  EXPECT_EQ(ends_.at("a").exit_code, 0);
  EXPECT_EQ(ends_.at("a").output, "{\"x\":1}") << "of rank 0";
  EXPECT_EQ(ends_.at("b").exit_code, 0);
  const std::string first = line_of(scratch_ / "place0");
  EXPECT_THAT(first, HasSubstr("0 of 4, 0 of 2, tcp://127.0.0.1:"));
  const std::string store = first.substr(first.find("tcp:"));
  EXPECT_EQ(line_of(scratch_ / "place1"), "1 of 4, 1 of 2, " + store);
  EXPECT_EQ(line_of(scratch_ / "place2"), "2 of 4, 0 of 2, " + store);
  EXPECT_EQ(line_of(scratch_ / "place3"), "3 of 4, 1 of 2, " + store);
}

TEST_F(RemoteTest, AMemberMayDoWhatItsRoleAndItsNameAllow) {
  start_driver();
  const std::string submission = to_text(job("exit 0"));
  EXPECT_THAT(call_as(Role::executor, kSubmitVerb, submission), HasSubstr("may not call Submit"));
  EXPECT_THAT(call_as(Role::executor, kStatusVerb, "{}"), HasSubstr("may not call Status"));
  EXPECT_THAT(call_as(Role::operator_, kAttachVerb, to_text(AttachRequest{.host = "a"})),
              HasSubstr("may not call Attach"));
  EXPECT_THAT(call_as(Role::executor, kAttachVerb, to_text(AttachRequest{.host = "a"}), "b"),
              HasSubstr("executor b at 127.0.0.1"));
  const Heartbeat heartbeat{.job = "j", .host = "a", .incarnation = 1, .sequence = 1};
  EXPECT_THAT(call_as(Role::executor, kHeartbeatVerb, to_text(heartbeat), "b"),
              HasSubstr("may not speak for host a"));
  const Reply reply = parse_reply(call_as(Role::executor, kHeartbeatVerb, to_text(heartbeat), "a"));
  EXPECT_EQ(reply.refusal, Refusal::restart) << "there is no job";
  EXPECT_THAT(call_as(Role::operator_, kStopVerb, "{}"), HasSubstr("no job runs here"));
}

TEST_F(RemoteTest, ASubmissionThatCannotBeServedIsRefused) {
  start_driver();
  const auto answer = [&](DriverSettings settings) {
    return call_as(Role::operator_, kSubmitVerb, to_text(settings));
  };
  DriverSettings wrong = job("exit 0");
  wrong.arguments = {"sh", "-c", "echo"};
  EXPECT_THAT(answer(wrong), HasSubstr("`megascale train CONFIG`"));
  wrong = job("exit 0");
  wrong.run_dir = "/elsewhere";
  EXPECT_THAT(answer(wrong), HasSubstr("the job has train.run_dir /elsewhere"));
  wrong = job("exit 0");
  wrong.hosts = 3;
  EXPECT_THAT(answer(wrong), HasSubstr("found 4 ranks for 3 hosts"));
  wrong = job("exit 0");
  wrong.fewer_hosts = {wrong.hosts};
  EXPECT_THAT(answer(wrong), HasSubstr("expected fewer than 2 hosts"));
  wrong.fewer_hosts = {1};
  EXPECT_THAT(answer(wrong), HasSubstr("expected --ranks in the command line"));
  wrong.arguments.emplace_back("--ranks");  // without a number
  EXPECT_THAT(answer(wrong), HasSubstr("expected --ranks in the command line"));
  EXPECT_THAT(call_as(Role::operator_, kSubmitVerb, "{}"), HasSubstr("expected"));
}

TEST_F(RemoteTest, TheSameSubmissionAgainHasNoEffectAndAnotherIsRefused) {
  start_driver();
  start_host("a");
  start_host("b");
  DriverSettings endless = job("exec sleep 1000");
  EXPECT_FALSE(
      parse_submit_reply(call_as(Role::operator_, kSubmitVerb, to_text(endless))).was_running);
  EXPECT_TRUE(
      parse_submit_reply(call_as(Role::operator_, kSubmitVerb, to_text(endless))).was_running);
  endless.arguments.emplace_back("y");
  EXPECT_THAT(call_as(Role::operator_, kSubmitVerb, to_text(endless)),
              HasSubstr("runs here already, with other settings"));
  ASSERT_TRUE(wait_until([&] { return status().value("phase", "") == "starting"; }));
  EXPECT_EQ(call_as(Role::operator_, kStopVerb, "{}"), "{}");
  // The shells do not save: they are ended by SIGTERM while they start.
  EXPECT_EQ(wait_for_driver().exit_code, 1);
  EXPECT_THAT(end_.error, HasSubstr("stopped as asked"));
}

// The ranks never notice: the driver ends and another one goes on.
TEST_F(RemoteTest, ADriverThatComesBackGoesOnWithTheJob) {
  start_driver();
  start_host("a");
  start_host("b");
  ASSERT_THAT(call_as(Role::operator_, kSubmitVerb,
                      to_text(job("while [ ! -e go ]; do sleep 0.02; done; echo $RANK >> ranks"))),
              HasSubstr("was_running"));
  ASSERT_TRUE(wait_until([&] { return status().value("phase", "") == "starting"; }));
  for (int i = 0; i < 3; ++i) {
    stop_driver();
    EXPECT_FALSE(end_.has_ended);
    std::this_thread::sleep_for(300ms);
    start_driver();
  }
  EXPECT_EQ(status().at("attempt"), 1);
  std::ofstream(scratch_ / "go") << "x";
  EXPECT_EQ(wait_for_driver().exit_code, 0) << log_.text();
  std::ifstream file(scratch_ / "ranks");
  int ranks = 0;
  for (std::string line; std::getline(file, line);) ++ranks;
  EXPECT_EQ(ranks, 4) << "each rank ran once";
  EXPECT_TRUE(hosts_log_.has("the driver answers again"));
}

TEST_F(RemoteTest, ASecondExecutorOfAHostIsRefusedUnlessItReplacesTheFirst) {
  start_driver();
  start_host("a");
  DriverSettings one_host = job("while [ ! -e go ]; do sleep 0.02; done");
  one_host.hosts = 1;
  (void)call_as(Role::operator_, kSubmitVerb, to_text(one_host));
  ASSERT_TRUE(wait_until([&] { return status().value("attempt", 0) == 1; }));
  const auto is_served = [&](const std::string& host) {
    return parse_attach_reply(
               call_as(Role::executor, kAttachVerb, to_text(AttachRequest{.host = host}), host))
        .is_served;
  };
  EXPECT_TRUE(is_served("a"));
  EXPECT_FALSE(is_served("b"));
  try {
    (void)serve_host({.driver = as(Role::executor, "a"),
                      .name = {},
                      .address = {},
                      .program = "/bin/sh",
                      .on_message = hosts_log_.log()});
    ADD_FAILURE() << "two executors serve a host";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
    EXPECT_THAT(error.message(), HasSubstr("no other executor of host a serves the job in"));
    EXPECT_THAT(error.message(), HasSubstr("process " + std::to_string(::getpid())));
    EXPECT_THAT(error.message(), HasSubstr("--replace"));
  }
  EXPECT_EQ(status().value("attempt", 0), 1) << "nothing was started again";
  start_host("a", /*replaces=*/true);
  ASSERT_TRUE(wait_until([&] {
    const std::lock_guard lock(mutex_);
    return !ends_.empty();
  })) << hosts_log_.text();
  EXPECT_EQ(ends_.at("a").refusal, Refusal::leave);
  EXPECT_THAT(ends_.at("a").error, HasSubstr("was replaced by a newer one"));
  ASSERT_TRUE(wait_until([&] { return status().value("attempt", 0) == 2; }));
  std::ofstream(scratch_ / "go") << "x";
  EXPECT_EQ(wait_for_driver().exit_code, 0) << log_.text();
}

// The driver says that the first executor is silent: it is frozen and holds the lock.
TEST(HostLockTest, ASilentExecutorIsReplacedAndTheNextOneIsRefused) {
  const ScratchDirectory scratch;
  const RunDirectory run(scratch / "run");
  const HostLock silent(run, {.host = "a", .incarnation = 5});
  const HostLock second(run, {.host = "a", .incarnation = 6, .takes_over = true});
  EXPECT_THROW(HostLock(run, {.host = "a", .incarnation = 7}), Error);
  const HostLock other(run, {.host = "b", .incarnation = 1});
}

TEST_F(RemoteTest, AnOperatorEvictsAHostAndASpareTakesItsPlace) {
  start_driver();
  start_host("a");
  start_host("b");
  (void)call_as(Role::operator_, kSubmitVerb,
                to_text(job("while [ ! -e go ]; do sleep 0.02; done")));
  ASSERT_TRUE(wait_until([&] { return status().value("attempt", 0) == 1; }));
  start_host("c");
  ASSERT_TRUE(wait_until([&] { return status().at("hosts").size() == 3; }));
  EXPECT_THAT(call_as(Role::operator_, kBlockVerb, to_text(BlockRequest{.host = "d"})),
              HasSubstr("expected a host that has joined the job (a, b, c), found d"));
  EXPECT_EQ(call_as(Role::operator_, kBlockVerb, to_text(BlockRequest{.host = "b", .why = "hot"})),
            "{}");
  ASSERT_TRUE(wait_until([&] { return status().value("attempt", 0) == 2; }));
  const auto hosts = status().at("hosts");
  EXPECT_EQ(hosts[0].at("state"), "member");
  EXPECT_EQ(hosts[1].at("state"), "blocked: operator someone asked for it: hot");
  EXPECT_EQ(hosts[2].at("state"), "member");
  stop_driver();
  start_driver();
  EXPECT_THAT(status().at("hosts")[1].at("state").get<std::string>(), HasSubstr("blocked"));
  std::ofstream(scratch_ / "go") << "x";
  EXPECT_EQ(wait_for_driver().exit_code, 0) << log_.text();
}

// A job of four ranks that wait for the file "go", and whose driver is gone. It seems to have run on
// another host.
class LostDriverTest : public RemoteTest {
 protected:
  void SetUp() override {
    RemoteTest::SetUp();
    start_driver();
    start_host("a");
    start_host("b");
    submit();
    ASSERT_TRUE(all_ranks_run());
  }
  // Waits until every rank of the newest submission runs.
  [[nodiscard]] bool all_ranks_run() const {
    return wait_until([&] {
      return std::filesystem::exists(scratch_ / "up0") &&
             std::filesystem::exists(scratch_ / "up1") &&
             std::filesystem::exists(scratch_ / "up2") && std::filesystem::exists(scratch_ / "up3");
    });
  }
  void submit() {
    for (const char* mark : {"up0", "up1", "up2", "up3"}) std::filesystem::remove(scratch_ / mark);
    const std::string script =
        "echo > up$RANK; while [ ! -e go ]; do sleep 0.02; done; echo $RANK >> ranks";
    ASSERT_THAT(call_as(Role::operator_, kSubmitVerb, to_text(job(script))),
                HasSubstr("was_running"));
  }
  void move_driver_away() {
    JobRecord(record(), Database::Access::write).set_driver("elsewhere", 7);
  }
  void expect_that_each_rank_ran_once() {
    std::ofstream(scratch_ / "go") << "x";
    EXPECT_EQ(wait_for_driver().exit_code, 0) << log_.text();
    std::ifstream file(scratch_ / "ranks");
    int ranks = 0;
    for (std::string line; std::getline(file, line);) ++ranks;
    EXPECT_EQ(ranks, 4);
  }
  [[nodiscard]] std::filesystem::path record() const { return scratch_ / "run/control/job.sqlite"; }
};

TEST_F(LostDriverTest, ADriverOnAnotherHostTakesOverOnlyIfItIsAskedTo) {
  stop_driver();
  move_driver_away();
  const secure::HostPort first = address_;
  address_ = {};  // where no executor looks for it
  start_driver();
  EXPECT_TRUE(log_.has("process 7 of host elsewhere"));
  EXPECT_TRUE(log_.has("start this driver with --take-over"));
  stop_driver();
  move_driver_away();
  address_ = {.host = "127.0.0.2", .port = first.port};
  start_driver(/*takes_over=*/true);
  ASSERT_TRUE(wait_until([&] { return hosts_log_.has("the driver answers again"); }));
  EXPECT_EQ(status().at("attempt"), 1);
  EXPECT_EQ(status().at("term"), 2);
  expect_that_each_rank_ran_once();
}

// The host of the driver was only cut off. Its driver sees the new owner of the directory.
TEST_F(LostDriverTest, TheDriverBeforeEndsByItself) {
  const train::DirectoryOwner other(scratch_ / "run/control", 2);
  EXPECT_EQ(wait_for_driver().exit_code, 2);
  EXPECT_FALSE(end_.has_ended);
  EXPECT_THAT(end_.error, HasSubstr("another one has taken the job over"));
  start_driver();  // the ranks go on, and it is the only one again
  expect_that_each_rank_ran_once();
}

// As a scheduler does it that kills a job and starts it again on the same host.
TEST_F(LostDriverTest, ADriverOfAnotherStartBeginsANewSession) {
  stop_driver();
  session_key_ = "17.1";
  start_driver();
  EXPECT_TRUE(log_.has("has the key \"\", this driver \"17.1\""));
  submit();
  ASSERT_TRUE(wait_until([&] { return status().value("attempt", 0) == 2; }));
  // A rank of attempt 1 lives until its executor has the order to start attempt 2.
  ASSERT_TRUE(all_ranks_run());
  stop_driver();
  start_driver();
  EXPECT_EQ(status().at("session"), 2) << "of the same start";
  EXPECT_EQ(status().at("attempt"), 2);
  expect_that_each_rank_ran_once();
}

TEST_F(LostDriverTest, WithoutItsRecordASubmissionIsEnough) {
  stop_driver();
  for (const std::string_view ending : Database::kFiles)
    std::filesystem::remove(record().string().append(ending));
  std::ofstream(record()) << "no database" << std::string(4096, 'x');
  start_driver(/*takes_over=*/true);
  EXPECT_TRUE(log_.has("a new record begins"));
  ASSERT_TRUE(wait_until([&] { return hosts_log_.has("waits for a submission"); }));
  submit();
  ASSERT_TRUE(wait_until([&] { return status().value("attempt", 0) == 1; }));
  EXPECT_TRUE(wait_until([&] { return log_.has("with all ranks: they go on"); })) << log_.text();
  expect_that_each_rank_ran_once();
}

TEST_F(RemoteTest, TwoDriversCannotServeOneRunDirectory) {
  start_driver();
  DriverServerOptions options{.run_dir = scratch_ / "run",
                              .listen = {},
                              .credentials = cluster_.directory(),
                              .on_message = log_.log()};
  EXPECT_THAT(megascale::testing::message_of_error([&] { DriverServer second(options); }),
              HasSubstr("in use by"));
}

}  // namespace
}  // namespace megascale::control
