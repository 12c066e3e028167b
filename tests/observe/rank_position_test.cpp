// A rank's position says the same about its tasks as its records.
#include "megascale/base/rank_position.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "megascale/observe/ring_head.h"
#include "megascale/runtime/record_ring.h"
#include "support/scratch_directory.h"

namespace megascale::observe {
namespace {

TEST(RankPositionTest, HoldsWhatTheRecordsSay) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<TaskRecord> records(1 + random() % 40);
    for (TaskRecord& record : records) {
      const auto stage = random() % 4;
      if (stage > 0) record.start_ns = 5;
      if (stage > 1) record.matched_ns = 6;
      if (stage > 2) record.done_ns = 7;
    }
    RankPosition position;
    set_records(position, records);
    const auto again = records_of(position);
    ASSERT_TRUE(again) << "seed " << seed;
    ASSERT_EQ(again->size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ((*again)[i].done_ns != 0, records[i].done_ns != 0) << "seed " << seed;
      EXPECT_EQ((*again)[i].start_ns != 0, records[i].start_ns != 0) << "seed " << seed;
      EXPECT_EQ((*again)[i].matched_ns != 0, records[i].matched_ns != 0) << "seed " << seed;
    }
  }
}

TEST(RankPositionTest, AContradictionIsRefused) {
  EXPECT_TRUE(records_of({.plan_digest = {}, .tasks = 4, .done = {0, 2}, .started = {3}}));
  EXPECT_FALSE(records_of({.plan_digest = {}, .tasks = 4, .done = {2, 2}}));
  EXPECT_FALSE(records_of({.plan_digest = {}, .tasks = 4, .done = {0, 4}}));
  EXPECT_FALSE(records_of({.plan_digest = {}, .tasks = 4, .started = {1, 0}}));
  EXPECT_FALSE(records_of({.plan_digest = {}, .tasks = 4, .matched = {7}}));
}

TEST(RankPositionTest, IsReadFromARing) {
  const testing::ScratchDirectory scratch;
  const std::string digest = "0123456789abcdef0123456789abcdef";
  runtime::RecordRing ring(scratch / "ring", {.tasks = 3, .steps = 2, .plan_digest = digest});
  EXPECT_EQ(read_rank_position(scratch / "ring"),
            (RankPosition{.plan_digest = digest, .tasks = 3}));
  const auto records = ring.begin_step(10, 100);
  publish(records[0], {.head_ns = 1, .start_ns = 2, .matched_ns = 3, .done_ns = 777});
  publish_start(records[2], 800);
  EXPECT_EQ(read_rank_position(scratch / "ring"), (RankPosition{.plan_digest = digest,
                                                                .tasks = 3,
                                                                .step = 10,
                                                                .last_ns = 777,
                                                                .done = {0, 1},
                                                                .started = {2}}));
  ring.end_step(10, 900);
  EXPECT_EQ(read_rank_position(scratch / "ring"), (RankPosition{.plan_digest = digest,
                                                                .tasks = 3,
                                                                .step = 10,
                                                                .ended = true,
                                                                .last_ns = 900,
                                                                .done = {0}}));
  EXPECT_FALSE(read_rank_position(scratch / "absent"));
}

}  // namespace
}  // namespace megascale::observe
