#include "megascale/study/calibrate/fits.h"

#include <gtest/gtest.h>

#include "megascale/study/calibrate/calibration_cases.h"

namespace megascale::study {
namespace {

// Kernels of one kind each by FLOPs and by bytes, at 2 GFLOP/s and 4 GB/s whatever the size.
simulate::Cluster::Kernels kernels_alone() {
  simulate::Cluster::Kernels kernels;
  kernels.gflop_per_s["linear"] = {{{1, 2}}};
  kernels.gb_per_s["gelu"] = {{{1, 4}}};
  return kernels;
}

TEST(FitsTest, SpeedTogetherIsTimeAloneOverTimeTogether) {
  CalibrationSamples samples;
  // Alone 1 s each: 2e9 FLOPs at 2 GFLOP/s, 4e9 bytes at 4 GB/s. Together 1.5 s, and three tasks
  // of 1 s: 4 s alone over 4.5 s.
  samples.by_flops = {{.kind = "linear", .work = 2e9, .seconds = 1.5, .tasks = 1}};
  samples.by_bytes = {{.kind = "gelu", .work = 4e9, .seconds = 1, .tasks = 3}};
  EXPECT_NEAR(fit_speed_together(samples, kernels_alone()).value(), 4 / 4.5, 1e-12);
  samples.by_flops[0].seconds = 0.5;  // faster than alone, by chance
  EXPECT_EQ(fit_speed_together(samples, kernels_alone()).value(), 1);
  samples.by_flops[0].kind = samples.by_bytes[0].kind = "never measured alone";
  EXPECT_FALSE(fit_speed_together(samples, kernels_alone()).has_value());
  EXPECT_FALSE(fit_speed_together({}, kernels_alone()).has_value());
}

TEST(FitsTest, OperandsCountAsFlops) {
  simulate::Cluster::Kernels kernels = kernels_alone();
  kernels.flops_per_byte["linear"] = 10;
  CalibrationSamples samples;  // 1e9 FLOPs and 1e8 bytes: 2e9 of work, 1 s alone
  samples.by_flops = {{.kind = "linear", .work = 1e9, .seconds = 2, .tasks = 1, .nbytes = 1e8}};
  EXPECT_NEAR(fit_speed_together(samples, kernels).value(), 0.5, 1e-12);
}

TEST(FitsTest, JitterIsWhereTheSharesMeet) {
  const auto share = [](double sigma) { return 0.1 + sigma; };
  for (const double sigma : {0.02, 0.1, 0.33}) {
    const double found = fit_jitter(share(sigma), share);
    EXPECT_LE(found, sigma);
    EXPECT_NEAR(found, sigma, 0.5 / 1024);
  }
  EXPECT_EQ(fit_jitter(0.05, share), 0);         // it waited less than without any jitter
  EXPECT_NEAR(fit_jitter(9, share), 0.5, 1e-3);  // more than any jitter explains
}

TEST(FitsTest, CrowdedSpeedIsSimulatedOverMeasured) {
  const auto points = fit_crowded_speed({{4, {2, 4}}, {2, {3, 2}}, {8, {1, 4}}}, 0.8);
  ASSERT_EQ(points.size(), 3U);  // by ranks, rising
  EXPECT_EQ(points[0].size, 2);
  EXPECT_DOUBLE_EQ(points[0].value, 0.8);  // never above the speed without a crowd
  EXPECT_EQ(points[1].size, 4);
  EXPECT_DOUBLE_EQ(points[1].value, 0.4);
  EXPECT_EQ(points[2].size, 8);
  EXPECT_DOUBLE_EQ(points[2].value, 0.2);
  EXPECT_TRUE(fit_crowded_speed({}, 0.8).empty());
}

TEST(FitsTest, WaitShareIsTheLeastSquaresShare) {
  // The measured steps are exactly those of a share of 0.25.
  EXPECT_NEAR(fit_wait_share(std::vector<WaitShareSample>{{1, 3, 1.5}, {2, 2.4, 2.1}}), 0.25,
              1e-12);
  // (2 * 1 + 1 * 1) / (2 * 2 + 1 * 1)
  EXPECT_NEAR(fit_wait_share(std::vector<WaitShareSample>{{1, 3, 2}, {1, 2, 2}}), 0.6, 1e-12);
  EXPECT_EQ(fit_wait_share(std::vector<WaitShareSample>{{1, 3, 0.5}}), 0);  // never below 0
  EXPECT_EQ(fit_wait_share(std::vector<WaitShareSample>{{1, 1, 2}}), 0);    // says nothing
  EXPECT_EQ(fit_wait_share({}), 0);
}

TEST(FitsTest, ChannelsAreAsFastAsTheFastestTransfer) {
  simulate::Cluster cluster;
  cluster.device.memory_gb_per_s = 20;
  cluster.transfers.base_us = 3;
  set_channels(cluster);
  EXPECT_EQ(cluster.node.gb_per_s, 20);  // nothing was measured
  cluster.transfers.gb_per_s["send"] = {{{1e3, 1}, {1e6, 9}}};
  cluster.transfers.gb_per_s["all_gather"] = {{{1e3, 2}, {1e6, 7}}};
  set_channels(cluster);
  EXPECT_EQ(cluster.node.gb_per_s, 9);
  EXPECT_EQ(cluster.network.gb_per_s, 9);
  EXPECT_EQ(cluster.node.protocols.front().base_us, 3);
}

TEST(CalibrationCasesTest, EveryKindOfTransferIsMeasuredOnAPair) {
  const auto cases = calibration_cases({128}, 1, 4);
  std::size_t alone = 0, pairs = 0, copies = 0, crowds = 0;
  for (const CalibrationCase& one : cases) {
    alone += one.is_alone() ? 1 : 0;
    pairs += one.is_pair() ? 1 : 0;
    copies += one.copies > 0 ? 1 : 0;
    crowds += one.is_crowd ? 1 : 0;
    EXPECT_EQ(one.config.train.threads_per_rank, 1) << one.name;
  }
  EXPECT_EQ(alone, 4U);
  EXPECT_EQ(pairs, 8U);   // two of them experts, in both ways of dispatch
  EXPECT_EQ(copies, 3U);  // 4, 8 and 16 ranks
  EXPECT_EQ(crowds, 4U);
  EXPECT_EQ(alone + pairs + copies + crowds, cases.size());
  EXPECT_EQ(calibration_cases({128}, 1, 1).size(), 12U);  // one processor: no copies, no crowd
  EXPECT_EQ(calibration_cases({512}, 1, 4).size(), 15U);  // too wide for a crowd
}

}  // namespace
}  // namespace megascale::study
