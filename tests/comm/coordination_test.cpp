// What ranks tell each other outside of plans, as threads and over UCX.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "megascale/comm/local/local_coordination.h"
#include "megascale/comm/ucx/ucx_coordination.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

using testing::Watchdog;
using namespace std::chrono_literals;

// The ends of a job's ranks. `group_max` 0: of ranks as threads.
class Ends {
 public:
  Ends(std::uint32_t size, std::uint32_t group_max, std::chrono::nanoseconds timeout = 60s) {
    if (group_max == 0) {
      coordination_ = make_local_coordination(size);
      return;
    }
    auto& all = workers_;
    while (all.size() < size) all.push_back(std::make_unique<Worker>(all.size()));
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      coordination_.push_back(std::make_unique<UcxCoordination>(
          all[rank]->ucx, all[rank]->wakeup,
          UcxCoordination::Options{
              .rank = rank, .world_size = size, .timeout = timeout, .group_max = group_max},
          [&](std::uint32_t other) { return all.at(other)->ucx.address(); }));
    }
  }
  using Body = std::function<void(Coordination& coordination)>;
  // Every rank on a thread; returns what they threw.
  std::vector<std::optional<Error>> run(const Body& body) {
    std::vector<std::optional<Error>> errors(coordination_.size());
    std::vector<std::thread> threads;
    std::atomic<std::size_t> through{0};
    for (std::uint32_t rank = 0; rank < coordination_.size(); ++rank) {
      threads.emplace_back([&, rank] {
        try {
          body(*coordination_[rank]);
        } catch (const Error& error) {
          errors[rank] = error;
        }
        ++through;
        while (!workers_.empty() &&
               through < coordination_.size()) {  // what others still need of it
          workers_[rank]->ucx.progress();
          std::this_thread::yield();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return errors;
  }

 private:
  struct Worker {
    explicit Worker(std::size_t rank)
        : ucx(wakeup, {.rank = static_cast<std::uint32_t>(rank), .transports = "posix,self"}) {}
    Wakeup wakeup;
    UcxWorker ucx;
  };
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Coordination>> coordination_;
};

// Ranks of a group: 0 as threads; over UCX all in one, or in two or three levels.
class CoordinationTest : public ::testing::TestWithParam<std::uint32_t> {
 public:
  void SetUp() override {
    if (GetParam() > 0 && !ucx_is_available()) GTEST_SKIP() << "built without UCX";
  }
};
INSTANTIATE_TEST_SUITE_P(GroupMax, CoordinationTest, ::testing::Values(0U, 64U, 3U, 2U),
                         [](const auto& tested) { return std::to_string(tested.param); });

TEST_P(CoordinationTest, AllHearRankZeroAndRankZeroHearsAll) {
  const Watchdog watchdog("ranks that talk");
  for (const std::uint32_t size : {1U, 2U, 3U, 7U, 8U}) {
    SCOPED_TRACE(size);
    Ends ends(size, GetParam());
    const auto said = [](std::uint32_t rank, std::size_t nbytes) {
      return std::string(nbytes, static_cast<char>('a' + rank));
    };
    const auto errors = ends.run([&](Coordination& coordination) {
      const std::uint32_t rank = coordination.rank();
      // Around what fits into the first message, and beyond one of UCX's.
      for (const std::size_t nbytes : {0, 1, 55, 56, 57, 9000, 70'001}) {
        EXPECT_EQ(coordination.broadcast(said(rank, nbytes), "test"), said(0, nbytes));
        const auto all = coordination.gather(said(rank, rank % 2 == 0 ? nbytes : 3), "test");
        ASSERT_EQ(all.size(), rank == 0 ? size : 0U);
        for (std::uint32_t r = 0; r < all.size(); ++r)
          EXPECT_EQ(all[r], said(r, r % 2 == 0 ? nbytes : 3)) << r;
      }
      EXPECT_FALSE(coordination.any(false, "test"));
      for (std::uint32_t r = 0; r < size; ++r) EXPECT_TRUE(coordination.any(rank == r, "test"));
      EXPECT_FALSE(coordination.any(false, "test"));
    });
    for (const auto& error : errors) EXPECT_FALSE(error) << error->message();
  }
}

TEST_P(CoordinationTest, NearRanksShiftBytes) {
  const Watchdog watchdog("ranks that shift");
  for (const std::uint32_t size : {1U, 3U, 7U}) {
    SCOPED_TRACE(size);
    Ends ends(size, GetParam());
    const auto errors = ends.run([&](Coordination& coordination) {
      const auto [first, count] = coordination.near();
      const std::uint32_t rank = coordination.rank();
      ASSERT_LE(first, rank);
      ASSERT_LT(rank, first + count);
      for (std::uint32_t offset = 0; offset < count; ++offset) {
        // Sizes without and beyond one of UCX's messages.
        for (const std::size_t nbytes : {std::size_t{1}, std::size_t{300'001}}) {
          const std::vector<std::byte> mine(nbytes, std::byte(rank));
          std::vector<std::byte> taken(nbytes, std::byte(99));
          coordination.shift(mine, taken, offset, "test");
          const std::uint32_t from = first + (rank - first + offset) % count;
          EXPECT_EQ(taken, std::vector<std::byte>(nbytes, std::byte(from))) << offset;
        }
      }
      EXPECT_FALSE(coordination.any(false, "test"));
    });
    for (const auto& error : errors) EXPECT_FALSE(error) << error->message();
  }
}

TEST_P(CoordinationTest, AnAbortReachesAll) {
  const Watchdog watchdog("ranks one of which gives up");
  Ends ends(7, GetParam());
  const auto errors = ends.run([&](Coordination& coordination) {
    (void)coordination.any(false, "test");
    if (coordination.rank() == 5) coordination.abort(Error(ErrorCode::io, "rank 5 has no disk"));
    (void)coordination.any(false, "test");
    (void)coordination.any(false, "test");
  });
  for (const auto& error : errors) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->message().find("rank 5 has no disk"), 0U) << error->message();
  }
}

// Of ranks as threads none can be stopped without the others.
class UcxCoordinationTest : public CoordinationTest {};
INSTANTIATE_TEST_SUITE_P(GroupMax, UcxCoordinationTest, ::testing::Values(64U, 3U),
                         [](const auto& tested) { return std::to_string(tested.param); });

TEST_P(UcxCoordinationTest, WhoDoesNotComeIsNamed) {
  const Watchdog watchdog("ranks that wait for one");
  // The one that the others hear, or one of those whom it does not hear itself.
  const std::uint32_t absent = GetParam() > 7 ? 0 : 4;
  Ends ends(7, GetParam(), 1s);
  std::atomic<int> gave_up{0};
  const auto errors = ends.run([&](Coordination& coordination) {
    try {
      (void)coordination.any(false, "test");
      while (coordination.rank() == absent && gave_up < 6) std::this_thread::sleep_for(1ms);
      (void)coordination.any(false, "whether to stop after step 7");
      // All that the others had sent before they gave up may come first, and be enough: then the
      // next exchange fails.
      if (coordination.rank() == absent) (void)coordination.any(false, "test");
    } catch (const Error&) {
      if (coordination.rank() != absent) {
        ++gave_up;
        const auto silent = dynamic_cast<UcxCoordination&>(coordination).silent_ranks();
        // A roll call is one of neighbours.
        const bool knows = GetParam() > 7 || coordination.rank() / 3 == absent / 3;
        EXPECT_EQ(silent, knows ? std::vector{absent} : std::vector<std::uint32_t>{})
            << coordination.rank();
      }
      throw;
    }
  });
  for (std::uint32_t rank = 0; rank < 7; ++rank) {
    ASSERT_TRUE(errors[rank]) << rank;
    const std::string& text = errors[rank]->message();
    EXPECT_EQ(errors[rank]->code(), ErrorCode::timeout) << text;
    EXPECT_NE(text.find(fmt::format("has waited 1 s (control.timeout_seconds) for rank {}: "
                                    "whether to stop after step 7",
                                    absent)),
              std::string::npos)
        << text;
  }
}

// As the writers of checkpoints wait, whose storage may be slow on one rank.
TEST_P(UcxCoordinationTest, WaitsWithoutALimitForTheLast) {
  const Watchdog watchdog("ranks that wait without a limit");
  Ends ends(7, GetParam(), 50ms);
  const auto errors = ends.run([&](Coordination& coordination) {
    coordination.limit_waits(false);
    if (coordination.rank() == 4) std::this_thread::sleep_for(500ms);
    EXPECT_TRUE(coordination.any(coordination.rank() == 4, "test"));
  });
  for (const auto& error : errors) EXPECT_FALSE(error) << error->message();
}

TEST_P(UcxCoordinationTest, ALimitEndsAWaitThatIsUnderWay) {
  const Watchdog watchdog("a wait that gets a limit");
  constexpr auto kWithout = 1s;
  Ends ends(2, GetParam(), 50ms);
  std::atomic<bool> gave_up{false};
  const auto errors = ends.run([&](Coordination& coordination) {
    // No limit for the first meeting: on a busy machine ranks need more than 50 ms to connect.
    coordination.limit_waits(false);
    (void)coordination.any(false, "test");
    if (coordination.rank() == 1) {
      while (!gave_up) std::this_thread::sleep_for(1ms);
      return;
    }
    // With the limit of 50 ms the wait ends after 0.3 s: the other rank answers when it is asked.
    std::thread limits([&] {
      std::this_thread::sleep_for(kWithout);
      coordination.limit_waits(true);
    });
    const auto begin = std::chrono::steady_clock::now();
    try {
      (void)coordination.any(false, "whether to stop");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::timeout) << error.message();
      gave_up = true;
    }
    EXPECT_GE(std::chrono::steady_clock::now() - begin, kWithout);
    limits.join();
  });
  for (const auto& error : errors) EXPECT_FALSE(error) << error->message();
  EXPECT_TRUE(gave_up);
}

// A rank that is stopped after its arrival has never answered UCX. So what the others send to it
// stays with them, and their threads wake every millisecond to try again.
TEST(UcxRollCallTest, EndsIfARankHasNeverAnswered) {
  if (!ucx_is_available()) GTEST_SKIP() << "built without UCX";
  const Watchdog watchdog("a roll call without an answer");
  constexpr std::uint32_t kStopped = 1;
  Ends ends(3, 64, 200ms);
  std::atomic<int> gave_up{0};
  const auto errors = ends.run([&](Coordination& coordination) {
    while (coordination.rank() == kStopped && gave_up < 2) std::this_thread::sleep_for(1ms);
    if (coordination.rank() == kStopped) return;
    try {
      (void)coordination.any(false, "where to resume");
    } catch (const Error&) {
      EXPECT_EQ(dynamic_cast<UcxCoordination&>(coordination).silent_ranks(), std::vector{kStopped});
      ++gave_up;
      throw;
    }
  });
  EXPECT_TRUE(errors[0] && errors[2]);
}

// A rank of an earlier start that is still about is not taken for the new one.
TEST(UcxGroupTest, AMessageOfAnEarlierStartIsNotTaken) {
  if (!ucx_is_available()) GTEST_SKIP() << "built without UCX";
  const Watchdog watchdog("a group of two starts");
  Wakeup wakeup;
  UcxWorker mine(wakeup, {.rank = 0, .transports = "posix,self"}),
      now(wakeup, {.rank = 1, .transports = "posix,self"});
  auto owned =
      std::make_unique<UcxWorker>(wakeup, UcxOptions{.rank = 1, .transports = "posix,self"});
  UcxWorker& old = *owned;
  auto stale = old.make_group(std::vector{mine.address(), old.address()}, 1, "data");
  stale->start({.rule = &transfer_rules::barrier});
  const auto group = mine.make_group(std::vector{mine.address(), now.address()}, 0, "data");
  group->start({.rule = &transfer_rules::barrier});
  for (int look = 0; look < 100; ++look) {
    old.progress();
    now.progress();
    ASSERT_EQ(group->poll(), Progress::waiting);
  }
  const auto other = now.make_group(std::vector{mine.address(), now.address()}, 1, "data");
  other->start({.rule = &transfer_rules::barrier});
  while (group->poll() != Progress::done) (void)other->poll();
  while (other->poll() != Progress::done) (void)group->poll();

  // A worker's end waits until what it sent has arrived, which takes the receiver's progress.
  stale.reset();
  std::atomic<bool> ended{false};
  std::thread end([&] {
    owned.reset();
    ended = true;
  });
  while (!ended) mine.progress();
  end.join();
}

}  // namespace
}  // namespace megascale::comm
