// Goal: spikes, rises and missing values of a loss are named, and a healthy training has none.
// Method: losses that fall with seeded noise, changed by hand.
#include "megascale/observe/anomalies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace megascale::observe {
namespace {

using Kind = Anomaly::Kind;
constexpr std::size_t kLossMetric = metric_index("loss"), kNormMetric = metric_index("grad_norm");

class AnomaliesTest : public ::testing::TestWithParam<unsigned> {
 protected:
  AnomaliesTest() {
    std::mt19937 random(GetParam());
    std::normal_distribution<double> noise(0, 1);
    for (int step = 1; step <= 1000; ++step) {
      MetricsRow row{.step = step};
      row.values.fill(std::numeric_limits<double>::quiet_NaN());
      row.values[kLossMetric] = 2 + 8 * std::exp(-step / 150.0) + 0.03 * noise(random);
      row.values[kNormMetric] = 1.5 * std::exp(0.2 * noise(random));
      rows.push_back(row);
    }
  }
  double& loss(int step) { return rows[static_cast<std::size_t>(step) - 1].values[kLossMetric]; }
  std::vector<MetricsRow> rows;
};

TEST_P(AnomaliesTest, AHealthyTrainingHasNone) {
  for (const Anomaly& one : training_anomalies(rows)) ADD_FAILURE() << to_string(one);
}

TEST_P(AnomaliesTest, ASpikeIsOneAnomalyAndDoesNotHideTheNext) {
  loss(500) += 1;
  loss(501) += 2;
  loss(505) += 1;
  const auto found = training_anomalies(rows);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, Kind::spike);
  EXPECT_EQ(found[0].first_step, 500);
  EXPECT_EQ(found[0].last_step, 501);
  EXPECT_DOUBLE_EQ(found[0].worst, loss(501));
  EXPECT_EQ(found[1].first_step, 505);
  EXPECT_THAT(to_string(found[0]), ::testing::HasSubstr("in steps 500 to 501, usually 2."));
}

TEST_P(AnomaliesTest, ALossThatIsNotFiniteIsNamed) {
  loss(3) = loss(4) = std::numeric_limits<double>::quiet_NaN();
  const auto found = training_anomalies(rows);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::not_finite);
  EXPECT_EQ(to_string(found[0]), "loss not finite in steps 3 to 4");
}

// No step exceeds the steps before it by much.
TEST_P(AnomaliesTest, ASlowRiseAtTheEndIsNamed) {
  for (int step = 700; step <= 1000; ++step) loss(step) += 0.003 * (step - 700);
  const auto found = training_anomalies(rows);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::rise);
  EXPECT_EQ(found[0].last_step, 1000);
  EXPECT_GT(found[0].worst, found[0].usual + 0.5);
}

TEST_P(AnomaliesTest, AGradientNormOfThreeTimesTheUsualIsNamed) {
  rows[799].values[kNormMetric] = 20;
  const auto found = training_anomalies(rows);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].metric, kNormMetric);
  EXPECT_EQ(found[0].first_step, 800);
}

TEST_P(AnomaliesTest, FewStepsTellNothing) {
  rows.resize(15);
  loss(15) *= 10;
  EXPECT_TRUE(training_anomalies(rows).empty());
  EXPECT_TRUE(training_anomalies({}).empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnomaliesTest, ::testing::Range(1U, 6U));

}  // namespace
}  // namespace megascale::observe
