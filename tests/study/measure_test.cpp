// What measurements make of their figures; none of these tests measures anything.
#include <gtest/gtest.h>

#include "megascale/base/error.h"
#include "megascale/study/measure/collectives.h"
#include "megascale/study/measure/device_times.h"
#include "megascale/study/measure/openmpi_yardstick.h"
#include "megascale/study/measure/startup_measurement.h"

namespace megascale::study {
namespace {

using graph::Axis;

TEST(StartupTest, TheGridIsThatOfTheLargeModel) {
  struct Case {
    std::uint32_t ranks, tensor, data, pipeline;
  };
  for (const Case& c : {Case{12288, 8, 192, 8}, Case{64, 8, 1, 8}, Case{32, 8, 1, 4},
                        Case{12, 4, 3, 1}, Case{7, 1, 7, 1}, Case{1, 1, 1, 1}}) {
    const graph::AxisSizes sizes = startup_grid(c.ranks);
    EXPECT_EQ(sizes[Axis::tensor], c.tensor) << c.ranks;
    EXPECT_EQ(sizes[Axis::data], c.data) << c.ranks;
    EXPECT_EQ(sizes[Axis::pipeline], c.pipeline) << c.ranks;
  }
}

TEST(StartupTest, SharesCoverTheRanksEvenly) {
  for (const std::uint32_t ranks : {1U, 7U, 8U, 100U}) {
    for (const std::uint32_t wanted : {1U, 3U, 8U}) {
      const StartupJob job{.ranks = ranks, .processes = wanted};
      const std::uint32_t processes = std::min(wanted, ranks);
      EXPECT_EQ(first_rank_of_share(job, 0), 0U);
      EXPECT_EQ(first_rank_of_share(job, processes), ranks);
      for (std::uint32_t i = 0; i < processes; ++i) {
        const std::uint32_t share = first_rank_of_share(job, i + 1) - first_rank_of_share(job, i);
        EXPECT_GE(share, ranks / processes);
        EXPECT_LE(share, ranks / processes + 1);
      }
    }
  }
}

TEST(StartupTest, GrowthIsMeasuredAtNumbersThatDouble) {
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(ranks_of_growth(1024, StartupOrder::bootstrap), (Numbers{64, 128, 256, 512, 1024}));
  EXPECT_EQ(ranks_of_growth(1024, StartupOrder::barrier_per_group), (Numbers{64, 128}));
  EXPECT_EQ(ranks_of_growth(1, StartupOrder::bootstrap), (Numbers{64, 128}));  // two at least
}

TEST(StartupTest, GrowthIsThatOfTheRuns) {
  std::vector<StartupRun> runs;
  for (const std::uint32_t ranks : {64U, 128U, 256U}) {
    StartupRun run{.ranks = ranks, .request_rate = 1000};
    run.figures.seconds = 1e-5 * ranks * ranks;
    run.figures.counts.requests = std::uint64_t{3} * ranks;
    runs.push_back(run);
  }
  const StartupGrowth growth = growth_of(runs);
  EXPECT_NEAR(growth.seconds, 2, 1e-12);
  EXPECT_NEAR(growth.requests, 1, 1e-12);
  EXPECT_DOUBLE_EQ(runs[0].floor_seconds(), 0.192);
}

TEST(CollectivesTest, BusFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor("all_gather", 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor("reduce_scatter", 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor("all_reduce", 4), 1.5);
  EXPECT_DOUBLE_EQ(bus_factor("all_to_all", 2), 0.5);
  EXPECT_DOUBLE_EQ(bus_factor("broadcast", 4), 1);
  EXPECT_DOUBLE_EQ(bus_factor("shift", 4), 1);
  EXPECT_THROW((void)bus_factor("gossip", 4), Error);
  const CollectiveTimes times{
      .kind = "all_reduce", .nbytes = 8000, .seconds = {.median = 2e-6}, .bus_factor = 1.5};
  EXPECT_DOUBLE_EQ(times.algbw(), 4e9);
  EXPECT_DOUBLE_EQ(times.busbw(), 6e9);
}

TEST(CollectivesTest, RefusesKindsThatGiveNoCase) {
  const CollectivesOptions options{.kinds = {"gossip"}};
  EXPECT_THROW((void)measure_collectives(options, [](const std::string&) {}), Error);
}

TEST(YardstickTest, ReadsRowsAndPassesOverTheRest) {
  const YardstickSeconds rows = parse_yardstick(
      "# 4 ranks\nall_gather 1024 2.5 0.4 0.3\nwarning: no such device\nshift 64 10 1 1\n"
      "all_reduce 12\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_DOUBLE_EQ(rows.at({"all_gather", 1024}), 2.5e-6);
  EXPECT_DOUBLE_EQ(rows.at({"shift", 64}), 1e-5);
  EXPECT_TRUE(parse_yardstick("").empty());
}

// The tasks take longer in the step than alone, as at lower clocks. That is no gap: they take as
// long one after the other.
TEST(DeviceTimesTest, GapsAreWhatTheStepTakesBeyondWaitsAndPackedTasks) {
  DeviceTimes times;
  times.packed_seconds = 8.1;
  times.kinds["linear"] = {OpClass::gemm, 3, 2};
  times.kinds["linear_input_gradient"] = {OpClass::gemm, 1, 1};
  times.kinds["grouped_linear"] = {OpClass::grouped_gemm, 0.25, 0.125};
  times.kinds["attention"] = {OpClass::attention, 2, 1};
  times.kinds["gelu"] = {OpClass::rest, 0.5, 0.25};
  observe::TimeByOp by_op;
  by_op.ops = {{.op = "linear", .seconds = 3.5},
               {.op = "linear_input_gradient", .seconds = 1.5},
               {.op = "grouped_linear", .seconds = 0.5},
               {.op = "attention", .seconds = 2},
               {.op = "gelu", .seconds = 1}};
  by_op.idle_seconds = 1;
  const ClassTimes classes = times_by_class(times, by_op, 10);
  const auto& gemm = classes.classes[static_cast<std::size_t>(OpClass::gemm)];
  EXPECT_DOUBLE_EQ(gemm.seconds, 5);
  EXPECT_DOUBLE_EQ(gemm.alone_seconds, 4);
  EXPECT_DOUBLE_EQ(gemm.floor_seconds, 3);
  EXPECT_DOUBLE_EQ(classes.share_of_rest(), 0.25);  // 1 - (5 + 0.5 + 2) / 10
  // Of the packed tasks as much is for the matrix units as of the tasks alone.
  EXPECT_DOUBLE_EQ(classes.share_of_rest_and_gaps(), 1 - 8.1 * 6.25 / 6.75 / 10);
  EXPECT_DOUBLE_EQ(classes.gap_seconds(), 10 - 1 - 8.1);
}

}  // namespace
}  // namespace megascale::study
