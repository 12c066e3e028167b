#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "support/exchange_plan.h"
#include "support/job.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using graph::Access;
using graph::Lane;
using testing::exchange_plans;
using testing::Job;
using testing::PlanWriter;
using testing::Watchdog;
using namespace std::chrono_literals;

constexpr std::uint32_t kReduce = 4;  // the first transfer of exchange_plans(), on both ranks

// Returns true if a lane of the report waits for a transfer that `rank` has not started or not
// finished.
bool names(const StallReport& report, std::uint32_t rank) {
  return std::ranges::any_of(report.lanes, [&](const StalledLane& lane) {
    return std::ranges::count(lane.awaited_ranks, rank) > 0;
  });
}
// Returns true if a lane of the report waits only for a thread of the reporting rank.
bool has_late_thread(const StallReport& report) {
  return std::ranges::any_of(report.lanes, [](const StalledLane& lane) {
    return lane.why == StalledLane::Why::no_thread || lane.why == StalledLane::Why::not_polled;
  });
}

// Goal: whichever task a rank stops at, the other one reports within the time-out what it waits for
// and who has not come.  Method: one task hangs until the survivor has thrown.
TEST(StallTest, ARankThatStopsIsNamedByTheOther) {
  const Watchdog watchdog("a step whose peer has stopped");
  constexpr auto kTimeout = 200ms;
  int stalls = 0;
  const auto plans = exchange_plans();
  for (std::uint32_t stopped = 0; stopped < 2; ++stopped) {
    for (std::uint32_t task = 0; task < plans[stopped].tables.tasks.size(); ++task) {
      const plan::PlanOp& op =
          plans[stopped].tables.ops[plan::index(plans[stopped].tables.tasks[task].op)];
      SCOPED_TRACE(fmt::format("rank {} stops at {}", stopped, op.path));
      std::atomic<bool> survivor_is_through{false};
      Job job(
          exchange_plans(),
          [&](std::uint32_t rank, std::uint32_t id) {
            while (rank == stopped && id == task && !survivor_is_through)
              std::this_thread::sleep_for(1ms);
          },
          {.timeout = kTimeout},
          stopped == 1 && comm::ucx_is_available() ? testing::Over::ucx : testing::Over::local);
      auto errors = job.try_step(0, {}, [&](std::uint32_t rank) {
        if (rank != stopped) survivor_is_through = true;
      });
      const auto& error = errors[1 - stopped];
      if (!error) continue;  // the stopped rank had done its part of everything
      EXPECT_EQ(error->code(), ErrorCode::timeout) << error->message();
      const auto report = job.runner(1 - stopped).stall();
      if (!report) {
        // The stopped rank's own thread gave up first and told the survivor.
        EXPECT_NE(error->message().find(fmt::format("rank {}: no task has finished", stopped)),
                  std::string::npos)
            << error->message();
        ++stalls;
        continue;
      }
      EXPECT_NE(error->message().find("lane compute: task"), std::string::npos) << error->message();
      if (names(*report, stopped)) {
        EXPECT_NE(error->message().find(fmt::format("ed by rank {}", stopped)), std::string::npos)
            << error->message();
        ++stalls;
      } else {
        // On a busy machine a thread of the survivor may get no core for the whole time-out.
        EXPECT_TRUE(has_late_thread(*report)) << error->message();
      }
      // The stopped rank is told once it goes on.
      if (errors[stopped]) {
        EXPECT_EQ(errors[stopped]->code(), ErrorCode::timeout);
      }
    }
  }
  EXPECT_GE(stalls, 6) << "hardly any stop was noticed";
}

