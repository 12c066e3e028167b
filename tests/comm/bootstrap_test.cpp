// Goal: every rank ends up with its peers, or all end with one error that names the culprit.
// Method: ranks as threads and as forked processes, random delays, both kinds of store.
#include "megascale/comm/bootstrap/bootstrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "comm/store_support.h"
#include "megascale/base/philox.h"
#include "megascale/comm/bootstrap/barrier_per_group.h"
#include "megascale/comm/bootstrap/rendezvous.h"
#include "megascale/parallel/rank_grid.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using graph::Axis;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunningStore;
using testing::Watchdog;
using Groups = std::vector<std::vector<std::uint32_t>>;

// Tensor 2, data 3, pipeline 2: twelve ranks.
const parallel::RankGrid kGrid(graph::AxisSizes{{2, 1, 3, 1, 1, 1, 2}});

Groups groups_of(std::uint32_t rank) {
  return {kGrid.group(rank, {Axis::tensor}), kGrid.group(rank, {Axis::data}),
          kGrid.group(rank, {Axis::pipeline})};
}

BootstrapOptions options_of(std::uint32_t rank, std::uint32_t world_size) {
  BootstrapOptions options;
  options.self.rank = rank;
  options.self.host = {
      .hostname = "host" + std::to_string(rank / 4), .host_id = "h", .pid = 1000 + rank};
  options.self.endpoint = "endpoint " + std::to_string(rank);
  options.world_size = world_size;
  options.digest = {.configuration = "c0ffee",
                    .binary = "b1",
                    .plan = "p1",
                    .threads_per_rank = 4,
                    .vector_target = "AVX3",
                    .vector_level = 3};
  if (world_size == kGrid.world_size()) options.groups = groups_of(rank);
  options.timeout = 600s;  // beyond the watchdog
  return options;
}

Result<Launch> start(const StoreOptions& store, BootstrapOptions options,
                     StoreCounts* counts = nullptr) {
  PollSet polls;
  const auto client = make_store_client(store, polls, 0);
  Bootstrap bootstrap(*client, std::move(options));
  auto launch = run(bootstrap, *client, polls);
  if (counts != nullptr) *counts = client->counts();
  return launch;
}

// Each rank on a thread of its own, after a delay of up to `most`.
std::vector<Result<Launch>> start_all(const StoreOptions& store,
                                      std::vector<BootstrapOptions> ranks,
                                      std::chrono::milliseconds most = 0ms,
                                      std::uint64_t seed = 1) {
  std::vector<Result<Launch>> launches(ranks.size());
  std::vector<std::thread> threads;
  const PhiloxStream random(seed, "delay");
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    threads.emplace_back([&, i] {
      std::this_thread::sleep_for(most * static_cast<int>(random.bits(i) % 100) / 100);
      launches[i] = start(store, std::move(ranks[i]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return launches;
}

std::vector<BootstrapOptions> world(std::uint32_t size) {
  std::vector<BootstrapOptions> ranks;
  for (std::uint32_t rank = 0; rank < size; ++rank) ranks.push_back(options_of(rank, size));
  return ranks;
}

void expect_peers(const Result<Launch>& launch, std::uint32_t rank) {
  ASSERT_TRUE(launch) << launch.error().message();
  auto expected = peers_of(999, groups_of(rank));
  ASSERT_EQ(launch->records.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(launch->records[i], options_of(expected[i], 12).self);
    EXPECT_EQ(launch->find(expected[i]), &launch->records[i]);
  }
  for (std::uint32_t other = 0; other < 12; ++other) {
    const bool is_peer = std::find(expected.begin(), expected.end(), other) != expected.end();
    EXPECT_EQ(launch->find(other) != nullptr, is_peer);
  }
}

// The same error on all ranks.
void expect_refused(const std::vector<Result<Launch>>& launches,
                    const ::testing::Matcher<const std::string&>& message) {
  for (const auto& launch : launches) {
    ASSERT_FALSE(launch);
    EXPECT_THAT(launch.error().message(), message);
    EXPECT_EQ(launch.error().message(), launches.front().error().message());
  }
}

class BootstrapTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    if (!RunningStore::can_run(GetParam()))
      GTEST_SKIP() << "no redis-server in PATH, or built without hiredis";
    server_ = std::make_unique<RunningStore>(GetParam());
  }
  [[nodiscard]] StoreOptions store() const { return server_->options(); }
  [[nodiscard]] RunningStore& server() { return *server_; }

 private:
  Watchdog watchdog_{"BootstrapTest", 90s};
  std::unique_ptr<RunningStore> server_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, BootstrapTest,
                         ::testing::Values(StoreKind::embedded, StoreKind::redis),
                         [](const auto& kind) {
                           return kind.param == StoreKind::redis ? "Redis" : "Embedded";
                         });

TEST_P(BootstrapTest, EveryRankGetsItsPeersAndNobodyElse) {
  const auto launches = start_all(store(), world(12));
  for (std::uint32_t rank = 0; rank < 12; ++rank) expect_peers(launches[rank], rank);
}

TEST_P(BootstrapTest, WhateverTheOrderOfArrival) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    StoreOptions job = store();
    if (GetParam() == StoreKind::redis) job.job += std::to_string(seed);
    RunningStore fresh(StoreKind::embedded);
    const auto launches =
        start_all(GetParam() == StoreKind::redis ? job : fresh.options(), world(12), 120ms, seed);
    SCOPED_TRACE(seed);
    for (std::uint32_t rank = 0; rank < 12; ++rank) expect_peers(launches[rank], rank);
  }
}

