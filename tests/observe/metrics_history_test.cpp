// Goal: a reader of a growing metrics.jsonl sees every whole line once, also when the run resumes.
#include "megascale/observe/metrics_history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "megascale/base/files.h"
#include "support/scratch_directory.h"

namespace megascale::observe {
namespace {

constexpr std::size_t kLoss = metric_index("loss");

class MetricsHistoryTest : public ::testing::Test {
 protected:
  void append(const std::string& text) const { std::ofstream(path_, std::ios::app) << text; }
  [[nodiscard]] std::vector<std::int64_t> steps() {
    history_.update();
    std::vector<std::int64_t> steps;
    for (const MetricsRow& row : history_.rows()) steps.push_back(row.step);
    return steps;
  }
  using Steps = std::vector<std::int64_t>;
  testing::ScratchDirectory scratch_;
  std::filesystem::path path_ = scratch_ / "metrics.jsonl";
  MetricsHistory history_{path_};
};

TEST_F(MetricsHistoryTest, OnlyWholeLinesAreReadAndEachOnce) {
  EXPECT_EQ(steps(), Steps{}) << "there is no file yet";
  append("{\"step\": 1, \"loss\": 2.5}\n{\"step\": 2, \"lo");
  EXPECT_EQ(steps(), Steps{1});
  append("ss\": null}\n");
  EXPECT_EQ(steps(), (Steps{1, 2}));
  EXPECT_EQ(history_.rows()[0].values[kLoss], 2.5);
  EXPECT_TRUE(std::isnan(history_.rows()[1].values[kLoss]));
  EXPECT_EQ(history_.generation(), 0);
}

TEST_F(MetricsHistoryTest, AReplacedFileIsReadAgain) {
  append("{\"step\": 1}\n{\"step\": 2}\n{\"step\": 3}\n");
  EXPECT_EQ(steps(), (Steps{1, 2, 3}));
  write_text_atomically(path_, "{\"step\": 1}\n");
  EXPECT_EQ(steps(), Steps{1});
  EXPECT_EQ(history_.generation(), 1);
  std::filesystem::remove(path_);
  EXPECT_EQ(steps(), Steps{});
}

TEST_F(MetricsHistoryTest, OtherLinesAreLeftOut) {
  append("x\n[]\n{\"step\": \"1\"}\n{\"step\": 4, \"loss\": \"high\"}\n\n");
  EXPECT_EQ(steps(), Steps{4});
}

TEST_F(MetricsHistoryTest, NamedValidationLossesAreRead) {
  append("{\"step\": 1, \"validation_losses\": {\"wiki\": 2.5, \"code\": 1}}\n");
  append("{\"step\": 2, \"validation_losses\": {\"wiki\": null, \"code\": \"x\"}}\n");
  append("{\"step\": 3, \"validation_losses\": 4}\n{\"step\": 4}\n");
  EXPECT_EQ(steps(), (Steps{1, 2, 3, 4}));
  EXPECT_EQ(validation_names(history_.rows()), (std::vector<std::string>{"code", "wiki"}));
  EXPECT_EQ(validation_loss(history_.rows()[0], "wiki"), 2.5);
  EXPECT_EQ(validation_loss(history_.rows()[0], "code"), 1);
  EXPECT_TRUE(std::isnan(validation_loss(history_.rows()[0], "other")));
  for (std::size_t row : {1U, 2U, 3U}) EXPECT_TRUE(history_.rows()[row].validation_losses.empty());
}

TEST(ThinOutTest, OlderRowsBecomeMeansAndTheNewestStay) {
  std::vector<MetricsRow> rows;
  for (int i = 1; i <= 10; ++i) {
    rows.push_back({.step = i});
    rows.back().values[kLoss] = i;
  }
  rows[0].values[kLoss] = NAN;
  rows[6].validation_losses = {{"wiki", 3}};
  rows[7].validation_losses = {{"wiki", 5}, {"code", 7}};
  const auto thin = thin_out(rows, 4);
  ASSERT_EQ(thin.size(), 4U);
  EXPECT_DOUBLE_EQ(thin.front().values[kLoss], 3) << "absent values do not count";
  EXPECT_TRUE(thin.front().validation_losses.empty());
  EXPECT_EQ(thin[1].step, 8);
  EXPECT_DOUBLE_EQ(thin[1].values[kLoss], 6.5);
  EXPECT_DOUBLE_EQ(validation_loss(thin[1], "wiki"), 4);
  EXPECT_DOUBLE_EQ(validation_loss(thin[1], "code"), 7) << "a row without it does not count";
  EXPECT_DOUBLE_EQ(thin[2].values[kLoss], 9);
  EXPECT_DOUBLE_EQ(thin[3].values[kLoss], 10);
  EXPECT_EQ(thin_out(rows, 10).size(), 10U);
  ASSERT_EQ(thin_out(rows, 1).size(), 1U);
  EXPECT_DOUBLE_EQ(thin_out(rows, 1)[0].values[kLoss], 6) << "the mean of 2 to 10";
}

// The tiles of a page take the median of the last 50 steps.
TEST(ThinOutTest, AtMostFiftyRowsStay) {
  std::vector<MetricsRow> rows;
  for (int i = 1; i <= 3000; ++i) {
    rows.push_back({.step = i});
    rows.back().values[kLoss] = i;
  }
  const auto thin = thin_out(rows, 1500);
  ASSERT_EQ(thin.size(), 1500U);
  for (std::size_t i = 1; i <= kNewestRows; ++i)
    EXPECT_DOUBLE_EQ(thin[1500 - i].values[kLoss], 3001.0 - static_cast<double>(i));
  EXPECT_NE(thin[1500 - kNewestRows - 1].values[kLoss], 2950) << "a mean";
}

}  // namespace
}  // namespace megascale::observe
