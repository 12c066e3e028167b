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

TEST(ThinOutTest, RowsBecomeMeansAndTheLastStepStays) {
  std::vector<MetricsRow> rows;
  for (int i = 1; i <= 10; ++i) {
    rows.push_back({.step = i});
    rows.back().values[kLoss] = i;
  }
  rows[0].values[kLoss] = NAN;
  rows[8].validation_losses = {{"wiki", 3}};
  rows[9].validation_losses = {{"wiki", 5}, {"code", 7}};
  const auto thin = thin_out(rows, 5);
  ASSERT_EQ(thin.size(), 5U);
  EXPECT_EQ(thin.back().step, 10);
  EXPECT_DOUBLE_EQ(thin.back().values[kLoss], 9.5);
  EXPECT_DOUBLE_EQ(thin.front().values[kLoss], 2) << "absent values do not count";
  EXPECT_DOUBLE_EQ(validation_loss(thin.back(), "wiki"), 4);
  EXPECT_DOUBLE_EQ(validation_loss(thin.back(), "code"), 7) << "a row without it does not count";
  EXPECT_TRUE(thin.front().validation_losses.empty());
  EXPECT_EQ(thin_out(rows, 10).size(), 10U);
}

}  // namespace
}  // namespace megascale::observe
