#include "megascale/kernels/cpu/norm.h"

#include <cmath>
#include <tuple>

#include "kernels/every_setup.h"
#include "megascale/kernels/cpu/column_sum.h"
#include "megascale/kernels/ref/norm.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

constexpr float kEps = 1e-5F;

// Widths around the vector and group lengths; the last two are large enough for a team of threads.
class NormTest : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  std::size_t tokens = std::get<0>(GetParam()), channels = std::get<1>(GetParam()),
              size = tokens * channels;
  // Not centred, so that the mean matters.
  std::vector<float> x = shifted(normal(size, 1, 2.0), 0.7F), residual = normal(size, 2),
                     old_sum = normal(channels, 3);
  std::vector<float> gamma = shifted(normal(channels, 4, 0.5), 1.0F), beta = normal(channels, 5),
                     dy = normal(size, 6);
  double chain = static_cast<double>(channels) / 64 + 8;
  double rows_chain = std::max(16.0, static_cast<double>(tokens) / 64) + 75;

  static std::vector<float> shifted(std::vector<float> values, float by) {
    for (float& v : values) v += by;
    return values;
  }
  [[nodiscard]] cpu::NormForward forward(bool centered) const {
    return {.tokens = tokens,
            .channels = channels,
            .x = x.data(),
            .gamma = gamma.data(),
            .beta = centered ? beta.data() : nullptr,
            .eps = kEps};
  }
  // y, mean, rstd
  [[nodiscard]] Outputs run_forward(bool centered) const {
    Outputs out{std::vector<float>(size, kNan), std::vector<float>(tokens, centered ? kNan : 0.0F),
                std::vector<float>(tokens, kNan)};
    cpu::NormForward args = forward(centered);
    args.y = out[0].data();
    args.mean = out[1].data();
    args.rstd = out[2].data();
    (centered ? cpu::layer_norm_forward : cpu::rms_norm_forward)(args);
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, NormTest,
                         ::testing::Values(std::tuple{1, 1}, std::tuple{3, 15}, std::tuple{2, 16},
                                           std::tuple{5, 17}, std::tuple{17, 63},
                                           std::tuple{33, 129}, std::tuple{1100, 100},
                                           std::tuple{130, 768}));

TEST_P(NormTest, ForwardMeetsItsBound) {
  for (const bool centered : {true, false}) {
    const Outputs got = run_every_setup([&] { return run_forward(centered); });
    const auto want =
        ref::norm(ref::widen(x), ref::widen(gamma), centered ? ref::widen(beta) : ref::Doubles{},
                  static_cast<double>(kEps), centered);
    for (std::size_t n = 0; n < tokens; ++n) {
      const double lift = std::abs(want.mean[n]) * want.rstd[n];
      ASSERT_LE(std::abs(got[2][n] - want.rstd[n]),
                (chain + 6) * kUnit * want.rstd[n] * (1 + lift));
      for (std::size_t c = 0; c < channels; ++c) {
        const std::size_t i = n * channels + c;
        const double shift = centered ? beta[c] : 0, y = want.y[i];
        const double bound =
            centered ? (chain + 6) * (std::abs(y - shift) + std::abs(gamma[c]) * (1 + lift)) +
                           2 * std::abs(y)
                     : (chain + 6) * std::abs(y);
        ASSERT_LE(std::abs(got[0][i] - y), bound * kUnit)
            << "n=" << n << " c=" << c << " centered=" << centered;
      }
    }
  }
}

