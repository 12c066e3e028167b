// Both kinds of store against the contract of store.h.
#include "megascale/comm/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <set>
#include <thread>

#include "comm/store_support.h"
#include "megascale/base/philox.h"
#include "megascale/comm/store/limits.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::RunningStore;
using testing::Watchdog;
using Values = std::vector<std::optional<std::string>>;

// Beyond the watchdog: a wait that only its timeout ends is a failure.
constexpr std::chrono::milliseconds kLong = 600s;

class StoreTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    if (!RunningStore::can_run(GetParam()))
      GTEST_SKIP() << "no redis-server in PATH, or built without hiredis";
    server_ = std::make_unique<RunningStore>(GetParam());
  }
  [[nodiscard]] RunningStore& server() { return *server_; }
  [[nodiscard]] StoreOptions options() const { return server_->options(); }
  [[nodiscard]] std::string address() const { return to_string(options().address); }

 private:
  Watchdog watchdog_{"StoreTest", 60s};
  std::unique_ptr<RunningStore> server_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, StoreTest, ::testing::Values(StoreKind::embedded, StoreKind::redis),
                         [](const auto& kind) {
                           return kind.param == StoreKind::redis ? "Redis" : "Embedded";
                         });

TEST_P(StoreTest, KeepsValuesAndCounters) {
  Store a(options()), b(options());
  ASSERT_TRUE(a.set("text", std::string("\0\r\n x", 5)));
  ASSERT_TRUE(a.set_all({"one", "two"}, {"1", ""}));
  EXPECT_EQ(b.get("text", 0ms).value(), std::string("\0\r\n x", 5));
  EXPECT_EQ(b.get_all({"two", "text", "two"}, 0ms).value()[2], "");
  EXPECT_EQ(b.peek({"one", "none", "two"}).value(), (Values{"1", std::nullopt, ""}));
  ASSERT_TRUE(b.set("one", "uno"));
  EXPECT_EQ(a.get("one", 0ms).value(), "uno");
  EXPECT_EQ(a.add("count", 5).value(), 5);
  EXPECT_EQ(b.add("count", -7).value(), -2);
  EXPECT_EQ(b.peek({"count"}).value(), Values{"-2"});
  EXPECT_TRUE(a.erase({"count", "one", "none"}));
  EXPECT_EQ(b.peek({"count", "one"}).value(), (Values{std::nullopt, std::nullopt}));
  EXPECT_EQ(b.add("count", 1).value(), 1);
  EXPECT_GT(a.counts().requests, 4U);
}

TEST_P(StoreTest, SetNewIsWonOnce) {
  constexpr int kClients = 6;
  std::vector<int> won(kClients);
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      Store store(options());
      won[static_cast<std::size_t>(i)] = store.set_new("rank/0", std::to_string(i)).value() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(std::count(won.begin(), won.end(), 1), 1);
  const auto winner = std::find(won.begin(), won.end(), 1) - won.begin();
  EXPECT_EQ(Store(options()).get("rank/0", 0ms).value(), std::to_string(winner));
}

TEST_P(StoreTest, WaitsUntilAllKeysAreThere) {
  std::thread setter([&] {
    Store store(options());
    for (const char* key : {"c", "a", "b"}) {
      std::this_thread::sleep_for(20ms);
      EXPECT_TRUE(store.set(key, std::string("of ") + key));
    }
  });
  Store store(options());
  const auto values = store.get_all({"a", "b", "c", "a"}, kLong);
  setter.join();
  ASSERT_TRUE(values) << values.error().message();
  EXPECT_EQ(*values, (std::vector<std::string>{"of a", "of b", "of c", "of a"}));
}

