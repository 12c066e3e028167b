// Goal: clocks that are off by a minute and run at different rates are aligned: no transfer is seen
// before its start, and the stated uncertainty holds.
// Method: transfers at known true times, seen through clocks with known offsets and rates.
#include "megascale/observe/clock_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace megascale::observe {
namespace {

constexpr std::int64_t kOneSecond = 1'000'000'000;

// A clock whose time is known for every true time.
struct TrueClock {
  std::int64_t offset_ns = 0;
  double rate = 0;
  [[nodiscard]] std::int64_t at(std::int64_t true_ns) const {
    return true_ns + offset_ns + std::llround(rate * static_cast<double>(true_ns));
  }
};

// Members of a transfer start in the course of a millisecond, and see each other after some
// microseconds.
class ClockFitTest : public ::testing::TestWithParam<unsigned> {
 protected:
  void transfer(std::int64_t true_ns, std::initializer_list<std::size_t> members) {
    std::uniform_int_distribution<std::int64_t> wait(0, 1'000'000), latency(5'000, 60'000);
    std::vector<std::int64_t> starts;
    for (std::size_t m = 0; m < members.size(); ++m) starts.push_back(true_ns + wait(random_));
    const std::int64_t last = *std::max_element(starts.begin(), starts.end());
    std::size_t m = 0;
    for (const std::size_t early : members) {
      const std::int64_t start = clocks_[early].at(starts[m++]);
      for (const std::size_t late : members)
        bounds_.add({early, late}, {start, clocks_[late].at(last + latency(random_))});
    }
  }
  // 4 clocks, of which neighbours meet. Over 80 s, 8 steps of 50 transfers.
  void a_run() {
    for (int step = 0; step < 8; ++step) {
      for (int t = 0; t < 50; ++t) {
        const std::int64_t now = 5 * kOneSecond + step * 10 * kOneSecond + t * kOneSecond / 10;
        transfer(now, {0, 1});
        transfer(now + 20'000'000, {1, 2});
        transfer(now + 40'000'000, {2, 3});
        if (t % 10 == 0) transfer(now + 60'000'000, {0, 1, 2, 3});
      }
    }
  }
  [[nodiscard]] std::int64_t worst_violation(const ClockFits& fits) const {
    std::int64_t worst = 0;
    for (const auto& [pair, list] : bounds_.all()) {
      for (const auto& [start, seen] : list) {
        worst = std::max(worst, fits.clocks[pair.first].to_reference(start) -
                                    fits.clocks[pair.second].to_reference(seen));
      }
    }
    return worst;
  }
  // The error of a clock at a true time.
  [[nodiscard]] std::int64_t error(const ClockFits& fits, std::size_t clock,
                                   std::int64_t true_ns) const {
    return std::abs(fits.clocks[clock].to_reference(clocks_[clock].at(true_ns)) -
                    clocks_[0].at(true_ns));
  }
  std::mt19937 random_{GetParam()};
  std::vector<TrueClock> clocks_{{},
                                 {60 * kOneSecond, 30e-6},
                                 {-3 * kOneSecond, -80e-6},
                                 {1'000'000'000 * kOneSecond / 1000, 5e-6}};
  ClockBounds bounds_{4};
};

TEST_P(ClockFitTest, ClocksThatAreOffAndDriftAreAlignedWithinTheStatedUncertainty) {
  a_run();
  const ClockFits fits = fit_clocks(bounds_);
  EXPECT_EQ(fits.violation_ns, 0);
  EXPECT_EQ(worst_violation(fits), 0);
  EXPECT_EQ(fits.clocks[0].uncertainty_ns, 0);
  for (std::size_t c = 1; c < 4; ++c) {
    ASSERT_TRUE(fits.clocks[c].uncertainty_ns);
    // Each step from clock to clock costs about a latency.
    EXPECT_LT(*fits.clocks[c].uncertainty_ns, static_cast<std::int64_t>(c) * 60'000) << c;
    for (std::int64_t second = 5; second <= 80; second += 5)
      EXPECT_LE(error(fits, c, second * kOneSecond), *fits.clocks[c].uncertainty_ns)
          << "clock " << c << " after " << second << " s";
  }
}

TEST_P(ClockFitTest, WithoutDriftTheRecordsOfAStepAreEnough) {
  for (TrueClock& clock : clocks_) clock.rate = 0;
  for (int t = 0; t < 50; ++t) transfer(9 * kOneSecond + t * 1'000'000, {0, 1, 2, 3});
  const ClockFits fits = fit_clocks(bounds_);
  EXPECT_EQ(worst_violation(fits), 0);
  for (std::size_t c = 1; c < 4; ++c) {
    ASSERT_TRUE(fits.clocks[c].uncertainty_ns);
    EXPECT_LE(error(fits, c, 9 * kOneSecond + 25'000'000), *fits.clocks[c].uncertainty_ns);
    // A clock may gain 0.001 of the 50 ms, besides the latencies.
    EXPECT_LT(*fits.clocks[c].uncertainty_ns, 150'000);
  }
}

TEST_P(ClockFitTest, AClockThatWasSetIsReportedAsAViolation) {
  a_run();
  clocks_[2].offset_ns += kOneSecond;
  transfer(90 * kOneSecond, {1, 2});
  transfer(91 * kOneSecond, {1, 2});
  const ClockFits fits = fit_clocks(bounds_);
  // No constant rate fits both, so half of the jump is left at least.
  EXPECT_GT(fits.violation_ns, kOneSecond / 4);
  EXPECT_LE(worst_violation(fits), fits.violation_ns);
  ASSERT_TRUE(fits.clocks[2].uncertainty_ns);
  EXPECT_GE(*fits.clocks[2].uncertainty_ns, fits.violation_ns);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClockFitTest, ::testing::Range(0U, 10U));

TEST(ClockFitOfTwoTest, TheOffsetIsTheMiddleOfTheIntervalAndItsHalfWidthTheUncertainty) {
  ClockBounds bounds(2);
  // Clock 1 is 1000 behind. Each sees the other 40 after its start, or 20.
  bounds.add({0, 1}, {5000, 5000 - 1000 + 40});
  bounds.add({1, 0}, {5000 - 1000, 5000 + 20});
  const ClockFits fits = fit_clocks(bounds);
  EXPECT_EQ(fits.clocks[1].offset_ns, 1000 - 10);
  ASSERT_TRUE(fits.clocks[1].uncertainty_ns);
  EXPECT_NEAR(static_cast<double>(*fits.clocks[1].uncertainty_ns), 30, 1);  // and a rate for 60 ns
  EXPECT_EQ(fits.clocks[1].to_reference(4000), 4990);
}

TEST(ClockFitOfTwoTest, AClockThatNobodyMeetsIsNotAligned) {
  ClockBounds bounds(3);
  bounds.add({0, 1}, {10, 20});
  bounds.add({1, 0}, {10, 20});
  bounds.add({2, 2}, {10, 20});
  bounds.add({0, 2}, {10, 20});  // in one direction only
  bounds.add({1, 2}, {-5, 20});
  const ClockFits fits = fit_clocks(bounds);
  EXPECT_TRUE(fits.clocks[1].uncertainty_ns);
  EXPECT_FALSE(fits.clocks[2].uncertainty_ns);
  EXPECT_EQ(fits.clocks[2].to_reference(77), 77);
  EXPECT_EQ(fit_clocks(ClockBounds(1)).clocks.at(0).uncertainty_ns, 0);
}

TEST(ClockFitOfTwoTest, TimesOfADamagedFileOverflowNothing) {
  ClockBounds bounds(2);
  constexpr std::int64_t kLate = (std::int64_t{1} << 61U) - 1;
  bounds.add({0, 1}, {0, kLate});
  bounds.add({1, 0}, {kLate, 0});
  bounds.add({0, 1}, {kLate, 0});
  bounds.add({1, 0}, {5, kLate});
  const ClockFits fits = fit_clocks(bounds);
  EXPECT_EQ(fits.clocks.size(), 2U);
}

}  // namespace
}  // namespace megascale::observe
