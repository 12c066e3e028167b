// Two runs that are made by hand, with known differences.
#include "megascale/report/run_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace megascale::report {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kLossOfRow = observe::metric_index("loss");

RunFacts run_with(const std::vector<double>& losses) {
  RunFacts facts{.name = "run", .config = Config{}};
  for (std::size_t i = 0; i < losses.size(); ++i) {
    observe::MetricsRow row{.step = static_cast<std::int64_t>(i) + 1};
    row.values.fill(std::nan(""));
    row.values[kLossOfRow] = losses[i];
    facts.rows.push_back(row);
  }
  return facts;
}

TEST(RunDifferenceTest, EqualRunsDifferInNothing) {
  const RunFacts run = run_with({3, 2, std::nan("")});
  const RunDifference found = difference_of(run, run);
  EXPECT_TRUE(found.keys.empty());
  EXPECT_EQ(found.common_steps, 2U);
  EXPECT_FALSE(found.first_loss);
  EXPECT_THAT(to_text(found), HasSubstr("equal to the last bit in all 2 common steps"));
}

TEST(RunDifferenceTest, FirstLargestAndLastLossAreNamed) {
  RunFacts a = run_with({3, 2, 1.5, 1.25, 9}), b = run_with({3, std::nextafter(2, 3), 2.5, 1});
  b.rows.erase(b.rows.begin());  // a run that began later
  const RunDifference found = difference_of(a, b);
  EXPECT_EQ(found.common_steps, 3U);
  ASSERT_TRUE(found.first_loss && found.largest_loss && found.last_loss);
  EXPECT_EQ(found.first_loss->step, 2) << "one bit";
  EXPECT_EQ(found.largest_loss->step, 3);
  EXPECT_EQ(found.last_loss->step, 4);
}

TEST(RunDifferenceTest, ALossThatOneRunLacksIsADifference) {
  const RunDifference found = difference_of(run_with({3, 2}), run_with({3, std::nan("")}));
  ASSERT_TRUE(found.first_loss);
  EXPECT_EQ(found.first_loss->step, 2);
  EXPECT_TRUE(to_json(found).at("first_different_loss").at("second").is_null());
}

TEST(RunDifferenceTest, KeysDifferButNotPlaces) {
  const RunFacts a = run_with({});
  RunFacts b = a;
  b.config->train.run_dir = "elsewhere";
  b.config->model.num_layers += 1;
  b.config->optimizer.lr *= 2;
  const RunDifference found = difference_of(a, b);
  ASSERT_EQ(found.keys.size(), 2U);
  EXPECT_EQ(found.keys[0].name, "model.num_layers");
  EXPECT_EQ(found.keys[0].second, "13");
  EXPECT_THAT(to_text(found), HasSubstr("first differing key          model.num_layers"));
  EXPECT_THAT(to_text(found), HasSubstr("no step in common"));
}

TEST(RunDifferenceTest, SlowerOpKindsComeFirst) {
  RunFacts a = run_with({1}), b = a;
  a.records =
      RecordFacts{.times = {.step = 1, .by_op = {{"gemm", 0.5}, {"norm", 0.2}, {"add", 0.1}}}};
  b.records =
      RecordFacts{.times = {.step = 1.2, .by_op = {{"gemm", 0.6}, {"norm", 0.5}, {"add", 0.1}}}};
  const RunDifference found = difference_of(a, b);
  ASSERT_EQ(found.ops.size(), 3U);
  EXPECT_EQ(found.ops[0].name, "norm");
  EXPECT_DOUBLE_EQ(found.ops[0].first, 0.2);
  EXPECT_DOUBLE_EQ(found.ops[0].second, 0.5);
  EXPECT_THAT(to_text(found), HasSubstr("+150.0 %"));
}

}  // namespace
}  // namespace megascale::report