TEST_P(StoreTest, CountersWakeEveryoneWhoseCountIsReached) {
  constexpr int kClients = 8, kRounds = 5;
  std::vector<std::thread> threads;
  std::atomic<int> inside{0};
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&] {
      Store store(options());
      for (int round = 1; round <= kRounds; ++round) {
        ++inside;
        ASSERT_TRUE(store.add("barrier", 1));
        const auto reached = store.wait("barrier", round * kClients, kLong);
        ASSERT_TRUE(reached) << reached.error().message();
        // Nobody leaves a round before all have entered it.
        EXPECT_GE(inside.load(), round * kClients);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(StoreTest, TimeoutsNameWhatIsMissingAndLeaveTheClientUsable) {
  Store store(options());
  ASSERT_TRUE(store.set("there", "1"));
  const auto begin = Clock::now();
  const auto values = store.get_all({"there", "missing"}, 80ms);
  EXPECT_GE(Clock::now() - begin, 80ms);
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().code(), ErrorCode::timeout);
  EXPECT_THAT(values.error().message(),
              AllOf(HasSubstr(address()), HasSubstr("'missing'"), HasSubstr("80 ms")));
  EXPECT_THAT(values.error().message(), ::testing::Not(HasSubstr("'there'")));
  ASSERT_TRUE(store.add("count", 2));
  const auto count = store.wait("count", 3, 30ms);
  ASSERT_FALSE(count);
  EXPECT_THAT(count.error().message(), AllOf(HasSubstr("'count'"), HasSubstr("2 of 3")));
  EXPECT_EQ(store.get("there", 1s).value(), "1");
  // A wait that has ended leaves nothing behind that a later one could trip over.
  ASSERT_TRUE(Store(options()).add("count", 1));
  EXPECT_EQ(store.wait("count", 3, 1s).value(), 3);
}

TEST_P(StoreTest, AnErasedKeyIsWaitedForAgain) {
  Store store(options());
  for (int round = 0; round < 3; ++round) {
    std::thread setter([&, round] {
      std::this_thread::sleep_for(15ms);
      EXPECT_TRUE(Store(options()).set("key", std::to_string(round)));
    });
    const auto value = store.get("key", kLong);
    setter.join();
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(*value, std::to_string(round));
    ASSERT_TRUE(store.erase({"key"}));
  }
}

// Goal: any sequence of requests gives what a plain map gives.  Method: random requests, one
// client.
TEST_P(StoreTest, AgreesWithAMap) {
  constexpr std::uint64_t kSeed = 11;
  const PhiloxStream random(kSeed, "store");
  std::map<std::string, std::string> values;
  std::map<std::string, std::int64_t> counters;
  Store store(options());
  for (std::uint64_t i = 0; i < 600; ++i) {
    const std::uint64_t bits = random.bits(i);
    const std::string key = "v" + std::to_string(bits / 8 % 7),
                      other = "v" + std::to_string(bits / 64 % 7);
    const std::string counter = "c" + std::to_string(bits / 8 % 3), text(bits / 512 % 40, 'x');
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", request " + std::to_string(i));
    switch (bits % 6) {
      case 0:
        ASSERT_TRUE(store.set_all({key, other}, {text, text + "+"}));
        values[key] = text;
        values[other] = text + "+";
        break;
      case 1:
        ASSERT_EQ(store.set_new(key, text).value(), values.try_emplace(key, text).second);
        break;
      case 2:
        ASSERT_EQ(store.add(counter, static_cast<std::int64_t>(bits / 512 % 40) - 20).value(),
                  counters[counter] += static_cast<std::int64_t>(bits / 512 % 40) - 20);
        break;
      case 3:
        ASSERT_TRUE(store.erase({key, counter}));
        values.erase(key);
        counters.erase(counter);
        break;
      default:
        Values want;
        for (const std::string& asked : {key, other}) {
          want.push_back(values.contains(asked) ? std::optional(values[asked]) : std::nullopt);
        }
        want.push_back(counters.contains(counter) ? std::optional(std::to_string(counters[counter]))
                                                  : std::nullopt);
        ASSERT_EQ(store.peek({key, other, counter}).value(), want);
    }
  }
}

TEST_P(StoreTest, TakesWhatTheLimitsAllowAndNoMore) {
  Store store(options());
  const std::string large(kMaxValueNbytes, 'v'), key(kMaxKeyNbytes, 'k');
  ASSERT_TRUE(store.set(key, large));
  EXPECT_EQ(store.get(key, 0ms).value(), large);
  const auto too_large = Store(options()).set("key", large + "v");
  ASSERT_FALSE(too_large);
  EXPECT_THAT(too_large.error().message(), AllOf(HasSubstr("1048577"), HasSubstr("'key'")));
  EXPECT_FALSE(Store(options()).set(key + "k", ""));
  EXPECT_FALSE(Store(options()).set("", ""));
  EXPECT_FALSE(Store(options()).peek({}));
  EXPECT_FALSE(Store(options()).peek(std::vector<std::string>(kMaxKeysPerRequest + 1, "k")));
  EXPECT_EQ(store.peek(std::vector<std::string>(kMaxKeysPerRequest, "k")).value().size(),
            kMaxKeysPerRequest);
}

// Goal: one thread drives many clients, and one set wakes all of them.
TEST_P(StoreTest, OneThreadDrivesManyClients) {
  constexpr std::size_t kClients = 200;
  PollSet polls;
  std::vector<std::unique_ptr<StoreClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(make_store_client(options(), polls, i));
    clients[i]->start({{.op = StoreOp::add, .keys = {"arrived"}, .number = 1},
                       {.op = StoreOp::get, .keys = {"go"}, .timeout = kLong},
                       {.op = StoreOp::add, .keys = {"left"}, .number = 1}});
  }
  std::set<std::size_t> over;
  bool released = false;
  const auto poll = [&](std::size_t i) {
    if (over.contains(i) || !clients[i]->poll()) return;
    over.insert(i);
    const auto replies = clients[i]->take();
    ASSERT_TRUE(replies) << replies.error().message();
    ASSERT_EQ(replies->size(), 3U);
    EXPECT_EQ((*replies)[1].values, Values{"now"});
  };
  Store observer(options());
  for (std::size_t i = 0; i < kClients; ++i) poll(i);
  while (over.size() < kClients) {
    for (const auto& ready : polls.wait(10ms)) poll(ready.token);
    if (!released && observer.add("arrived", 0).value() == kClients) {
      EXPECT_TRUE(over.empty());
      EXPECT_EQ(observer.peek({"left"}).value(), Values{std::nullopt});
      released = true;
      ASSERT_TRUE(observer.set("go", "now"));
    }
  }
  EXPECT_EQ(observer.add("left", 0).value(), kClients);
}

