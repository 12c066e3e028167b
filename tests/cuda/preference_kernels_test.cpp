// The kernels of preferences on a device, against a computation in double: from the logits of all ranks to the gradient
// of the loss. Outputs start as NaN and are followed by canaries. Without a device, skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cuda/op_cases.h"
#include "kernels/preference_batch.h"
#include "megascale/cuda/device.h"
#include "megascale/graph/ops/ops.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using graph::Dim;

OperandOf doubles(std::vector<double> values) {
  return {{Dim(static_cast<std::int64_t>(values.size()))}, DType::float64, std::move(values)};
}
OperandOf output64(std::int64_t count) { return {{Dim(count)}, DType::float64}; }
OpResult run_whole(const OpCase& op, DType storage) {
  OpResult result = run_on_device(op, storage);
  EXPECT_TRUE(result.canaries_whole) << op.name;
  return result;
}

// The results of the device's kernels for one batch.
struct Found {
  std::vector<double> scores, weights, loss, record;
  std::vector<double> logits, gradient;  // (tokens, width); the logits as they were stored
};

class BatchOnDevice {
 public:
  BatchOnDevice(const PreferenceBatch& batch, DType storage)
      : b_(batch),
        storage_(storage),
        tokens_(static_cast<std::int64_t>(batch.tokens)),
        columns_(static_cast<std::int64_t>(batch.columns)),
        ranks_(static_cast<std::int64_t>(batch.ranks)),
        sequences_(static_cast<std::int64_t>(2 * batch.pairs)),
        length_(static_cast<std::int64_t>(batch.length)),
        targets_{{Dim(tokens_)}, DType::int32, {batch.target.begin(), batch.target.end()}} {}

  Found run() {
    Found found{.logits = std::vector<double>(b_.logits.size()),
                .gradient = std::vector<double>(b_.logits.size(), NAN)};
    std::vector<OpCase> stats;
    OperandOf all_stats{{Dim(ranks_ * tokens_), Dim(3)}, DType::float32};
    for (std::size_t r = 0; r < b_.ranks; ++r) {
      stats.push_back(stats_of(r));
      const OpResult one = run_whole(stats.back(), storage_);
      const auto& values = one.operands[graph::logit_stats::stats];
      all_stats.values.insert(all_stats.values.end(), values.begin(), values.end());
      place(one.operands[graph::logit_stats::logits], r, found.logits);
    }
    found.scores = scores_of(all_stats);
    find_loss(found);
    for (std::size_t r = 0; r < b_.ranks; ++r)
      place(gradient_of(stats[r], all_stats, found.weights), r, found.gradient);
    return found;
  }

 private:
  // Copies rank r's columns to their place among those of all ranks.
  void place(const std::vector<double>& of_rank, std::size_t r, std::vector<double>& all) const {
    for (std::size_t n = 0; n < b_.tokens; ++n)
      std::copy_n(&of_rank[n * b_.columns], b_.columns, &all[n * b_.width + r * b_.columns]);
  }
  [[nodiscard]] OpCase stats_of(std::size_t r) const {
    OperandOf logits = output({Dim(tokens_), Dim(columns_)});
    for (std::size_t n = 0; n < b_.tokens; ++n) {
      const float* const row = &b_.logits[n * b_.width + r * b_.columns];
      logits.values.insert(logits.values.end(), row, row + b_.columns);
    }
    return stats_case(logits, targets_, static_cast<std::int64_t>(b_.valid),
                      static_cast<std::uint32_t>(r), ranks_);
  }
  [[nodiscard]] std::vector<double> scores_of(const OperandOf& all_stats) const {
    const OpCase op{"sequence_scores",
                    &graph::sequence_scores_op(),
                    {all_stats, targets_, output64(sequences_)},
                    {{"sequence", length_}, {"ranks", ranks_}}};
    return run_whole(op, storage_).operands[graph::sequence_scores::scores];
  }
  void find_loss(Found& found) const {
    using namespace graph::preference_loss;  // NOLINT(google-build-using-namespace)
    const OpCase op{"preference_loss",
                    &graph::preference_loss_op(),
                    {doubles(found.scores), doubles(b_.reference), output32({Dim(tokens_)}),
                     output64(2), output64(3)},
                    {{"sequence", length_},
                     {"beta", PreferenceBatch::kBeta},
                     {"label_smoothing", PreferenceBatch::kSmoothing}}};
    const OpResult result = run_whole(op, storage_);
    found.weights = result.operands[weights];
    found.loss = result.operands[loss];
    found.record = result.operands[record];
  }
  // The gradient takes the place of the logits, as in a training.
  [[nodiscard]] std::vector<double> gradient_of(OpCase op, const OperandOf& all_stats,
                                                const std::vector<double>& weights) const {
    const OperandOf logits = op.operands[graph::logit_stats::logits];
    OperandOf of_tokens = output32({Dim(tokens_)});
    of_tokens.values = weights;
    op.name = "cross_entropy";
    op.def = &graph::cross_entropy_op();
    op.operands = {logits, all_stats, targets_, output(logits.shape), output64(2), of_tokens};
    op.alias = {{graph::cross_entropy::gradient, graph::cross_entropy::logits}};
    return run_whole(op, storage_).operands[graph::cross_entropy::gradient];
  }

