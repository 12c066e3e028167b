#include "megascale/parallel/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "megascale/base/error.h"
#include "megascale/parallel/replay.h"
#include "random_schedule.h"

namespace megascale::parallel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names(const std::vector<ScheduleItem>& items) {
  std::vector<std::string> result;
  for (const ScheduleItem& item : items) result.push_back(to_string(item));
  return result;
}

std::vector<std::string> messages(const Schedule& schedule) {
  std::vector<std::string> result;
  for (const ScheduleProblem& problem : validate(schedule)) result.push_back(to_string(problem));
  return result;
}

// Every stage has the same work, and so the same idle time.
Ticks idle(const Replay& replay) {
  for (const Ticks idle : replay.idle) EXPECT_EQ(idle, replay.idle[0]);
  return replay.idle[0];
}

std::uint32_t worst(const Replay& replay) {
  return *std::max_element(replay.in_flight_peak.begin(), replay.in_flight_peak.end());
}

// ---- the built-in schedules against the published figures

TEST(Schedule, OrdersOfThePapers) {
  EXPECT_THAT(names(gpipe(2, 2).items[0]), ElementsAre("F0/0", "F1/0", "B0/0", "B1/0"));
  const Schedule plain = one_forward_one_backward(2, 3);
  EXPECT_THAT(names(plain.items[0]), ElementsAre("F0/0", "F1/0", "B0/0", "F2/0", "B1/0", "B2/0"));
  EXPECT_THAT(names(plain.items[1]), ElementsAre("F0/0", "B0/0", "F1/0", "B1/0", "F2/0", "B2/0"));
  // Two stages, two chunks: micro-batches 0 and 1 through chunk 0, then through chunk 1.
  const Schedule in_turn = interleaved(2, 2, 4);
  EXPECT_THAT(names(in_turn.items[1]),
              ElementsAre("F0/0", "F1/0", "F0/1", "B0/1", "F1/1", "B1/1", "F2/0", "B0/0", "F3/0",
                          "B1/0", "F2/1", "B2/1", "F3/1", "B3/1", "B2/0", "B3/0"));
  EXPECT_EQ(names(in_turn.items[0])[4], "F2/0");
  const Schedule split = zero_bubble_h1(2, 3);
  EXPECT_THAT(names(split.items[0]),
              ElementsAre("F0/0", "F1/0", "B0/0", "W0/0", "F2/0", "B1/0", "W1/0", "B2/0", "W2/0"));
  EXPECT_THAT(names(split.items[1]),
              ElementsAre("F0/0", "B0/0", "F1/0", "B1/0", "W0/0", "F2/0", "B2/0", "W1/0", "W2/0"));
}

class ScheduleSizes : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  const std::uint32_t p_ = GetParam();
};
INSTANTIATE_TEST_SUITE_P(Stages, ScheduleSizes, ::testing::Range(1U, 9U));

// Idle share of GPipe and 1F1B: (p-1)/(m+p-1). Compared as integers.
TEST_P(ScheduleSizes, GpipeAndOneForwardOneBackwardIdleAsPublished) {
  for (std::uint32_t m = 1; m <= 40; ++m) {
    for (const Schedule& schedule : {gpipe(p_, m), one_forward_one_backward(p_, m)}) {
      ASSERT_THAT(messages(schedule), IsEmpty()) << schedule.name << " m=" << m;
      const Replay times = replay(schedule);
      EXPECT_EQ(idle(times) * (m + p_ - 1), (p_ - 1) * times.makespan) << schedule.name << m;
      EXPECT_NEAR(times.idle_share(0), (p_ - 1.0) / (m + p_ - 1), 1e-15);
      for (std::uint32_t stage = 0; stage < p_; ++stage) {
        EXPECT_EQ(times.in_flight_peak[stage],
                  schedule.name == "gpipe" ? m : std::min(m, p_ - stage))
            << schedule.name << " m=" << m << " stage " << stage;
      }
    }
  }
}

