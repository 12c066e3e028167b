// Idle time of a compute lane by cause, from plans and records written by hand.
#include "megascale/observe/blame.h"

#include <gtest/gtest.h>

#include "support/plan_writer.h"

namespace megascale::observe {
namespace {

using graph::Access;
using graph::Lane;
using testing::PlanWriter;

// Two sums on one lane; the compute lane's second task waits for the second of them. Times are in
// seconds; a sum has (head, start, partners there, done).
class BlameTest : public ::testing::Test {
 protected:
  struct Sum {
    double head = 0, start = 0, matched = 0, done = 0;
  };
  static std::int64_t ns(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

  void sum(Lane lane, const Sum& times, std::vector<testing::TaskId> after = {}) {
    const auto group = w_.communicator("group" + std::to_string(records_.size()), {0, 1}, lane);
    const bool waits = !after.empty();
    w_.transfer(graph::all_reduce_op(), "sum", group, {w_.whole(buffer_, Access::accumulate)},
                {.after = std::move(after)});
    records_.push_back({.head_ns = ns(times.head),
                        .start_ns = ns(times.start),
                        .matched_ns = ns(times.matched),
                        .done_ns = ns(times.done),
                        .last_wait = waits ? 0 : TaskRecord::kNoWait});
  }
  // A task of the compute lane that is its head from `head` on and waits for `after` until `start`.
  IdleTime waits(double head, double start, testing::TaskId after) {
    w_.work(Lane::compute, "work", {}, {.after = {after}}, [](const auto&) { return nullptr; });
    records_.push_back({.head_ns = ns(head),
                        .start_ns = ns(start),
                        .matched_ns = ns(start),
                        .done_ns = ns(start + 1),
                        .last_wait = 0});
    const plan::StepPlan plan(w_.tables);
    return blame(plan, records_);
  }

  PlanWriter w_;
  plan::BufferId buffer_ = w_.buffer("b", 64);
  std::vector<TaskRecord> records_;
};

TEST_F(BlameTest, OneTransferIsBubbleUntilThePartnerComesAndExposedAfterwards) {
  sum(Lane::data, {.head = 0, .start = 1, .matched = 4, .done = 6});
  const IdleTime idle = waits(2, 6, 0);
  EXPECT_DOUBLE_EQ(idle.bubble_seconds, 2);
  EXPECT_DOUBLE_EQ(idle.exposed_comm_seconds, 2);
}

TEST_F(BlameTest, AQueueBehindAnEarlierTransferIsExposedCommunication) {
  sum(Lane::data, {.head = 0, .start = 1, .matched = 3, .done = 7});
  sum(Lane::data, {.head = 7, .start = 7, .matched = 7.5, .done = 9});
  const IdleTime idle = waits(2, 9, 1);
  EXPECT_DOUBLE_EQ(idle.bubble_seconds, 1 + 0.5);        // 2 to 3, 7 to 7.5
  EXPECT_DOUBLE_EQ(idle.exposed_comm_seconds, 4 + 1.5);  // 3 to 7, 7.5 to 9
}

TEST_F(BlameTest, ATransferThatWaitsForOneOfAnotherLaneIsHeldBackByIt) {
  sum(Lane::tensor, {.head = 0, .start = 1, .matched = 3, .done = 7});
  sum(Lane::data, {.head = 0, .start = 7, .matched = 7, .done = 9}, {0});
  const IdleTime idle = waits(2, 9, 1);
  EXPECT_DOUBLE_EQ(idle.bubble_seconds, 1);
  EXPECT_DOUBLE_EQ(idle.exposed_comm_seconds, 6);
}

TEST_F(BlameTest, NothingBeforeTheHeadOfTheComputeLaneCounts) {
  sum(Lane::data, {.head = 0, .start = 1, .matched = 3, .done = 7});
  sum(Lane::data, {.head = 7, .start = 7, .matched = 7, .done = 9});
  const IdleTime idle = waits(8, 9, 1);
  EXPECT_DOUBLE_EQ(idle.bubble_seconds, 0);
  EXPECT_DOUBLE_EQ(idle.exposed_comm_seconds, 1);
}

TEST_F(BlameTest, AWaitForABatchEndsWhenItIsThere) {
  w_.work(Lane::host_in, "load", {}, {}, [](const auto&) { return nullptr; });
  records_.push_back({.head_ns = 0, .start_ns = ns(1), .matched_ns = ns(1), .done_ns = ns(5)});
  const IdleTime idle = waits(2, 7, 0);  // the lane has no core from 5 to 7
  EXPECT_DOUBLE_EQ(idle.data_wait_seconds, 3);
  EXPECT_DOUBLE_EQ(idle.bubble_seconds + idle.exposed_comm_seconds, 0);
}

}  // namespace
}  // namespace megascale::observe