TEST_P(StoreTest, AnotherSecretIsRefused) {
  StoreOptions wrong = options();
  wrong.secret = JobSecret("another secret of the same kind");
  const auto begin = Clock::now();
  const auto set = Store(wrong).set("key", "value");
  ASSERT_FALSE(set);
  EXPECT_LT(Clock::now() - begin, 10s);  // not the connect timeout
  EXPECT_EQ(set.error().code(), ErrorCode::bad_usage);
  EXPECT_THAT(set.error().message(),
              AllOf(HasSubstr(address()), HasSubstr("MEGASCALE_JOB_SECRET")));
  EXPECT_THAT(set.error().message(), ::testing::Not(HasSubstr("another secret of")));
  EXPECT_EQ(Store(options()).peek({"key"}).value(), Values{std::nullopt});
}

TEST_P(StoreTest, AnotherJobSeesNothing) {
  ASSERT_TRUE(Store(options()).set("key", "value"));
  StoreOptions other = options();
  other.job = "test2";
  const auto found = Store(other).peek({"key"});
  EXPECT_TRUE(!found || *found == Values{std::nullopt});
}

TEST_P(StoreTest, TheLossOfTheServerIsNoticedAtOnce) {
  Store store(options());
  ASSERT_TRUE(store.set("key", "value"));
  std::thread killer([&] {
    std::this_thread::sleep_for(50ms);
    server().stop();
  });
  const auto begin = Clock::now();
  const auto value = store.get("never", 30s);
  killer.join();
  EXPECT_LT(Clock::now() - begin, 15s);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code(), ErrorCode::peer_lost);
  EXPECT_THAT(value.error().message(),
              AllOf(HasSubstr(address()), HasSubstr("'never'"), HasSubstr("log")));
  // And stays known.
  EXPECT_EQ(store.set("key", "value").error().code(), ErrorCode::peer_lost);
}

TEST_P(StoreTest, AStoreThatIsNotThereIsNamedAfterTheDeadline) {
  StoreOptions nobody = options();
  server().stop();
  nobody.connect_timeout = 100ms;
  const auto begin = Clock::now();
  const auto value = Store(nobody).get("key", 30s);
  EXPECT_GE(Clock::now() - begin, 100ms);
  EXPECT_LT(Clock::now() - begin, 15s);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code(), ErrorCode::timeout);
  EXPECT_THAT(value.error().message(),
              AllOf(HasSubstr(address()), HasSubstr("refused"), HasSubstr("100 ms")));
}

TEST(RedisStoreTest, AFrozenServerIsGivenUpAfterTheDeadline) {
  if (!RunningStore::can_run(StoreKind::redis)) GTEST_SKIP() << "no redis-server in PATH";
  const Watchdog watchdog("a frozen Redis", 60s);
  const RunningStore server(StoreKind::redis);
  StoreOptions options = server.options();
  options.response_timeout = 200ms;
  Store store(options);
  ASSERT_TRUE(store.set("key", "value"));
  ASSERT_EQ(::kill(server.redis().id(), SIGSTOP), 0);
  const auto value = store.get("key", 100ms);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code(), ErrorCode::timeout);
  EXPECT_THAT(value.error().message(), AllOf(HasSubstr("no answer"), HasSubstr("'key'")));
}

TEST(EmbeddedStoreTest, ClientsMayComeBeforeTheServer) {
  const Watchdog watchdog("an early client", 60s);
  const JobSecret secret = JobSecret::random();
  // A port that was free a moment ago.
  const StoreAddress address =
      StoreServer({.address = {}, .secret = secret, .job = "late"}).address();
  std::thread early([&] {
    Store store({.address = address, .secret = secret, .job = "late"});
    const auto set = store.set("early", "bird");
    EXPECT_TRUE(set) << set.error().message();
  });
  std::this_thread::sleep_for(150ms);
  StoreServer server({.address = address, .secret = secret, .job = "late"});
  server.start();
  early.join();
  EXPECT_EQ(server.counts().authenticated, 1U);
  server.drain(20s);
  EXPECT_EQ(server.counts().connected, 0U);
}

TEST(EmbeddedStoreTest, ListensOnTheGivenAddressOnly) {
  StoreServer server({.address = {.host = "127.0.0.2"}, .secret = JobSecret::random()});
  server.start();
  EXPECT_EQ(server.address().host, "127.0.0.2");
  StoreOptions elsewhere{.address = server.address(), .secret = JobSecret::random()};
  elsewhere.address.host = "127.0.0.1";
  elsewhere.connect_timeout = 50ms;
  EXPECT_THAT(Store(elsewhere).peek({"key"}).error().message(), HasSubstr("refused"));
  try {
    StoreServer second({.address = server.address(), .secret = JobSecret::random()});
    FAIL() << "two stores on one port";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(),
                AllOf(HasSubstr(to_string(server.address())), HasSubstr("MASTER_PORT")));
  }
}

}  // namespace
}  // namespace megascale::comm