// Idle share (p-1)/(vm+p-1); stage 0 holds p v + p - 1 chunks: 1 + (p-1)/(pv) times what 1F1B
// holds.
TEST_P(ScheduleSizes, InterleavedIdlesAsPublished) {
  for (std::uint32_t v = 1; v <= 4; ++v) {
    for (std::uint32_t groups = 1; groups <= 5; ++groups) {
      const std::uint32_t m = groups * p_;
      const Schedule schedule = interleaved(p_, v, m);
      ASSERT_THAT(messages(schedule), IsEmpty()) << "v=" << v << " m=" << m;
      const Replay times = replay(schedule);
      EXPECT_EQ(idle(times) * (v * m + p_ - 1), (p_ - 1) * times.makespan) << v << " " << m;
      for (std::uint32_t stage = 0; stage < p_; ++stage) {
        const std::uint32_t known =
            v == 1 ? p_ - stage : std::min(v * m, 2 * (p_ - 1 - stage) + (v - 1) * p_ + 1);
        EXPECT_EQ(times.in_flight_peak[stage], known) << v << " " << m << " stage " << stage;
      }
      if (v > 1 && groups > 1) {
        EXPECT_EQ(times.in_flight_peak[0], p_ * v + p_ - 1);
      }
    }
  }
}

// Idle (p-1)(F+B-W) from m = p on, and below 1F1B's at the same memory for every m.
TEST_P(ScheduleSizes, ZeroBubbleIdlesAsPublishedInTheMemoryOfOneForwardOneBackward) {
  const std::vector<Durations> cases{{1, 1, 1}, {2, 3, 2}, {4, 5, 3}, {3, 2, 2}, {7, 7, 1}};
  for (const Durations& d : cases) {
    for (std::uint32_t m = 1; m <= 30; ++m) {
      const Schedule schedule = zero_bubble_h1(p_, m);
      ASSERT_THAT(messages(schedule), IsEmpty()) << "m=" << m;
      const Replay times = replay(schedule, d);
      const Replay plain = replay(one_forward_one_backward(p_, m), d);
      EXPECT_EQ(idle(times),
                (p_ - 1) * (d.forward + d.backward) - (std::min(m, p_) - 1) * d.weight_gradient)
          << "m=" << m << " F=" << d.forward;
      if (m >= p_) {
        EXPECT_EQ(idle(times), (p_ - 1) * (d.forward + d.backward - d.weight_gradient));
      }
      EXPECT_EQ(idle(plain), (p_ - 1) * (d.forward + d.backward + d.weight_gradient));
      if (p_ > 1) {
        EXPECT_LT(idle(times), idle(plain));
      }
      EXPECT_EQ(worst(plain), std::min(m, p_));
      for (const std::uint32_t in_flight : times.in_flight_peak) {
        EXPECT_EQ(in_flight, worst(plain)) << "m=" << m;
      }
    }
  }
}

TEST(Schedule, RefusesSizes) {
  EXPECT_THROW(gpipe(0, 4), Error);
  EXPECT_THROW(one_forward_one_backward(4, 0), Error);
  EXPECT_THROW(interleaved(4, 0, 4), Error);
  EXPECT_THROW(one_forward_one_backward(1, 65537), Error);
  EXPECT_THROW(one_forward_one_backward(1U << 9U, 1U << 16U), Error);
  EXPECT_THROW(one_forward_one_backward(0xFFFFFFFFU, 65536), Error);
  try {
    (void)interleaved(4, 2, 6);
    FAIL() << "6 micro-batches on 4 stages";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    EXPECT_THAT(error.message(), HasSubstr("multiple of the 4 stages, found 6"));
  }
}

// ---- validate

