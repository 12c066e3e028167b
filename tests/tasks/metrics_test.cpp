#include "megascale/tasks/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

// The formulas, against numbers that were computed by hand.
namespace megascale::tasks {
namespace {

TEST(MetricsTest, ChoicesByLogLikelihoodAndByLogLikelihoodPerByte) {
  // Document 1: -2 is larger, and so is -2 / 1 than -3 / 1. Document 2: -4 is larger than -6, but -6 / 6
  // is larger than -4 / 2. Documents 3 and 4: ties go to the first.
  const std::vector<ChoiceScores> documents{
      {{-2, -3}, {1, 1}, 0}, {{-4, -6}, {2, 6}, 1}, {{-1, -1}, {1, 1}, 1}, {{-1, -1}, {1, 1}, 1}};
  const auto metrics = choice_metrics(documents);
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].name, "acc");
  EXPECT_DOUBLE_EQ(metrics[0].value, 0.25);  // 1, 0, 0, 0
  // Deviations 3/4, -1/4, -1/4, -1/4: variance (9/16 + 3/16) / 3 = 1/4, error sqrt(1/16).
  EXPECT_DOUBLE_EQ(metrics[0].standard_error.value(), 0.25);
  EXPECT_EQ(metrics[1].name, "acc_norm");
  EXPECT_DOUBLE_EQ(metrics[1].value, 0.5);  // 1, 1, 0, 0
  // Deviations of 1/2: variance 4 (1/4) / 3 = 1/3, error sqrt(1/3 / 4).
  EXPECT_DOUBLE_EQ(metrics[1].standard_error.value(), std::sqrt(1.0 / 12));
}

TEST(MetricsTest, ContinuationsByGreedyTokensAndPerplexity) {
  const std::vector<ContinuationScore> documents{{-1, true}, {-2, false}, {-3, false}};
  const auto metrics = continuation_metrics(documents);
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].name, "acc");
  EXPECT_DOUBLE_EQ(metrics[0].value, 1.0 / 3);
  EXPECT_EQ(metrics[1].name, "perplexity");
  EXPECT_DOUBLE_EQ(metrics[1].value, std::exp(2.0));
  EXPECT_FALSE(metrics[1].higher_is_better);
  // The sample deviation of -1, -2, -3 is 1.
  EXPECT_DOUBLE_EQ(metrics[1].standard_error.value(), std::exp(2.0) / std::sqrt(3.0));
}

TEST(MetricsTest, TextsByWordsAndBytesOfAllDocuments) {
  const std::vector<TextScore> documents{{-6, 3, 10}, {-2, 1, 6}};
  const auto metrics = text_metrics(documents);
  ASSERT_EQ(metrics.size(), 3U);
  EXPECT_EQ(metrics[0].name, "word_perplexity");
  EXPECT_DOUBLE_EQ(metrics[0].value, std::exp(2.0));
  EXPECT_EQ(metrics[1].name, "byte_perplexity");
  EXPECT_DOUBLE_EQ(metrics[1].value, std::exp(0.5));
  EXPECT_EQ(metrics[2].name, "bits_per_byte");
  EXPECT_DOUBLE_EQ(metrics[2].value, 0.5 / std::log(2.0));
  for (const Metric& metric : metrics) EXPECT_FALSE(metric.standard_error);
}

TEST(MetricsTest, OneDocumentHasNoStandardError) {
  const auto metrics = continuation_metrics(std::vector<ContinuationScore>{{-1, true}});
  for (const Metric& metric : metrics) EXPECT_FALSE(metric.standard_error) << metric.name;
  EXPECT_EQ(metrics[0].value, 1);
}

// len(re.split(r"\s+", text)) of Python.
TEST(MetricsTest, WordsAreCountedAsPythonSplitsThem) {
  EXPECT_EQ(count_words("one"), 1U);
  EXPECT_EQ(count_words("one two"), 2U);
  EXPECT_EQ(count_words("one \n\t two three"), 3U);
  EXPECT_EQ(count_words(" one "), 3U);
  EXPECT_EQ(count_words(""), 1U);
  EXPECT_EQ(count_words("\xc3\xa9t\xc3\xa9\xc2\xa0or"), 2U);  // a no-break space
}

}  // namespace
}  // namespace megascale::tasks