TEST(StallTest, ADiagnosisNamesTaskCommunicatorAndMembers) {
  const Watchdog watchdog("an all_reduce that two of four ranks do not start");
  std::atomic<bool> through{false};
  std::vector<PlanWriter> writers;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    PlanWriter w;
    const auto value = w.buffer("value", 64);
    const auto data = w.communicator("everybody", {0, 1, 2, 3}, Lane::data);
    const auto fill = w.work(Lane::compute, "fill", {w.whole(value, Access::write)}, {},
                             [](const auto&) { return nullptr; });
    const auto reduce = w.transfer(graph::all_reduce_op(), "reduce", data,
                                   {w.whole(value, Access::accumulate)}, {.after = {fill}});
    w.work(Lane::compute, "use", {w.whole(value, Access::read)}, {.after = {reduce}},
           [](const auto&) { return nullptr; });
    writers.push_back(std::move(w));
  }
  std::atomic<int> threw{0};
  Job job(writers,
          [&](std::uint32_t rank, std::uint32_t id) {
            while ((rank == 1 || rank == 3) && id == 0 && threw < 2)
              std::this_thread::sleep_for(1ms);
          },
          {.timeout = 400ms});
  const auto errors = job.try_step(0, {}, [&](std::uint32_t rank) {
    if (rank == 0 || rank == 2) ++threw;
  });
  ASSERT_TRUE(errors[0] && errors[2]);
  for (const std::string part :
       {"no task has finished for 0.4 s (control.timeout_seconds)",
        "lane data: task 1 (step/reduce) waits on communicator everybody: not started by ranks 1, "
        "3",
        "lane compute: task 2 (step/use) waits for task 1 (step/reduce) of lane data"}) {
    EXPECT_NE(errors[0]->message().find(part), std::string::npos) << errors[0]->message();
  }
  // The same as a value, on the rank that was first to give up: the other was told.
  const std::uint32_t first = job.runner(0).stall() ? 0 : 2;
  const auto report = job.runner(first).stall();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->rank, first);
  EXPECT_EQ(report->timeout, 400ms);
  ASSERT_EQ(report->lanes.size(), 2U);
  const StalledLane &compute = report->lanes[0], &data = report->lanes[1];
  EXPECT_EQ(compute.task.lane, Lane::compute);
  EXPECT_EQ(compute.task.id, 2U);
  EXPECT_EQ(compute.why, StalledLane::Why::waits_for_task);
  ASSERT_TRUE(compute.awaited_task);
  EXPECT_EQ(compute.awaited_task->id, 1U);
  EXPECT_EQ(compute.awaited_task->lane, Lane::data);
  EXPECT_EQ(data.task.name, "step/reduce");
  EXPECT_EQ(data.why, StalledLane::Why::not_started);
  EXPECT_EQ(data.communicator, "everybody");
  EXPECT_EQ(data.awaited_ranks, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(to_string(*report), errors[first]->message());
  EXPECT_FALSE(job.runner(1).stall()) << "it did not stall, it was told";
}

// A rank whose own thread is late must not say that the others have finished.
TEST(StallTest, ATransferThatThisRankHasNotStartedWaitsForItsThread) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  const Watchdog watchdog("a step whose progress thread does not come");
  std::atomic<const LaneRunner*> late{nullptr};
  // Over UCX only the progress thread starts transfers. It hangs until the rank's own thread gives
  // up.
  Job job(
      exchange_plans(),
      [&](std::uint32_t rank, std::uint32_t id) {
        while (rank == 0 && id == kReduce && !late.load()->stall())
          std::this_thread::sleep_for(1ms);
      },
      {.timeout = 100ms}, testing::Over::ucx);
  late = &job.runner(0);
  const auto errors = job.try_step();
  ASSERT_TRUE(errors[0]);
  const auto report = job.runner(0).stall();
  ASSERT_TRUE(report);
  const auto data = std::ranges::find(report->lanes, Lane::data,
                                      [](const StalledLane& lane) { return lane.task.lane; });
  ASSERT_NE(data, report->lanes.end());
  EXPECT_EQ(data->task.id, kReduce);
  EXPECT_EQ(data->why, StalledLane::Why::no_thread) << errors[0]->message();
  EXPECT_TRUE(data->awaited_ranks.empty());
}

TEST(StallReportTest, EveryReasonHasItsWords) {
  using Why = StalledLane::Why;
  StalledLane lane;
  lane.task = {.lane = Lane::tensor, .id = 9, .name = "mb0/gather"};
  lane.awaited_task = {.lane = Lane::compute, .id = 7, .name = "norm"};
  lane.communicator = "t0";
  lane.awaited_ranks = {3, 5};
  const auto line = [&](Why why) {
    lane.why = why;
    StallReport report;
    report.rank = 4;
    report.timeout = 2s;
    report.lanes = {lane};
    const std::string all = to_string(report);
    const std::string head =
        "rank 4: no task has finished for 2 s (control.timeout_seconds), the step is given up; "
        "lane tensor: task 9 (mb0/gather) ";
    EXPECT_EQ(all.substr(0, head.size()), head);
    return all.substr(std::min(all.size(), head.size()));
  };
  EXPECT_EQ(line(Why::waits_for_task), "waits for task 7 (norm) of lane compute");
  EXPECT_EQ(line(Why::not_started), "waits on communicator t0: not started by ranks 3, 5");
  lane.awaited_ranks = {3};
  EXPECT_EQ(line(Why::not_finished),
            "waits on communicator t0: started by all, not finished by rank 3");
  EXPECT_EQ(line(Why::not_polled),
            "waits on communicator t0: all members have finished, this rank has not");
  EXPECT_EQ(line(Why::no_thread), "waits for its thread");
  EXPECT_EQ(line(Why::on_device), "is not done by the device");
}

// A disk that is slow is no stall, and neither is a computation.
TEST(StallTest, TasksThatRunAreNotGivenUp) {
  const Watchdog watchdog("a slow host task");
  PlanWriter w;
  const auto value = w.buffer("value", 64);
  const auto slow = [](const auto&) {
    std::this_thread::sleep_for(250ms);
    return nullptr;
  };
  const auto load = w.work(Lane::host_in, "load", {w.whole(value, Access::write)}, {}, slow);
  w.work(Lane::compute, "use", {w.whole(value, Access::read)}, {.after = {load}}, slow);
  Job job({w}, {}, {.timeout = 50ms});
  EXPECT_NO_THROW(job.step());
}

}  // namespace
}  // namespace megascale::runtime