TEST(Validate, NamesEveryProblem) {
  Schedule schedule = one_forward_one_backward(2, 2);  // stage 0: F0 F1 B0 B1
  schedule.items[0] = {{Work::forward, 0, 0},  {Work::forward, 0, 0},        {Work::forward, 1, 0},
                       {Work::backward, 0, 2}, {Work::backward, 0, 1},       {Work::backward, 0, 0},
                       {Work::forward, 0, 1},  {Work::weight_gradient, 0, 0}};
  EXPECT_THAT(messages(schedule),
              ElementsAre("stage 0, item 1: F0/0 stands a second time; the first is item 0",
                          "stage 0, item 2: F0/1 names a chunk that is not below 1",
                          "stage 0, item 3: B2/0 names a micro-batch that is not below 2",
                          "stage 0, item 4: B1/0 stands before its forward, which is item 6",
                          "stage 0, item 5: B0/0 stands after micro-batch 1 of the same chunk: "
                          "weight gradients add up in micro-batch order, so that the bits do not "
                          "depend on the schedule",
                          "stage 0, item 7: W0/0 is a weight gradient in a schedule that does not "
                          "split them from the backward"));
  schedule.items[0] = {{Work::forward, 0, 1}};
  schedule.items[1].clear();
  EXPECT_THAT(messages(schedule),
              ElementsAre("stage 1: has no items; 1 of 2 stages have none",
                          "stage 0: 1 of 2 forwards are missing, the first is F0/0",
                          "stage 0: 2 of 2 backwards are missing, the first is B0/0"));
  schedule.items.pop_back();
  EXPECT_THAT(messages(schedule), ElementsAre("stage 0: expected items for 2 stages, found 1"));
  schedule.chunks = 0;
  EXPECT_THAT(messages(schedule), ElementsAre(HasSubstr("found 2 stages, 0 chunks")));
}

// A backward adds up the gradients of norms and of the head: splitting off the others changes
// nothing about its order.
TEST(Validate, SplitBackwardsAndWeightGradientsComeInOrder) {
  Schedule schedule{"split", 1, 1, 2, true, {}};
  const ScheduleItem f0{Work::forward, 0, 0}, f1{Work::forward, 0, 1};
  const ScheduleItem b0{Work::backward, 0, 0}, b1{Work::backward, 0, 1};
  const ScheduleItem w0{Work::weight_gradient, 0, 0}, w1{Work::weight_gradient, 0, 1};
  schedule.items = {{f1, f0, b0, b1, w0, w1}};
  EXPECT_THAT(messages(schedule), IsEmpty());
  schedule.items = {{f0, f1, b1, b0, w0, w1}};
  EXPECT_THAT(messages(schedule),
              ElementsAre(HasSubstr("item 3: B0/0 stands after micro-batch 1")));
  schedule.items = {{f0, f1, b0, b1, w1, w0}};
  EXPECT_THAT(messages(schedule),
              ElementsAre(HasSubstr("item 5: W0/0 stands after micro-batch 1")));
  schedule.items = {{f0, f1, w0, b0, b1, w1}};
  EXPECT_THAT(messages(schedule),
              ElementsAre("stage 0, item 2: W0/0 stands before its backward, which is item 3"));
}

TEST(Validate, NamesWhereADeadlockStops) {
  Schedule schedule = one_forward_one_backward(3, 2);
  // Stage 1 wants micro-batch 0 back before it sends micro-batch 1 on, stage 2 the reverse.
  schedule.items[1] = {
      {Work::forward, 0, 0}, {Work::backward, 0, 0}, {Work::forward, 0, 1}, {Work::backward, 0, 1}};
  schedule.items[2] = {
      {Work::forward, 0, 0}, {Work::forward, 0, 1}, {Work::backward, 0, 0}, {Work::backward, 0, 1}};
  EXPECT_THAT(
      messages(schedule),
      ElementsAre("stage 0, item 2: B0/0 never starts (deadlock): it waits for B0/0 of stage 1",
                  "stage 1, item 1: B0/0 never starts (deadlock): it waits for B0/0 of stage 2",
                  "stage 2, item 1: F1/0 never starts (deadlock): it waits for F1/0 of stage 1"));
  EXPECT_THROW((void)replay(schedule), Error);
}

