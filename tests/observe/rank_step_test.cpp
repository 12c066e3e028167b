// The times of a rank in one step, from a plan and records written by hand.
#include "megascale/observe/rank_step.h"

#include <gtest/gtest.h>

#include "megascale/observe/blame.h"
#include "megascale/observe/group_steps.h"
#include "support/plan_writer.h"

namespace megascale::observe {
namespace {

using graph::Access;
using graph::Lane;
using testing::PlanWriter;

// Times are in seconds: head, start, partners there, done.
class RankStepTest : public ::testing::Test {
 protected:
  static std::int64_t ns(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }
  void record(double head, double start, double matched, double done, bool waits) {
    records_.push_back({.head_ns = ns(head),
                        .start_ns = ns(start),
                        .matched_ns = ns(matched),
                        .done_ns = ns(done),
                        .last_wait = waits ? 0 : TaskRecord::kNoWait});
  }
  testing::TaskId compute(double head, double start, double done,
                          std::vector<testing::TaskId> after = {}) {
    record(head, start, start, done, !after.empty());
    return w_.work(Lane::compute, "work", {}, {.after = std::move(after)},
                   [](const auto&) { return nullptr; });
  }
  testing::TaskId sum(double head, double start, double matched, double done,
                      std::vector<testing::TaskId> after = {}) {
    record(head, start, matched, done, !after.empty());
    return w_.transfer(graph::all_reduce_op(), "sum", group_,
                       {w_.whole(buffer_, Access::accumulate)}, {.after = std::move(after)});
  }
  [[nodiscard]] RankStep step(double seconds) const {
    return rank_step(plan::StepPlan(w_.tables), records_, seconds);
  }

  PlanWriter w_;
  plan::BufferId buffer_ = w_.buffer("b", 64);
  plan::CommunicatorId group_ = w_.communicator("group", {0, 1}, Lane::data);
  std::vector<TaskRecord> records_;
};

TEST_F(RankStepTest, ATransferIsHiddenWhileTheComputeLaneWorks) {
  const auto first = compute(0, 0, 2);
  sum(0, 2, 3, 7, {first});  // moves from 3 to 7; the partner is waited for from 2 to 3
  compute(2, 2, 4);          // hides 3 to 4
  compute(4, 4.5, 5);        // hides 4.5 to 5
  const RankStep times = step(8);
  EXPECT_DOUBLE_EQ(times.lane(Lane::data).busy, 4);
  EXPECT_DOUBLE_EQ(times.lane(Lane::data).partner, 1);
  EXPECT_DOUBLE_EQ(times.lane(Lane::data).hidden, 1.5);
  EXPECT_DOUBLE_EQ(times.lane(Lane::data).overlap_share(), 1.5 / 4);
  EXPECT_DOUBLE_EQ(times.lane(Lane::compute).busy, 4.5);
  EXPECT_DOUBLE_EQ(times.times.compute, 4.5);
  EXPECT_DOUBLE_EQ(times.lane(Lane::tensor).overlap_share(), 1) << "a lane without transfers";
}

TEST_F(RankStepTest, ATaskIsLateFromWhenItsLaneAndItsWaitsLetIt) {
  const auto first = compute(0, 0.25, 2);  // 0.25 after the head of its lane
  sum(0, 2.5, 2.5, 3, {first});            // 0.5 after the task that it waited for
  sum(3, 3.125, 4, 5);                     // 0.125 after the transfer before it
  const RankStep times = step(5);
  EXPECT_DOUBLE_EQ(times.lane(Lane::compute).late, 0.25);
  EXPECT_DOUBLE_EQ(times.lane(Lane::data).late, 0.625);
  EXPECT_DOUBLE_EQ(times.late_transfers(), 0.625) << "computation does not count";
}

TEST_F(RankStepTest, ATransferThatTheEndCutOffDoesNotCount) {
  const auto first = compute(0, 0, 1);
  sum(0, 0, 0, 0, {first});
  EXPECT_DOUBLE_EQ(step(1).lane(Lane::data).busy, 0);
}

TEST_F(RankStepTest, PiecesOfIdleTimeAddUpToTheBlame) {
  const auto transfer = sum(0, 1, 4, 6);
  compute(2, 6, 7, {transfer});
  const plan::StepPlan plan(w_.tables);
  const auto pieces = idle_pieces(plan, records_);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].cause, IdleCause::exposed_comm);
  EXPECT_EQ(pieces[0].from_ns, ns(4));
  EXPECT_EQ(pieces[0].to_ns, ns(6));
  EXPECT_EQ(pieces[0].culprit, transfer);
  EXPECT_EQ(pieces[1].cause, IdleCause::bubble);
  EXPECT_EQ(pieces[1].to_ns - pieces[1].from_ns, ns(2));
  EXPECT_DOUBLE_EQ(blame(plan, records_).bubble_seconds, 2);
}

TEST_F(RankStepTest, AGroupsTimeIsTheMeanOfItsMembers) {
  sum(0, 0, 1, 3);
  sum(3, 3, 3, 4);
  const plan::RankPlan first = w_.rank_plan(0), second = w_.rank_plan(1);
  auto slower = records_;
  slower[1].done_ns = ns(6);
  const std::vector<const plan::StepPlan*> plans{first.plan.get(), second.plan.get()};
  const GroupIndex index(plans, [&](std::uint32_t rank, std::size_t communicator) {
    return (rank == 0 ? first : second).binding.communicators[communicator];
  });
  GroupCollector collector(index, 1);
  for (const auto* rank : {&first, &second}) {
    std::vector<double> seconds(1, 0.0);
    add_moving_seconds(*rank->plan, rank == &first ? records_ : slower, seconds);
    const std::vector<std::span<const double>> moving{seconds};
    const std::vector<double> core_waits{rank == &first ? 2.0 : 1.0};
    collector.add(rank->binding.rank, "w", moving, core_waits);
  }
  const auto groups = std::move(collector).take();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(groups[0].kind, "w/group");
  EXPECT_DOUBLE_EQ(groups[0].moving_seconds.at(0), (3 + 5) / 2.0);
  EXPECT_EQ(groups[0].core_waits, std::vector<double>{2});
  EXPECT_TRUE(groups[0].core_waits_before.empty());
}

}  // namespace
}  // namespace megascale::observe