TEST_P(BootstrapTest, OneAndThreeRanks) {
  EXPECT_EQ(start(store(), options_of(0, 1)).value().records.size(), 1U);
  StoreOptions other = store();
  RunningStore fresh(StoreKind::embedded);
  if (GetParam() == StoreKind::redis) {
    other.job = "three";
  } else {
    other = fresh.options();
  }
  auto ranks = world(3);
  for (auto& rank : ranks) rank.groups = {{0, 1, 2}};
  for (const auto& launch : start_all(other, ranks)) EXPECT_EQ(launch.value().records.size(), 3U);
}

// One thread drives all ranks, as the benchmark does; and the requests are O(1) per rank.
TEST_P(BootstrapTest, OneThreadDrivesAllRanksWithAFewRequestsEach) {
  PollSet polls;
  std::vector<std::unique_ptr<StoreClient>> clients;
  std::vector<std::unique_ptr<Bootstrap>> ranks;
  for (std::uint32_t rank = 0; rank < 12; ++rank) {
    clients.push_back(make_store_client(store(), polls, rank));
    ranks.push_back(std::make_unique<Bootstrap>(*clients[rank], options_of(rank, 12)));
  }
  for (std::size_t over = 0; over < ranks.size();) {
    over = 0;
    for (auto& rank : ranks) over += rank->poll() ? 1 : 0;
    if (over < ranks.size()) polls.wait(10ms);
  }
  int judges = 0;
  for (std::uint32_t rank = 0; rank < 12; ++rank) {
    expect_peers(ranks[rank]->take(), rank);
    EXPECT_EQ(ranks[rank]->global_barriers(), 1U);
    // Authentication, publishing, counting, the verdict (with Redis asked and slept for), the
    // peers; the last to arrive reads all and announces instead.
    const bool last = clients[rank]->counts().requests == 7;
    EXPECT_TRUE(last || clients[rank]->counts().requests <= 6) << clients[rank]->counts().requests;
    judges += last ? 1 : 0;
  }
  EXPECT_LE(judges, 1);
}

TEST_P(BootstrapTest, AnotherConfigurationIsRefusedByAllAndNamed) {
  auto ranks = world(12);
  ranks[5].digest.configuration = "deca f";
  expect_refused(
      start_all(store(), ranks),
      AllOf(HasSubstr("rank 5 (host host1, process 1005) was started with another configuration"),
            HasSubstr("deca f"), HasSubstr("c0ffee"), HasSubstr("11 ranks"),
            Not(HasSubstr("binary:"))));
}

