// Rates that are known are found again.
#include "megascale/simulate/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

namespace megascale::testing {
namespace {

using simulate::WorkSample;

TEST(FitRatesTest, RatesThatAreKnownAreFoundAgain) {
  std::vector<WorkSample> samples;
  // A rate that grows with the work: 10, 20, ... GFLOP/s from 1 MFLOP on, by factors of 8.
  for (int i = 0; i < 5; ++i) {
    const double work = 1e6 * std::pow(8, i), rate = 10e9 * (i + 1);
    samples.push_back({"linear", work, work / rate, 3});
  }
  samples.push_back({"gelu", 1000, 1e-6});
  const auto rates = simulate::fit_rates(samples);
  ASSERT_EQ(rates.size(), 2U);
  ASSERT_EQ(rates.at("linear").points.size(), 5U);
  for (int i = 0; i < 5; ++i)
    EXPECT_NEAR(rates.at("linear").at(1e6 * std::pow(8, i)), 10 * (i + 1), 1e-9) << i;
  EXPECT_NEAR(rates.at("gelu").at(1e9), 1, 1e-9);
}

// Two shapes with equal work and unequal rates: their sum is what a step takes.
TEST(FitRatesTest, TheSumOfTheSamplesIsMet) {
  const std::vector<WorkSample> samples{{"linear", 1.1e6, 1e-4, 5}, {"linear", 1.2e6, 4e-4, 2}};
  const auto curve = simulate::fit_rates(samples).at("linear");
  ASSERT_EQ(curve.points.size(), 1U);
  double predicted = 0, measured = 0;
  for (const WorkSample& sample : samples) {
    predicted += sample.tasks * sample.work / (1e9 * curve.at(sample.work));
    measured += sample.tasks * sample.seconds;
  }
  EXPECT_NEAR(predicted, measured, 1e-12);
}

TEST(FitRatesTest, SamplesThatSayNothingAreLeftOut) {
  EXPECT_TRUE(simulate::fit_rates({}).empty());
  const std::vector<WorkSample> samples{{"add", 0, 1e-6}, {"add", 100, 0}};
  EXPECT_TRUE(simulate::fit_rates(samples).empty());
}

// Products of equal FLOPs and unequal operands: 100 GFLOP/s and 5 GB/s of packing are 20 FLOPs a
// byte.
TEST(FitKernelsTest, WhatPackingTakesIsFoundAgain) {
  std::vector<WorkSample> samples;
  for (const double flops : {1e8, 8e8}) {
    for (const double nbytes : {1e5, 1e6, 4e6}) {
      samples.push_back({"linear", flops, flops / 100e9 + nbytes / 5e9, 1, nbytes});
      samples.push_back({"attention", flops, flops / 100e9 + nbytes / 10e9, 1, nbytes});
    }
  }
  const auto kernels = simulate::fit_kernels(samples, {});
  EXPECT_EQ(kernels.flops_per_byte.at("linear"), 20);
  EXPECT_EQ(kernels.flops_per_byte.at("attention"), 10);
  for (const WorkSample& sample : samples) {
    const double work = sample.work + kernels.flops_per_byte.at(sample.kind) * sample.nbytes;
    EXPECT_NEAR(work / (1e9 * kernels.gflop_per_s.at(sample.kind).at(work)), sample.seconds,
                1e-9 * sample.seconds);
  }
}

TEST(FitTransfersTest, BaseAndRateAreFoundAgain) {
  const double base = 20e-6;
  std::vector<WorkSample> samples;
  for (const double nbytes : {64.0, 4096.0}) samples.push_back({"all_reduce", nbytes, base, 4});
  samples.push_back({"all_reduce", 8, 1e-3});  // one that a neighbour held up
  for (const double nbytes : {1e6, 1e7}) {
    samples.push_back({"all_reduce", nbytes, base + nbytes / 4e9});
    samples.push_back({"recv", nbytes, base + nbytes / 2e9});
  }
  samples.push_back({"shift", 512, base});  // nothing is known of its rate
  const auto transfers = simulate::fit_transfers(samples);
  EXPECT_NEAR(transfers.base_us, 20, 1e-9);
  EXPECT_NEAR(transfers.gb_per_s.at("all_reduce").at(3e6), 4, 1e-9);
  EXPECT_NEAR(transfers.gb_per_s.at("recv").at(1e9), 2, 1e-9);
  EXPECT_NEAR(transfers.gb_per_s.at("shift").at(1e6), 2 / (0.5 + 0.25) * 1, 1e-9)
      << "as all together";
}

TEST(FitTransfersTest, WithoutSmallOnesTheBaseIsTheShortest) {
  const std::vector<WorkSample> samples{{"recv", 1e5, 30e-6}, {"recv", 1e6, 280e-6}};
  const auto transfers = simulate::fit_transfers(samples);
  EXPECT_NEAR(transfers.base_us, 30, 1e-9);
  EXPECT_NEAR(transfers.gb_per_s.at("recv").at(1e6), 4, 1e-9);
  EXPECT_TRUE(simulate::fit_transfers({}).gb_per_s.empty());
}

// On a busy machine.
TEST(FitTransfersTest, SmallOnesThatTookLongerThanLargeOnesTakeNoRateAway) {
  const std::vector<WorkSample> samples{
      {"recv", 64, 5e-3}, {"recv", 1e6, 250e-6}, {"recv", 1e7, 2250e-6}, {"shift", 64, 6e-3}};
  const auto transfers = simulate::fit_transfers(samples);
  EXPECT_NEAR(transfers.base_us, 250, 1e-9);
  EXPECT_NEAR(transfers.gb_per_s.at("recv").at(1e7), 5, 1e-9);
  EXPECT_NEAR(transfers.gb_per_s.at("shift").at(1e7), 5, 1e-9) << "as all together";
  const auto one = simulate::fit_transfers(std::span(samples).subspan(0, 2));
  EXPECT_EQ(one.base_us, 0);
  EXPECT_NEAR(one.gb_per_s.at("recv").at(1e6), 4, 1e-9);
}

TEST(FitTransfersTest, NoneTakesLongerThanALargerOne) {
  // A gather of 9 KB that waited a millisecond for its thread, between some that did not.
  std::vector<WorkSample> samples{{"all_gather", 1, 5e-6}};
  for (const double nbytes : {16e3, 64e3, 256e3})
    samples.push_back({"all_gather", nbytes, 5e-6 + nbytes / 2e9});
  samples.push_back({"all_gather", 9e3, 1e-3});
  const auto transfers = simulate::fit_transfers(samples);
  const auto& curve = transfers.gb_per_s.at("all_gather");
  ASSERT_EQ(curve.points.size(), 4U);
  EXPECT_NEAR(9e3 / (1e9 * curve.at(9e3)), 16e3 / 2e9, 1e-9);
  for (const double nbytes : {16e3, 64e3, 256e3}) EXPECT_NEAR(curve.at(nbytes), 2, 1e-6);
}

}  // namespace
}  // namespace megascale::testing