TEST_P(NormTest, BackwardMeetsItsBound) {
  const auto addend = normal(size, 7), old_gamma = normal(channels, 8),
             old_beta = normal(channels, 9);
  for (const bool centered : {true, false}) {
    const Outputs saved = run_forward(centered);
    for (const bool fused : {false, true}) {  // with addend, and accumulating
      const Outputs got = run_every_setup([&] {
        Outputs out{std::vector<float>(size, kNan),
                    fused ? old_gamma : std::vector<float>(channels, kNan),
                    fused ? old_beta : std::vector<float>(channels, kNan)};
        std::vector<float> scratch(
            cpu::norm_backward_scratch_bytes(tokens, channels) / sizeof(float), kNan);
        (centered ? cpu::layer_norm_backward
                  : cpu::rms_norm_backward)({.tokens = tokens,
                                             .channels = channels,
                                             .dy = dy.data(),
                                             .x = x.data(),
                                             .gamma = gamma.data(),
                                             .mean = saved[1].data(),
                                             .rstd = saved[2].data(),
                                             .addend = fused ? addend.data() : nullptr,
                                             .dx = out[0].data(),
                                             .dgamma = out[1].data(),
                                             .dbeta = centered ? out[2].data() : nullptr,
                                             .accumulate = fused,
                                             .scratch = scratch.data()});
        return out;
      });
      const auto mean = ref::widen(saved[1]), rstd = ref::widen(saved[2]);
      const auto want = ref::norm_backward(ref::widen(dy), ref::widen(x), ref::widen(gamma), mean,
                                           rstd, centered);
      std::vector<double> gamma_terms(channels), beta_terms(channels);
      for (std::size_t n = 0; n < tokens; ++n) {
        double mean_g = 0, mean_gz = 0;
        for (std::size_t c = 0; c < channels; ++c) {
          const std::size_t i = n * channels + c;
          const double z = std::abs(x[i] - mean[n]) * rstd[n], g = std::abs(dy[i] * gamma[c]);
          mean_g += g / static_cast<double>(channels);
          mean_gz += g * z / static_cast<double>(channels);
          gamma_terms[c] += std::abs(dy[i]) * (z + std::abs(mean[n]) * rstd[n]);
          beta_terms[c] += std::abs(dy[i]);
        }
        for (std::size_t c = 0; c < channels; ++c) {
          const std::size_t i = n * channels + c;
          const double z = std::abs(x[i] - mean[n]) * rstd[n], g = std::abs(dy[i] * gamma[c]);
          const double dx = want.dx[i] + (fused ? addend[i] : 0);
          const double bound =
              (2 * chain + 14) * rstd[n] * (g + mean_g + z * mean_gz) + std::abs(dx);
          ASSERT_LE(std::abs(got[0][i] - dx), bound * kUnit)
              << "n=" << n << " c=" << c << " centered=" << centered;
        }
      }
      for (std::size_t c = 0; c < channels; ++c) {
        const double before = fused ? old_gamma[c] : 0, before_beta = fused ? old_beta[c] : 0;
        ASSERT_LE(std::abs(got[1][c] - before - want.dgamma[c]),
                  rows_chain * kUnit * (gamma_terms[c] + std::abs(before)));
        if (centered) {
          ASSERT_LE(std::abs(got[2][c] - before_beta - want.dbeta[c]),
                    rows_chain * kUnit * (beta_terms[c] + std::abs(before_beta)));
        }
      }
    }
  }
}

TEST_P(NormTest, InPlaceGivesTheSameBits) {
  const Outputs apart = run_forward(true);
  std::vector<float> y = x, mean(tokens), rstd(tokens);
  cpu::NormForward args = forward(true);
  args.x = args.y = y.data();
  args.mean = mean.data();
  args.rstd = rstd.data();
  cpu::layer_norm_forward(args);
  EXPECT_TRUE(testing::same_bits(apart, {y, mean, rstd}));

  std::vector<float> scratch(cpu::norm_backward_scratch_bytes(tokens, channels) / sizeof(float),
                             kNan);
  std::vector<float> dgamma(channels), dbeta(channels), dx(size), over_dy = dy, over_x = x,
                                                                  over_addend = residual;
  const auto backward = [&](const float* d, const float* v, const float* addend, float* result) {
    cpu::layer_norm_backward({.tokens = tokens,
                              .channels = channels,
                              .dy = d,
                              .x = v,
                              .gamma = gamma.data(),
                              .mean = mean.data(),
                              .rstd = rstd.data(),
                              .addend = addend,
                              .dx = result,
                              .dgamma = dgamma.data(),
                              .dbeta = dbeta.data(),
                              .scratch = scratch.data()});
  };
  backward(dy.data(), x.data(), residual.data(), dx.data());
  backward(over_dy.data(), x.data(), residual.data(), over_dy.data());
  backward(dy.data(), over_x.data(), residual.data(), over_x.data());
  backward(dy.data(), x.data(), over_addend.data(), over_addend.data());
  EXPECT_TRUE(testing::same_bits({dx, dx, dx}, {over_dy, over_x, over_addend}));
}

