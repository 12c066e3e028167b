// Starts of transfers, written by hand, of ranks that cannot tell when their partners came.
#include "megascale/observe/match_transfers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "megascale/observe/run_records.h"
#include "megascale/runtime/record_ring.h"
#include "support/plan_writer.h"
#include "support/scratch_directory.h"

namespace megascale::observe {
namespace {

using graph::Access;
using graph::Lane;
using testing::PlanWriter;

// Two sums over a group, one after the other, with another group's between them.
PlanWriter sums_of(std::vector<std::uint32_t> members) {
  PlanWriter w;
  w.tables.axes[graph::Axis::data] = 3;
  const auto buffer = w.buffer("b", 64);
  const auto everybody = w.communicator("data", std::move(members), Lane::data);
  const auto alone = w.communicator("alone", {}, Lane::tensor);
  w.tables.communicators[1].axes = {graph::Axis::tensor};
  for (const auto group : {everybody, alone, everybody})
    w.transfer(graph::all_reduce_op(), "sum", group, {w.whole(buffer, Access::accumulate)}, {});
  return w;
}
constexpr std::size_t kFirst = 0, kSecond = 2;

// Three ranks whose transfers start as given and take 1000 ns more than the wait for the last.
class MatchTransfersTest : public ::testing::Test {
 protected:
  using Starts = std::array<std::int64_t, 3>;  // by rank
  MatchTransfersTest() {
    plans_.reserve(3);  // bindings are pointed to
    for (std::uint32_t r = 0; r < 3; ++r) {
      plans_.push_back(sums_of({0, 1, 2}).rank_plan(r));
      plans_.back().binding.communicators[1].key += std::to_string(r);
      plans_.back().binding.communicators[1].members = {r};
      records_.emplace_back(3);
      set(r, 1, 50, 60);
      ranks_.push_back({.plan = plans_[r].plan.get(), .binding = &plans_[r].binding, .clock = "c"});
    }
  }
  void set(std::size_t rank, std::size_t task, std::int64_t start, std::int64_t done) {
    records_[rank][task] = {.head_ns = 10, .start_ns = start, .matched_ns = 0, .done_ns = done};
  }
  void set(std::size_t task, const Starts& starts) {
    for (std::size_t r = 0; r < 3; ++r)
      set(r, task, starts[r], 1000 + *std::max_element(starts.begin(), starts.end()));
  }
  // Returns matched_ns of a task, by rank.
  Starts match(std::size_t task, std::size_t ranks = 3) {
    for (std::size_t r = 0; r < 3; ++r) ranks_[r].records = records_[r];
    match_transfers(std::span(ranks_).first(ranks));
    return {records_[0][task].matched_ns, records_[1][task].matched_ns,
            records_[2][task].matched_ns};
  }
  std::vector<plan::RankPlan> plans_;
  std::vector<std::vector<TaskRecord>> records_;
  std::vector<RankRecords> ranks_;
};

TEST_F(MatchTransfersTest, TheLastStartOfTheSameNumberCounts) {
  set(kFirst, {100, 300, 200});
  set(kSecond, {2500, 2000, 2100});
  EXPECT_EQ(match(kFirst), (Starts{300, 300, 300}));
  EXPECT_EQ(match(kSecond), (Starts{2500, 2500, 2500}));
  EXPECT_EQ(records_[0][1].matched_ns, 50) << "a group of one";
}

TEST_F(MatchTransfersTest, ATimeThatARankHasMeasuredStays) {
  set(kFirst, {100, 300, 200});
  records_[0][kFirst].matched_ns = 444;
  EXPECT_EQ(match(kFirst), (Starts{444, 300, 300}));
}

TEST_F(MatchTransfersTest, TimesAreOfTheRanksOwnClock) {
  set(kFirst, {100, 300, 5200});
  set(2, kFirst, 5200, 5900);
  ranks_[2].clock_offset_ns = -5050;  // it has started at 150 of the others' clock
  EXPECT_EQ(match(kFirst), (Starts{300, 300, 5350}));
}

TEST_F(MatchTransfersTest, ItLiesWithinTheTransfer) {
  set(kFirst, {100, 300, 200});
  set(0, kFirst, 100, 250);  // the clocks disagree a little
  EXPECT_EQ(match(kFirst), (Starts{250, 300, 300}));
}

TEST_F(MatchTransfersTest, WithoutAMembersRecordNothingIsKnown) {
  set(kFirst, {100, 300, 200});
  EXPECT_EQ(match(kFirst, 2), (Starts{0, 0, 0})) << "rank 2 left no ring";
  records_[1][kFirst] = {};
  EXPECT_EQ(match(kFirst), (Starts{0, 0, 0})) << "rank 1 was cut off";
}

TEST_F(MatchTransfersTest, ClocksThatCannotBeComparedTellNothing) {
  set(kFirst, {100, 300, 200});
  ranks_[1].clock = "another host's";
  EXPECT_EQ(match(kFirst), (Starts{0, 0, 0}));
}

// Rings of a run: read_run() has completed them.
TEST_F(MatchTransfersTest, RingsOfARunAreCompleted) {
  set(kFirst, {100, 300, 200});
  set(kSecond, {2500, 2000, 2100});
  const testing::ScratchDirectory directory;
  std::filesystem::create_directories(directory / "events");
  std::vector<std::shared_ptr<const plan::StepPlan>> plans(3, plans_[0].plan);
  for (std::uint32_t r = 0; r < 3; ++r) {
    runtime::RecordRing ring(
        directory / "events" / ("rank" + std::to_string(r) + ".ring"),
        {.tasks = 3, .steps = 1, .plan_digest = plans[r]->digest(), .rank = r});
    const auto places = ring.begin_step(0, 5);
    for (std::size_t task = 0; task < 3; ++task) publish(places[task], records_[r][task]);
    ring.end_step(0, 5000);
  }
  const RunRecords run = read_run(directory / "", plans);
  for (const auto& steps : run.steps) {
    EXPECT_EQ(steps.at(0).records[kFirst].matched_ns, 300);
    EXPECT_EQ(steps.at(0).records[kSecond].matched_ns, 2500);
  }
}

}  // namespace
}  // namespace megascale::observe
