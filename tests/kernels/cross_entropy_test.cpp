#include "megascale/kernels/cpu/cross_entropy.h"

#include <cmath>
#include <tuple>

#include "kernels/every_setup.h"
#include "megascale/kernels/ref/cross_entropy.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Case {
  std::size_t tokens, width, valid, ranks;  // width columns in all, split evenly
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.tokens << " tokens, " << c.width << " columns, " << c.valid << " valid, "
             << c.ranks << " ranks";
}

class CrossEntropyTest : public ::testing::TestWithParam<Case> {
 protected:
  std::size_t tokens = GetParam().tokens, width = GetParam().width, valid = GetParam().valid,
              ranks = GetParam().ranks;
  std::size_t columns = width / ranks, stride = columns + 5;
  std::vector<float> logits = normal(tokens * width, 1, 4.0);
  std::vector<std::int32_t> target = std::vector<std::int32_t>(tokens);

  void SetUp() override {
    const PhiloxStream stream(2, "targets");
    for (std::size_t n = 0; n < tokens; ++n) {
      target[n] = static_cast<std::int32_t>(stream.uniform(n) * static_cast<double>(valid));
      if (n % 5 == 3) target[n] = -100;
      for (std::size_t j = valid; j < width; ++j)
        logits[n * width + j] = kNan;  // padding must not be read into a result
    }
  }
  // One rank's columns, with NaN between the rows.
  [[nodiscard]] std::vector<float> part(std::size_t rank) const {
    std::vector<float> x(tokens * stride, kNan);
    for (std::size_t n = 0; n < tokens; ++n) {
      for (std::size_t j = 0; j < columns; ++j)
        x[n * stride + j] = logits[n * width + rank * columns + j];
    }
    return x;
  }
  [[nodiscard]] cpu::LogitRows rows(const std::vector<float>& x, std::size_t rank) const {
    return {.tokens = tokens,
            .columns = columns,
            .stride = stride,
            .logits = x.data(),
            .target = target.data(),
            .vocab_start = rank * columns,
            .valid_vocab = valid};
  }
  // Per rank loss and dlogits (strided), and the sum of losses as two floats' worth of bits. The
  // statistics of a rank lie `more_stats` entries further from those of the next than needed.
  [[nodiscard]] Outputs run(bool in_place, std::size_t more_stats = 0) const {
    std::vector<std::vector<float>> x;
    const std::size_t apart_stats = tokens + more_stats;
    std::vector<cpu::LogitStats> stats(ranks * apart_stats, {kNan, kNan, kNan});
    for (std::size_t r = 0; r < ranks; ++r) x.push_back(part(r));
    for (std::size_t r = 0; r < ranks; ++r)
      cpu::logit_stats(rows(x[r], r), &stats[r * apart_stats]);
    Outputs out;
    for (std::size_t r = 0; r < ranks; ++r) {
      std::vector<float> loss(tokens, kNan), apart(tokens * stride, kNan);
      float* dlogits = in_place ? x[r].data() : apart.data();
      const cpu::CrossEntropy args{.rows = rows(x[r], r),
                                   .stats = stats.data(),
                                   .ranks = ranks,
                                   .stats_stride = more_stats == 0 ? 0 : apart_stats,
                                   .loss = loss.data(),
                                   .dlogits = dlogits};
      const cpu::LossSum sum = cpu::cross_entropy(args);
      const auto bits = std::bit_cast<std::array<float, 2>>(sum.loss);
      out.push_back(loss);
      out.push_back(in_place ? x[r] : apart);
      out.push_back({bits[0], bits[1], static_cast<float>(sum.tokens)});
    }
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, CrossEntropyTest,
                         ::testing::Values(Case{1, 1, 1, 1}, Case{4, 15, 15, 1}, Case{6, 16, 13, 1},
                                           Case{9, 66, 66, 2}, Case{11, 132, 97, 4},
                                           Case{11, 132, 60, 4}, Case{70, 5000, 4990, 1},
                                           Case{45, 10240, 10001, 2}));

TEST_P(CrossEntropyTest, MeetsItsBound) {
  const Outputs got = run_every_setup([&] { return run(true); });
  ref::Doubles x = ref::widen(logits);
  const auto want = ref::cross_entropy(x, target, width, valid);
  const double chain = static_cast<double>(std::min<std::size_t>(columns, 4096)) / 64;
  double sum = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t n = 0; n < tokens; ++n) {
      ASSERT_LE(std::abs(got[3 * r][n] - want.loss[n]),
                (chain + 54 + std::abs(want.loss[n])) * kUnit)
          << n;
      if (r == 0 && target[n] >= 0) sum += got[0][n];
      const double max = *std::max_element(&x[n * width], &x[n * width] + valid);
      for (std::size_t j = 0; j < columns; ++j) {
        const std::size_t i = n * width + r * columns + j;
        const double gradient = want.dlogits[i],
                     hit = r * columns + j == static_cast<std::size_t>(target[n]) ? 1 : 0;
        const double softmax = gradient + hit;
        const double bound = softmax == 0 ? 0 : (chain + 30 + std::abs(x[i] - max)) * softmax + hit;
        ASSERT_LE(std::abs(got[3 * r + 1][n * stride + j] - gradient), bound * kUnit)
            << "n=" << n << " column " << i;
      }
      for (std::size_t j = columns; j < stride; ++j)
        ASSERT_TRUE(std::isnan(got[3 * r + 1][n * stride + j]));
    }
    const double returned = std::bit_cast<double>(std::array{got[3 * r + 2][0], got[3 * r + 2][1]});
    ASSERT_EQ(returned, sum);
    ASSERT_EQ(got[3 * r + 2][2], static_cast<float>(want.tokens));
  }
}

