#include "megascale/observe/ring_head.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "megascale/runtime/record_ring.h"
#include "support/scratch_directory.h"

namespace megascale::observe {
namespace {

constexpr TaskRecord kDoneAt777{
    .head_ns = 1, .start_ns = 2, .matched_ns = 3, .done_ns = 777, .cpu_us = 5};

TEST(RingHeadTest, TellsHowFarARankHasCome) {
  const testing::ScratchDirectory scratch;
  const auto path = scratch / "ring";
  runtime::RecordRing ring(
      path, {.tasks = 3, .steps = 2, .plan_digest = "0123456789abcdef0123456789abcdef", .rank = 6});
  auto head = read_ring_head(path);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->process_id, static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(head->steps_done, -1);
  EXPECT_FALSE(head->in_step);
  for (std::int64_t step = 10; step < 13; ++step) {
    ring.begin_step(step, 100 * step);
    ring.end_step(step, 100 * step + 50);
  }
  head = read_ring_head(path);
  EXPECT_EQ(head->steps_done, 13);
  EXPECT_EQ(head->last_ns, 1250);
  EXPECT_EQ(head->step_ns, 50);
  EXPECT_EQ(head->tasks_done, 0U);
  publish(ring.begin_step(13, 500)[1], kDoneAt777);
  head = read_ring_head(path);
  EXPECT_EQ(head->steps_done, 13);
  EXPECT_TRUE(head->in_step);
  EXPECT_EQ(head->tasks_done, 1U);
  EXPECT_EQ(head->last_ns, 777);
}

TEST(RingHeadTest, WhatIsNoCompleteRingIsNothing) {
  const testing::ScratchDirectory scratch;
  EXPECT_FALSE(read_ring_head(scratch / "absent"));
  EXPECT_FALSE(read_ring_head(scratch.write("text", std::string(1000, 'x'))));
  EXPECT_FALSE(read_ring_head(scratch.write("empty", "")));
  {
    const runtime::RecordRing ring(
        scratch / "ring", {.tasks = 3, .steps = 2, .plan_digest = std::string(32, '0'), .rank = 0});
  }
  std::filesystem::resize_file(scratch / "ring", 150);
  EXPECT_FALSE(read_ring_head(scratch / "ring"));
}

}  // namespace
}  // namespace megascale::observe