// A frozen norm: dx has the same bits, and the scratch is not touched.
TEST_P(NormTest, BackwardWithoutGradientsOfTheWeights) {
  const Outputs saved = run_forward(true);
  std::vector<float> scratch(cpu::norm_backward_scratch_bytes(tokens, channels) / sizeof(float)),
      dgamma(channels), dbeta(channels), dx(size), dx_alone(size, kNan);
  cpu::NormBackward args{.tokens = tokens,
                         .channels = channels,
                         .dy = dy.data(),
                         .x = x.data(),
                         .gamma = gamma.data(),
                         .mean = saved[1].data(),
                         .rstd = saved[2].data(),
                         .dx = dx.data(),
                         .dgamma = dgamma.data(),
                         .dbeta = dbeta.data(),
                         .scratch = scratch.data()};
  for (const auto backward : {cpu::layer_norm_backward, cpu::rms_norm_backward}) {
    args.dx = dx.data();
    args.dgamma = dgamma.data();
    args.dbeta = backward == cpu::layer_norm_backward ? dbeta.data() : nullptr;
    backward(args);
    std::fill(scratch.begin(), scratch.end(), 3.0F);
    args.dx = dx_alone.data();
    args.dgamma = args.dbeta = nullptr;
    backward(args);
    EXPECT_TRUE(testing::same_bits({dx}, {dx_alone}));
    EXPECT_EQ(scratch, std::vector<float>(scratch.size(), 3.0F));
  }
}

TEST_P(NormTest, ColumnSumMeetsItsBound) {
  const std::size_t stride =
      channels + 3;  // a slice of wider rows; what lies between must not be read
  std::vector<float> wide(tokens * stride, kNan);
  for (std::size_t i = 0; i < size; ++i) wide[i / channels * stride + i % channels] = x[i];
  for (const bool accumulate : {false, true}) {
    const Outputs got = run_every_setup([&] {
      Outputs out{accumulate ? old_sum : std::vector<float>(channels, kNan)};
      std::vector<float> scratch(cpu::column_sum_scratch_bytes(tokens, channels) / sizeof(float),
                                 kNan);
      cpu::column_sum({.tokens = tokens,
                       .channels = channels,
                       .stride = stride,
                       .x = wide.data(),
                       .result = out[0].data(),
                       .accumulate = accumulate,
                       .scratch = scratch.data()});
      return out;
    });
    for (std::size_t c = 0; c < channels; ++c) {
      double want = accumulate ? old_sum[c] : 0, terms = std::abs(want);
      for (std::size_t n = 0; n < tokens; ++n) {
        want += x[n * channels + c];
        terms += std::abs(x[n * channels + c]);
      }
      ASSERT_LE(std::abs(got[0][c] - want), (rows_chain - 10) * kUnit * terms) << c;
    }
  }
}

TEST(NormExtremesTest, ConstantRowsLargeMeansAndNan) {
  const std::size_t channels = 67;
  std::vector<float> x(4 * channels, 3.0F), gamma(channels, 1.0F), y(x.size(), kNan), mean(4),
      rstd(4);
  for (std::size_t c = 0; c < channels; ++c) {
    x[channels + c] = 1000.0F + static_cast<float>(c % 2);  // one-pass variance would lose this
    x[2 * channels + c] = 0.0F;
  }
  x[3 * channels + 40] = kNan;
  cpu::layer_norm_forward({.tokens = 4,
                           .channels = channels,
                           .x = x.data(),
                           .gamma = gamma.data(),
                           .y = y.data(),
                           .mean = mean.data(),
                           .rstd = rstd.data(),
                           .eps = kEps});
  EXPECT_FLOAT_EQ(mean[0], 3.0F);
  EXPECT_NEAR(y[0], 0.0F, 1e-4F);
  EXPECT_NEAR(y[channels + 1], std::sqrt(34.0 / 33.0), 2e-3);
  EXPECT_EQ(y[2 * channels], 0.0F);
  EXPECT_TRUE(std::isfinite(rstd[2]));
  for (std::size_t c = 0; c < channels; ++c) EXPECT_TRUE(std::isnan(y[3 * channels + c]));
}