// The replay is a second implementation of what the random schedules were drawn by.
TEST(Validate, AcceptsRandomValidSchedulesAndRefusesThemDamaged) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Schedule schedule = random_schedule(random);
    ASSERT_THAT(messages(schedule), IsEmpty());
    auto& items = schedule.items[below(random, schedule.stages)];
    const auto size = static_cast<std::uint32_t>(items.size());
    const std::uint32_t victim = below(random, size);
    if (below(random, 2) == 0) {
      items.erase(items.begin() + victim);
    } else {
      items.insert(items.begin() + below(random, size), items[victim]);
    }
    EXPECT_FALSE(messages(schedule).empty());
  }
}

// ---- replay

TEST(Replay, TransfersDelayTheOtherStageOnly) {
  const Replay times = replay(one_forward_one_backward(2, 1), {2, 3, 4, 10});
  EXPECT_EQ(times.times[0][0].end, 2);
  EXPECT_EQ(times.times[1][0].start, 12);
  EXPECT_EQ(times.times[1][1].start, 14);
  EXPECT_EQ(times.times[1][1].end, 21);
  EXPECT_EQ(times.times[0][1].start, 31);
  EXPECT_EQ(times.makespan, 38);
  EXPECT_THAT(times.idle, ElementsAre(29, 29));
}

// By the definition: of all start times that respect order and inputs the replay has the earliest.
TEST(Replay, StartsEveryItemWhenTheLastThingItWaitsForIsDone) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Schedule schedule = random_schedule(random);
    const Durations durations{1 + below(random, 5), 1 + below(random, 5), below(random, 5),
                              below(random, 3)};
    const Replay times = replay(schedule, durations);
    const auto end_of = [&](std::uint32_t g, Work work, std::uint16_t micro_batch) {
      const auto& items = schedule.items[g % schedule.stages];
      const ScheduleItem item{work, static_cast<std::uint16_t>(g / schedule.stages), micro_batch};
      const auto at = std::find(items.begin(), items.end(), item) - items.begin();
      return times.times[g % schedule.stages][static_cast<std::size_t>(at)].end;
    };
    const Ticks hop = schedule.stages == 1 ? 0 : durations.transfer;
    for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
      Ticks busy = 0;
      for (std::size_t i = 0; i < schedule.items[stage].size(); ++i) {
        const ScheduleItem& item = schedule.items[stage][i];
        const std::uint32_t g = schedule.global_chunk(stage, item.chunk);
        Ticks start = i == 0 ? 0 : times.times[stage][i - 1].end;
        if (item.work == Work::forward && g > 0) {
          start = std::max(start, end_of(g - 1, Work::forward, item.micro_batch) + hop);
        }
        if (item.work == Work::backward && g + 1 < schedule.global_chunks()) {
          start = std::max(start, end_of(g + 1, Work::backward, item.micro_batch) + hop);
        }
        if (item.work == Work::backward) {
          start = std::max(start, end_of(g, Work::forward, item.micro_batch));
        }
        EXPECT_EQ(times.times[stage][i].start, start);
        EXPECT_EQ(times.times[stage][i].end, start + duration(schedule, item.work, durations));
        busy += duration(schedule, item.work, durations);
      }
      EXPECT_EQ(times.idle[stage] + busy, times.makespan);
    }
  }
}

TEST(Replay, RefusesDurations) {
  const Schedule schedule = gpipe(2, 2);
  EXPECT_THROW((void)replay(schedule, {0, 1, 1, 0}), Error);
  EXPECT_THROW((void)replay(schedule, {1, 0, 1, 0}), Error);
  EXPECT_THROW((void)replay(schedule, {1, 1, -1, 0}), Error);
  EXPECT_THROW((void)replay(schedule, {1, 1, 1, -1}), Error);
}

}  // namespace
}  // namespace megascale::parallel
