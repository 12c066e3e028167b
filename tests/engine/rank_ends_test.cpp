// What run_ranks() gives the ranks that are threads.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "megascale/config/load.h"
#include "megascale/engine/run_ranks.h"
#include "support/watchdog.h"

namespace megascale::engine {
namespace {

using namespace std::chrono_literals;

struct Ranks {
  explicit Ranks(std::uint32_t size)
      : config(parse_config(
            "", "test",
            std::vector<std::string>{"model.num_layers=1", "model.hidden_size=32",
                                     "model.num_attention_heads=4", "model.seq_length=16",
                                     "train.global_batch_size=4",
                                     "parallel.world_size=" + std::to_string(size)})),
        job(job::plan_job(config)) {}
  Config config;
  job::JobPlan job;
};

// Goal: commits have an order of their own. Method: ranks with odd numbers only commit once the
// loop is through, the others before.
TEST(RankEndsTest, CommitsAndTheLoopDoNotWaitForEachOther) {
  const testing::Watchdog watchdog("two coordinations", 60s);
  const Ranks ranks(4);
  std::atomic<std::size_t> heard = 0;
  run_ranks({.config = &ranks.config, .job = &ranks.job}, [&](const RankEnds& ends) {
    std::atomic<bool> loop_is_through = false;
    std::thread committer([&] {
      while (ends.commits->rank() % 2 == 1 && !loop_is_through) std::this_thread::yield();
      for (int i = 0; i < 5; ++i) heard += ends.commits->gather("written", "a commit").size();
    });
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(ends.coordination->any(false, "the loop"));
    loop_is_through = true;
    committer.join();
  });
  EXPECT_EQ(heard, 5 * 4);
}

TEST(RankEndsTest, ACommitThatFailsLeavesTheLoopsCoordination) {
  const testing::Watchdog watchdog("a failed commit", 60s);
  const Ranks ranks(2);
  run_ranks({.config = &ranks.config, .job = &ranks.job}, [&](const RankEnds& ends) {
    if (ends.commits->rank() == 0) ends.commits->abort(Error(ErrorCode::io, "the disk is full"));
    EXPECT_THROW((void)ends.commits->any(false, "a commit"), Error);
    EXPECT_TRUE(ends.coordination->any(true, "the loop"));
  });
}

TEST(RankEndsTest, ARankThatFailsEndsTheOthersCommits) {
  const testing::Watchdog watchdog("a failed rank", 60s);
  const Ranks ranks(2);
  EXPECT_THROW(run_ranks({.config = &ranks.config, .job = &ranks.job},
                         [&](const RankEnds& ends) {
                           if (ends.commits->rank() == 0) throw Error(ErrorCode::failed, "lost");
                           (void)ends.commits->any(false, "a commit");
                         }),
               Error);
}

}  // namespace
}  // namespace megascale::engine
