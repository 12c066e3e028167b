// Times of steps added up on paper.
#include "megascale/observe/comparison.h"

#include <gtest/gtest.h>

#include "support/plan_writer.h"

namespace megascale::testing {
namespace {

using observe::RingStep;

constexpr std::int64_t kSecond = 1'000'000'000;

// A task that computes beside a transfer, then one that waits for it.
std::shared_ptr<const plan::StepPlan> small_plan() {
  PlanWriter w;
  const auto buffer = w.buffer("b", 64);
  const auto group = w.communicator("data", {0}, Lane::data);
  const auto work = [](const TaskArguments&) -> const Error* { return nullptr; };
  w.work(Lane::compute, "first", {}, {}, work);
  const auto transfer =
      w.transfer(graph::all_reduce_op(), "sum", group, {w.whole(buffer, Access::accumulate)}, {});
  w.work(Lane::compute, "second", {w.whole(buffer, Access::read)}, {.after = {transfer}}, work);
  return w.rank_plan(0).plan;
}

// Computes 1 s; the transfer starts at once, its partner after 2 s, and it takes 1 s; the second
// task follows and takes `second` s.
RingStep step_of(std::int64_t number, std::int64_t second) {
  const std::int64_t s = kSecond;
  return {.step = number,
          .begin_ns = 0,
          .end_ns = (3 + second) * s,
          .records = {{.head_ns = 0, .start_ns = 0, .matched_ns = 0, .done_ns = s},
                      {.head_ns = 0, .start_ns = 0, .matched_ns = 2 * s, .done_ns = 3 * s},
                      {.head_ns = s,
                       .start_ns = 3 * s,
                       .matched_ns = 3 * s,
                       .done_ns = (3 + second) * s,
                       .last_wait = 0}}};
}

TEST(ComparisonTest, TheTimeOfAStepIsDividedByWhatItWasFor) {
  const auto plan = small_plan();
  const auto times = observe::step_times(*plan, step_of(0, 4).records, 8);
  EXPECT_DOUBLE_EQ(times.step, 8);
  EXPECT_DOUBLE_EQ(times.compute, 5);
  EXPECT_DOUBLE_EQ(times.bubble, 1);        // from the end of the first task to the partner
  EXPECT_DOUBLE_EQ(times.exposed_comm, 1);  // from there on
  EXPECT_DOUBLE_EQ(times.other, 1);
  EXPECT_DOUBLE_EQ(times.by_op.at("all_reduce"), 1);
}

TEST(ComparisonTest, MediansAreOverTheNewestStepsAndMeansOverRanks) {
  const std::vector<std::shared_ptr<const plan::StepPlan>> plans{small_plan(), small_plan()};
  observe::RunRecords run{.ranks = {0, 1}, .steps = {{}, {}}};
  for (const std::int64_t second : {9, 8, 1}) {
    run.steps[0].push_back(step_of(0, second));
    run.steps[1].push_back(step_of(0, 2 * second));
  }
  const auto all = observe::measured_times(run, plans);
  EXPECT_DOUBLE_EQ(all.step, 3 + 8) << "rank 0's";
  EXPECT_DOUBLE_EQ(all.compute, 1 + 12);
  const auto newest = observe::measured_times(run, plans, 1);
  EXPECT_DOUBLE_EQ(newest.step, 3 + 1);
  EXPECT_DOUBLE_EQ(newest.compute, 1 + 1.5);
  EXPECT_DOUBLE_EQ(observe::measured_times(run, plans, 7).step, all.step);
}

TEST(ComparisonTest, DifferencesComeInTheOrderOfTheirSize) {
  observe::StepTimes predicted, measured;
  predicted.by_op = {{"add", 1}, {"linear", 10}, {"gelu", 3}};
  measured.by_op = {{"add", 1.5}, {"linear", 10.25}, {"rope", 2}};
  const auto found = observe::differences_by_op(predicted, measured);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].name, "gelu");  // not measured at all
  EXPECT_DOUBLE_EQ(found[0].seconds(), 3);
  EXPECT_EQ(found[1].name, "rope");  // not predicted at all
  EXPECT_DOUBLE_EQ(found[1].seconds(), -2);
  EXPECT_EQ(found[2].name, "add");
  EXPECT_EQ(found[3].name, "linear");
}

}  // namespace
}  // namespace megascale::testing