TEST_P(BootstrapTest, AnotherCorpusBehindTheSamePathIsNamed) {
  auto ranks = world(12);
  for (auto& rank : ranks) rank.digest.data = "d1";
  ranks[8].digest.data = "d2";
  expect_refused(start_all(store(), ranks),
                 AllOf(HasSubstr("rank 8"), HasSubstr("another content of the data sets"),
                       HasSubstr("d2, expected d1"), HasSubstr(".bin and .idx")));
}

TEST_P(BootstrapTest, SeveralDifferencesAreNamedAtOnce) {
  auto ranks = world(12);
  ranks[0].digest.plan = "p2";
  ranks[3].digest.binary = ranks[4].digest.binary = "b2";
  ranks[7].digest.threads_per_rank = 5;
  const auto launches = start_all(store(), ranks, 30ms);
  expect_refused(
      launches,
      AllOf(
          HasSubstr("rank 0 (host host0, process 1000) was started with another plan"),
          HasSubstr("rank 3"),
          HasSubstr("rank 4 (host host1, process 1004) were started with another binary"),
          HasSubstr("another number of threads per rank than the other 11 ranks: 5, expected 4")));
  EXPECT_EQ(launches[0].error().code(), ErrorCode::bad_usage);
}

TEST_P(BootstrapTest, RanksAgreeOnTheLowestVectorTarget) {
  auto ranks = world(12);
  ranks[9].digest.vector_target = "AVX2";
  ranks[9].digest.vector_level = 2;
  for (const auto& launch : start_all(store(), ranks))
    EXPECT_EQ(launch.value().vector_target, "AVX2");
}

TEST_P(BootstrapTest, ARankThatNeverArrivesIsNamedAfterTheDeadline) {
  auto ranks = world(12);
  for (auto& rank : ranks) rank.timeout = 300ms;
  ranks.erase(ranks.begin() + 10);
  ranks.erase(ranks.begin() + 4);
  const auto begin = Clock::now();
  const auto launches = start_all(store(), ranks, 50ms);
  EXPECT_GE(Clock::now() - begin, 300ms);
  EXPECT_LT(Clock::now() - begin, 9s);  // the diagnosis itself takes no time
  expect_refused(launches,
                 AllOf(HasSubstr("2 of 12 ranks did not arrive within 0.3 s: ranks 4, 10;"),
                       HasSubstr("log")));
  EXPECT_EQ(launches[0].error().code(), ErrorCode::timeout);
  // Who comes too late hears the same, at once.
  const auto late = start(store(), options_of(4, 12));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message(), launches[0].error().message());
}

TEST_P(BootstrapTest, AnotherWorldSizeIsNamed) {
  auto ranks = world(6);
  for (auto& rank : ranks) rank.timeout = 300ms;
  ranks[2].world_size = 7;
  expect_refused(
      start_all(store(), ranks),
      AllOf(HasSubstr("rank 2 "), HasSubstr("another world size"), HasSubstr("7, expected 6")));
}

TEST_P(BootstrapTest, TwoProcessesOfOneRankAreNamed) {
  Result<Launch> first, other;
  std::thread waiting([&] { first = start(store(), options_of(2, 3)); });
  std::thread bystander([&] { other = start(store(), options_of(0, 3)); });
  Store observer(store());
  while (observer.add("arrived", 0).value_or(0) < 2) std::this_thread::sleep_for(1ms);
  BootstrapOptions second = options_of(2, 3);
  second.self.host = {.hostname = "elsewhere", .pid = 77};
  const auto refused = start(store(), second);
  waiting.join();
  bystander.join();
  expect_refused(
      {refused, first, other},
      AllOf(HasSubstr("two processes were started as rank 2"),
            HasSubstr("rank 2 (host host0, process 1002), and process 77 on host elsewhere")));
}