// Tokens that are counted at run time: the gathered statistics have room for the bound.
TEST_P(CrossEntropyTest, RoomBetweenTheStatisticsOfRanksIsNotRead) {
  EXPECT_TRUE(testing::same_bits(run(true), run(true, 3)));
}

TEST_P(CrossEntropyTest, InPlaceGivesTheSameBits) {
  EXPECT_TRUE(testing::same_bits(run(true), run(false)));
}

struct Row {
  std::vector<float> x;
  std::int32_t target;
  std::size_t valid;
};
// loss, dlogits...
std::vector<float> one_row(const Row& row, bool gradient = true) {
  std::vector<float> dx = row.x, loss(1, kNan);
  const cpu::LogitRows rows{.tokens = 1,
                            .columns = dx.size(),
                            .stride = dx.size(),
                            .logits = dx.data(),
                            .target = &row.target,
                            .valid_vocab = row.valid};
  cpu::LogitStats stats{kNan, kNan, kNan};
  cpu::logit_stats(rows, &stats);
  cpu::cross_entropy({.rows = rows,
                      .stats = &stats,
                      .loss = loss.data(),
                      .dlogits = gradient ? dx.data() : nullptr});
  loss.insert(loss.end(), dx.begin(), dx.end());
  return loss;
}

TEST(CrossEntropyExtremesTest, LargeLogitsMaskedEntriesAndInvalidTargets) {
  EXPECT_EQ(one_row({{3e38F, -3e38F, 0}, 0, 3}), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(one_row({{3e38F, -3e38F, 0}, 1, 3})[0], kInf);  // 6e38 does not fit a float
  EXPECT_FLOAT_EQ(one_row({{1e4F, 1e4F}, 1, 2})[0], std::log(2.0F));
  EXPECT_EQ(one_row({{-kInf, 5, -kInf}, 1, 3}), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(one_row({{-kInf, 5}, 0, 2})[0], kInf);
  EXPECT_EQ(one_row({{1, 2, 3}, 2, 2})[0], kInf);  // the target is padding
  EXPECT_EQ(one_row({{1, 2, 3}, 1, 2})[3], 0.0F);
  EXPECT_EQ(one_row({{kNan, kInf, 3}, -1, 3}), (std::vector<float>{0, 0, 0, 0}));  // does not count
  EXPECT_EQ(one_row({{1, 2, 3}, 1, 3}, false)[2], 2.0F) << "no gradient: the logits stay";
}

// The largest logit is far below 0 in every lane, also where lanes lie behind the end of the row.
TEST(CrossEntropyExtremesTest, RowsFarBelowZero) {
  for (const std::size_t width : {1, 15, 17, 100, 5000}) {
    const auto got = one_row({std::vector<float>(width, -1000.0F), 0, width});
    EXPECT_FLOAT_EQ(got[0], std::log(static_cast<float>(width)));
  }
}

// Whole blocks of 4,096 columns may be masked with -inf, before or after the others, and on all
// columns of a rank.
TEST(CrossEntropyExtremesTest, MaskedBlocks) {
  for (const std::size_t kept :
       {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, std::size_t{9999}}) {
    std::vector<float> x(10000, -kInf);
    x[kept] = 2.0F;
    const auto got = one_row({x, static_cast<std::int32_t>(kept), 10000});
    for (const float value : got) EXPECT_EQ(value, 0.0F);
  }
  const std::vector<float> masked(20, -kInf);
  const std::int32_t target = 3;
  cpu::LogitStats stats{kNan, kNan, kNan};
  cpu::logit_stats({.tokens = 1,
                    .columns = 20,
                    .stride = 20,
                    .logits = masked.data(),
                    .target = &target,
                    .valid_vocab = 20},
                   &stats);
  EXPECT_EQ(stats.sum, 0.0F);
}

// A vector maximum may drop a NaN; the loss must not.
TEST(CrossEntropyExtremesTest, NanAndInfinityReachTheLoss) {
  for (const std::size_t width : {1, 15, 16, 17, 64, 100, 5000}) {
    for (const std::size_t at : {std::size_t{0}, width / 2, width - 1}) {
      for (const float bad : {kNan, kInf}) {
        std::vector<float> x(width, 1.5F);
        x[at] = bad;
        const auto got = one_row({x, 0, width});
        EXPECT_FALSE(std::isfinite(got[0])) << "width " << width << " at " << at;
        EXPECT_FALSE(std::isfinite(got[1 + at]));
      }
    }
  }
}

TEST(CrossEntropyExtremesTest, ARankWithPaddingOnly) {
  const std::vector<float> x{kNan, kNan};
  const std::int32_t target = 1;
  cpu::LogitStats stats{kNan, kNan, kNan};
  cpu::logit_stats({.tokens = 1,
                    .columns = 2,
                    .stride = 2,
                    .logits = x.data(),
                    .target = &target,
                    .vocab_start = 4,
                    .valid_vocab = 3},
                   &stats);
  EXPECT_EQ(stats.max, -kInf);
  EXPECT_EQ(stats.sum, 0.0F);
  EXPECT_EQ(stats.target, -kInf);
}

TEST(CrossEntropyReferenceTest, GradientIsTheFiniteDifference) {
  ref::Doubles x = ref::widen(normal(3 * 7, 1));
  const std::vector<std::int32_t> target{2, -1, 4};
  const auto want = ref::cross_entropy(x, target, 7, 6);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double h = 1e-6, at = x[i];
    x[i] = at + h;
    const double above = ref::cross_entropy(x, target, 7, 6).sum;
    x[i] = at - h;
    EXPECT_NEAR(want.dlogits[i], (above - ref::cross_entropy(x, target, 7, 6).sum) / (2 * h), 1e-8);
    x[i] = at;
  }
}

}  // namespace
}  // namespace megascale::kernels