  const PreferenceBatch& b_;
  DType storage_;
  std::int64_t tokens_, columns_, ranks_, sequences_, length_;
  OperandOf targets_;
};

class DevicePreferences : public ::testing::TestWithParam<DType> {
 public:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
  }
};

// Goal: scores, loss, rewards and gradient are those in double, also for prompts, for an answer without a token that
// counts, and for a vocabulary that is split over ranks, padded and padding only. Sequences have fewer tokens than a
// block has threads, and more.
TEST_P(DevicePreferences, ScoresLossAndGradientAreThoseInDouble) {
  for (const PreferenceSizes& sizes :
       {PreferenceSizes{}, PreferenceSizes{1, 1, 8, 1, 8}, PreferenceSizes{2, 700, 13, 1, 11},
        PreferenceSizes{2, 9, 48, 3, 90}, PreferenceSizes{260, 2, 16, 1, 16}}) {
    SCOPED_TRACE(::testing::Message() << sizes.pairs << " pairs of " << sizes.length);
    const PreferenceBatch b(sizes);
    const Found found = BatchOnDevice(b, GetParam()).run();
    const std::vector<double> scores = b.exact_scores(found.logits);
    // Statistics are rounded to float32: an error of a few 1e-7 for each token.
    EXPECT_TRUE(all_close(found.scores, scores, 1e-6, 1e-6));
    EXPECT_EQ(found.scores.back(), 0) << "no token counts";
    double chosen = 0, rejected = 0, accurate = 0;
    for (std::size_t i = 0; i < b.pairs; ++i) {
      chosen += PreferenceBatch::kBeta * (scores[2 * i] - b.reference[2 * i]);
      rejected += PreferenceBatch::kBeta * (scores[2 * i + 1] - b.reference[2 * i + 1]);
      accurate += b.exact_margin(scores, i) > 0 ? 1 : 0;
    }
    const double loss = b.exact_loss(found.logits), most = 1e-5 * static_cast<double>(b.pairs);
    ASSERT_EQ(found.loss.size(), 2U);
    EXPECT_NEAR(found.loss[0], loss, most + 1e-6 * loss);
    EXPECT_EQ(found.loss[1], static_cast<double>(b.pairs));
    ASSERT_EQ(found.record.size(), 3U);
    EXPECT_NEAR(found.record[0], chosen, most + 1e-6 * std::abs(chosen));
    EXPECT_NEAR(found.record[1], rejected, most + 1e-6 * std::abs(rejected));
    EXPECT_EQ(found.record[2], accurate);
    const double relative = GetParam() == DType::bfloat16 ? 0x1p-8 : 1e-5;
    EXPECT_TRUE(all_close(found.gradient, b.exact_gradient(found.logits), relative, 1e-6));
  }
}

// Goal: the loss of a large margin is the margin or 0, without overflow, and a NaN does not get lost, so the step's
// check for numbers that are not finite finds it.
TEST_P(DevicePreferences, MarginsThatAreLargeOrNotFinite) {
  using namespace graph::preference_loss;  // NOLINT(google-build-using-namespace)
  const OpCase large{"preference_loss",
                     &graph::preference_loss_op(),
                     {doubles({0, -4000, -4000, 0}), doubles({0, 0, 0, 0}), output32({8}),
                      output64(2), output64(3)},
                     {{"sequence", std::int64_t{2}}, {"beta", 0.5}, {"label_smoothing", 0.0}}};
  const OpResult found = run_whole(large, GetParam());
  EXPECT_EQ(found.operands[loss], (std::vector<double>{2000, 2}));
  EXPECT_EQ(found.operands[record], (std::vector<double>{-2000, -2000, 1}));
  EXPECT_EQ(found.operands[weights], (std::vector<double>{0, 0, 0, 0, 0.5, 0.5, -0.5, -0.5}));
  OpCase damaged = large;
  damaged.operands[scores] = doubles({NAN, -1, -1, -1});
  const OpResult spread = run_whole(damaged, GetParam());
  EXPECT_TRUE(std::isnan(spread.operands[loss][0]));
  EXPECT_TRUE(std::isnan(spread.operands[weights][0]));
  EXPECT_EQ(spread.operands[weights][4], 0.25) << "the other pair";
}

INSTANTIATE_TEST_SUITE_P(Storage, DevicePreferences,
                         ::testing::Values(DType::float32, DType::bfloat16),
                         [](const auto& parameter) {
                           return std::string(to_string(parameter.param));
                         });

}  // namespace
}  // namespace megascale