TEST_P(BootstrapTest, TheLossOfTheStoreEndsTheWait) {
  auto ranks = world(12);
  ranks.pop_back();
  std::thread killer([&] {
    std::this_thread::sleep_for(100ms);
    server().stop();
  });
  const auto begin = Clock::now();
  const auto launches = start_all(store(), ranks);
  killer.join();
  EXPECT_LT(Clock::now() - begin, 15s);
  for (const auto& launch : launches) {
    ASSERT_FALSE(launch);
    EXPECT_EQ(launch.error().code(), ErrorCode::peer_lost);
    EXPECT_THAT(launch.error().message(), AllOf(HasSubstr(to_string(store().address)),
                                                HasSubstr("'verdict'"), HasSubstr("of 12")));
  }
}

TEST_P(BootstrapTest, TheOldOrderGetsTheSamePeersForManyMoreRequests) {
  Groups all;
  for (const graph::AxisSet axes : {graph::AxisSet{Axis::tensor}, {Axis::data}, {Axis::pipeline}}) {
    for (std::uint32_t rank = 0; rank < 12; ++rank) {
      if (auto group = kGrid.group(rank, axes); group.front() == rank)
        all.push_back(std::move(group));
    }
  }
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < 12; ++rank) {
    threads.emplace_back([&, rank] {
      PollSet polls;
      const auto client = make_store_client(store(), polls, 0);
      BarrierPerGroup startup(*client, options_of(rank, 12), all);
      expect_peers(run(startup, *client, polls), rank);
      EXPECT_EQ(startup.global_barriers(), all.size());
      EXPECT_GT(client->counts().requests, 2 * all.size());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Forked before any thread is there; returns how each child ended.
class Children {
 public:
  template <class Body>
  void add(const Body& body) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(body());
    pids_.push_back(pid);
  }
  [[nodiscard]] std::vector<int> wait() const {
    std::vector<int> codes;
    for (const pid_t pid : pids_) {
      int status = 0;
      ::waitpid(pid, &status, 0);
      codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
    return codes;
  }
  [[nodiscard]] pid_t id(std::size_t i) const { return pids_[i]; }

 private:
  std::vector<pid_t> pids_;
};

StoreAddress unused_address() {
  return StoreServer({.address = {}, .secret = JobSecret::random()}).address();
}

constexpr int kMet = 10, kRefused = 11, kOther = 12;

// A rank as a process: rank 0 runs the store.
int run_process(std::uint32_t rank, std::uint32_t world_size, const StoreAddress& address,
                const JobSecret& secret, std::string plan, std::chrono::milliseconds timeout) {
  ::alarm(60);
  std::this_thread::sleep_for(std::chrono::milliseconds(rank * 37 % 5 * 20));
  try {
    Rendezvous rendezvous({.rank = rank, .world_size = world_size, .store = address, .job = "j#0"},
                          secret, timeout);
    std::vector<std::uint32_t> everyone;
    for (std::uint32_t other = 0; other < world_size; ++other) everyone.push_back(other);
    const auto launch =
        rendezvous.meet("at " + std::to_string(rank), {.plan = std::move(plan)}, {everyone});
    if (!launch)
      return launch.error().message().find("rank 1 (") != std::string::npos ? kRefused : kOther;
    for (const RankRecord& record : launch->records) {
      if (record.endpoint != "at " + std::to_string(record.rank)) return kOther;
      if (record.host.host_id != this_process().host_id) return kOther;
    }
    return launch->records.size() == world_size ? kMet : kOther;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kOther;
  }
}

TEST(RendezvousTest, ProcessesMeetAndAllReadTheVerdict) {
  const StoreAddress address = unused_address();
  const JobSecret secret = JobSecret::random();
  for (const bool differs : {false, true}) {
    Children children;
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
      children.add([&] {
        return run_process(rank, 6, address, secret, differs && rank == 1 ? "p2" : "p1", 30s);
      });
    }
    EXPECT_THAT(children.wait(), ::testing::Each(differs ? kRefused : kMet));
  }
}

TEST(RendezvousTest, AKilledProcessIsMissedByTheOthers) {
  const StoreAddress address = unused_address();
  const JobSecret secret = JobSecret::random();
  Children children;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    children.add([&] {
      if (rank == 2) ::raise(SIGKILL);
      return run_process(rank, 3, address, secret, "p", 500ms);
    });
  }
  EXPECT_THAT(children.wait(), ::testing::ElementsAre(kOther, kOther, -SIGKILL));
}

// Goal: rank 0, which runs the store, does not take it away from ranks that are slower.
// Method: rank 1 counts its arrival and then sleeps through everything that rank 0 does.
TEST(RendezvousTest, TheStoreStaysUntilAllHaveRead) {
  const Watchdog watchdog("a slow rank", 60s);
  const JobSecret secret = JobSecret::random();
  auto rendezvous = std::make_unique<Rendezvous>(
      LaunchEnvironment{.rank = 0, .world_size = 2, .job = "slow"}, secret, 600s);
  PollSet polls;
  auto client = make_store_client(rendezvous->store_options(), polls, 0);
  BootstrapOptions options;
  options.self.rank = 1;
  options.world_size = 2;
  options.groups = {{0, 1}};
  Bootstrap bootstrap(*client, options);
  {
    Store observer(rendezvous->store_options());
    while (!bootstrap.poll() && observer.add("arrived", 0).value_or(0) < 1) polls.wait(1ms);
  }
  std::atomic<bool> over{false};
  std::thread rank0([&] {
    EXPECT_TRUE(rendezvous->meet("0", {}, {{0, 1}}));
    rendezvous.reset();
    over = true;
  });
  std::this_thread::sleep_for(200ms);
  EXPECT_FALSE(over);
  const auto launch = run(bootstrap, *client, polls);
  EXPECT_TRUE(launch) << launch.error().message();
  // And no longer than that.
  const auto begin = Clock::now();
  client.reset();
  rank0.join();
  EXPECT_LT(Clock::now() - begin, 9s);
}

TEST(RankRecordTest, RecordsReadBackAndOthersAreRefused) {
  const RankRecord record = options_of(3, 12).self;
  EXPECT_EQ(parse_rank_record(encode(record)).value(), record);
  const LaunchRecord launch{
      .rank = 3, .world_size = 12, .hostname = "h", .pid = 9, .digest = options_of(3, 12).digest};
  EXPECT_EQ(parse_launch_record(encode(launch)).value(), launch);
  for (const std::string& text : {encode(record), encode(launch)}) {
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
      EXPECT_FALSE(parse_rank_record(text.substr(0, cut)));
      EXPECT_FALSE(parse_launch_record(text.substr(0, cut)));
    }
    EXPECT_FALSE(parse_rank_record(text + "x"));
    EXPECT_FALSE(parse_launch_record(text + "x"));
  }
  EXPECT_FALSE(parse_rank_record(encode(launch)));
}

TEST(JudgeTest, TheCommonValueIsTheMeantOneAndRankZerosAmongEquals) {
  std::vector<std::optional<LaunchRecord>> records(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    records[rank] = LaunchRecord{
        .rank = rank, .world_size = 4, .hostname = "h", .digest = {.plan = rank < 2 ? "a" : "b"}};
  EXPECT_THAT(judge(records, "1 s").error->message(),
              AllOf(HasSubstr("rank 2"), HasSubstr("rank 3"), HasSubstr("b, expected a")));
  records[1]->digest.plan = "b";
  EXPECT_THAT(judge(records, "1 s").error->message(),
              AllOf(HasSubstr("rank 0 (host h, process 0) was"), HasSubstr("a, expected b")));
  records[0]->digest.plan = "b";
  EXPECT_FALSE(judge(records, "1 s").error);
  records[3].reset();
  EXPECT_THAT(judge(records, "1 s").error->message(),
              HasSubstr("1 of 4 ranks did not arrive within 1 s: rank 3;"));
}

}  // namespace
}  // namespace megascale::comm