// A rank may see no tokens (packed or routed batches): gradients that are written, not accumulated,
// are then 0.
TEST(NormExtremesTest, NoTokens) {
  std::vector<float> gamma(3, 1.0F), dgamma(3, kNan), dbeta(3, 5.0F);
  EXPECT_EQ(cpu::norm_backward_scratch_bytes(0, 3), 0U);
  cpu::layer_norm_backward({.tokens = 0,
                            .channels = 3,
                            .gamma = gamma.data(),
                            .dgamma = dgamma.data(),
                            .dbeta = dbeta.data()});
  EXPECT_EQ(dgamma, std::vector<float>(3, 0.0F));
  EXPECT_EQ(dbeta, std::vector<float>(3, 0.0F));
  cpu::column_sum(
      {.tokens = 0, .channels = 3, .stride = 3, .result = gamma.data(), .accumulate = true});
  EXPECT_EQ(gamma, std::vector<float>(3, 1.0F));
}

// Goal: the reference's backward is the derivative of its forward.  Method: central differences of
// sum(dy * y).
TEST(NormReferenceTest, BackwardIsTheFiniteDifference) {
  const std::size_t tokens = 3, channels = 7;
  const auto x = ref::widen(normal(tokens * channels, 1)),
             dy = ref::widen(normal(tokens * channels, 2));
  const auto gamma = ref::widen(normal(channels, 3)), beta = ref::widen(normal(channels, 4));
  for (const bool centered : {true, false}) {
    const auto loss = [&](const ref::Doubles& vx, const ref::Doubles& vg, const ref::Doubles& vb) {
      const auto r = ref::norm(vx, vg, vb, 1e-5, centered);
      double sum = 0;
      for (std::size_t i = 0; i < r.y.size(); ++i) sum += r.y[i] * dy[i];
      return sum;
    };
    const auto r = ref::norm(x, gamma, beta, 1e-5, centered);
    const auto grad = ref::norm_backward(dy, x, gamma, r.mean, r.rstd, centered);
    const double h = 1e-6;
    const auto difference = [&](ref::Doubles v, std::size_t i, auto f) {
      v[i] += h;
      const double above = f(v);
      v[i] -= 2 * h;
      return (above - f(v)) / (2 * h);
    };
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(grad.dx[i], difference(x, i, [&](const auto& v) { return loss(v, gamma, beta); }),
                  1e-7);
    }
    for (std::size_t c = 0; c < channels; ++c) {
      EXPECT_NEAR(grad.dgamma[c],
                  difference(gamma, c, [&](const auto& v) { return loss(x, v, beta); }), 1e-7);
      EXPECT_NEAR(grad.dbeta[c],
                  difference(beta, c, [&](const auto& v) { return loss(x, gamma, v); }), 1e-7);
    }
  }
}

// An offset of the weights gives the bits of weights that have it.
TEST_P(NormTest, OffsetIsAddedToTheWeights) {
  const auto run = [&](const std::vector<float>& weights, float offset) {
    Outputs out{std::vector<float>(size, kNan), std::vector<float>(tokens, kNan),
                std::vector<float>(size, kNan), std::vector<float>(channels, kNan)};
    std::vector<float> scratch(cpu::norm_backward_scratch_bytes(tokens, channels) / sizeof(float),
                               kNan);
    cpu::rms_norm_forward({.tokens = tokens,
                           .channels = channels,
                           .x = x.data(),
                           .gamma = weights.data(),
                           .y = out[0].data(),
                           .rstd = out[1].data(),
                           .eps = kEps,
                           .gamma_offset = offset});
    cpu::rms_norm_backward({.tokens = tokens,
                            .channels = channels,
                            .dy = dy.data(),
                            .x = x.data(),
                            .gamma = weights.data(),
                            .rstd = out[1].data(),
                            .dx = out[2].data(),
                            .gamma_offset = offset,
                            .dgamma = out[3].data(),
                            .scratch = scratch.data()});
    return out;
  };
  EXPECT_TRUE(testing::same_bits(run(gamma, 1), run(shifted(gamma, 1), 0)));
}

}  // namespace
}  // namespace megascale::kernels
