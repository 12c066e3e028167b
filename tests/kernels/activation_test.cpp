#include "megascale/kernels/cpu/activation.h"

#include <cmath>
#include <tuple>

#include "kernels/every_setup.h"
#include "megascale/kernels/cpu/soft_cap.h"
#include "megascale/kernels/ref/activation.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

// Widths around the vector and group lengths; the last is large enough for a team of threads.
class ActivationTest : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(Shapes, ActivationTest,
                         ::testing::Values(std::tuple{1, 1}, std::tuple{3, 15}, std::tuple{2, 16},
                                           std::tuple{5, 17}, std::tuple{67, 33},
                                           std::tuple{301, 771}));

// Output and input gradient of a gated activation; the gradient is also computed in place.
template <class Forward, class Backward>
Outputs gated(std::size_t tokens, std::size_t width, const std::vector<float>& x,
              const std::vector<float>& dy, void (*forward)(const Forward&) noexcept,
              void (*backward)(const Backward&) noexcept) {
  return run_every_setup([&] {
    Outputs out{std::vector<float>(tokens * width, kNan), std::vector<float>(x.size(), kNan), x};
    forward({.tokens = tokens, .width = width, .x = x.data(), .y = out[0].data()});
    Backward gradient{.tokens = tokens, .width = width, .dy = dy.data()};
    gradient.x = x.data();
    gradient.dx = out[1].data();
    backward(gradient);
    gradient.x = gradient.dx = out[2].data();
    backward(gradient);
    return out;
  });
}

TEST_P(ActivationTest, GeluForwardMeetsItsBound) {
  const auto [tokens, channels] = GetParam();
  const auto x = normal(tokens * channels, 1, 3.0);
  const Outputs got = run_every_setup([&] {
    Outputs y{std::vector<float>(x.size(), kNan)};
    cpu::gelu_forward({.tokens = tokens, .channels = channels, .x = x.data(), .y = y[0].data()});
    return y;
  });
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = x[i], want = ref::gelu(t);
    ASSERT_LE(std::abs(got[0][i] - want),
              kUnit * (8 * std::abs(want) + 4 * std::min(std::abs(t), 2.0)))
        << "t=" << t;
  }
}

TEST_P(ActivationTest, GeluBackwardMeetsItsBound) {
  const auto [tokens, channels] = GetParam();
  const auto x = normal(tokens * channels, 3, 2.0), dy = normal(tokens * channels, 4);
  const Outputs got = run_every_setup([&] {
    Outputs dx{std::vector<float>(x.size(), kNan)};
    cpu::gelu_backward({.tokens = tokens,
                        .channels = channels,
                        .dy = dy.data(),
                        .x = x.data(),
                        .dx = dx[0].data()});
    return dx;
  });
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = x[i], want = dy[i] * ref::gelu_slope(t);
    ASSERT_LE(std::abs(got[0][i] - want), 12 * kUnit * std::abs(dy[i])) << "t=" << t;
  }
}

TEST_P(ActivationTest, ExactGeluMeetsItsBound) {
  const auto [tokens, channels] = GetParam();
  const auto x = normal(tokens * channels, 1, 3.0), dy = normal(tokens * channels, 4);
  const Outputs got = run_every_setup([&] {
    Outputs out{std::vector<float>(x.size(), kNan), std::vector<float>(x.size(), kNan)};
    cpu::gelu_forward(
        {.tokens = tokens, .channels = channels, .x = x.data(), .y = out[0].data(), .exact = true});
    cpu::gelu_backward({.tokens = tokens,
                        .channels = channels,
                        .dy = dy.data(),
                        .x = x.data(),
                        .dx = out[1].data(),
                        .exact = true});
    return out;
  });
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = x[i], want = ref::exact_gelu(t);
    ASSERT_LE(std::abs(got[0][i] - want),
              kUnit * (16 * std::abs(want) + 8 * std::min(std::abs(t), 2.0)))
        << "t=" << t;
    ASSERT_LE(std::abs(got[1][i] - dy[i] * ref::exact_gelu_slope(t)), 12 * kUnit * std::abs(dy[i]))
        << "t=" << t;
  }
}

TEST_P(ActivationTest, GegluMeetsItsBound) {
  const auto [tokens, width] = GetParam();
  const auto x = normal(tokens * width * 2, 7, 3.0), dy = normal(tokens * width, 8);
  const Outputs got = gated(tokens, width, x, dy, cpu::geglu_forward, cpu::geglu_backward);
  for (std::size_t n = 0; n < tokens; ++n) {
    for (std::size_t f = 0; f < width; ++f) {
      const std::size_t g = n * 2 * width + f, u = g + width, i = n * width + f;
      const double gate = x[g], up = x[u], d = dy[i], value = ref::gelu(gate);
      const double bound = kUnit * (10 * std::abs(value) + 4 * std::min(std::abs(gate), 2.0));
      ASSERT_LE(std::abs(got[0][i] - value * up), bound * std::abs(up));
      ASSERT_LE(std::abs(got[1][g] - d * up * ref::gelu_slope(gate)),
                13 * kUnit * std::abs(d * up));
      ASSERT_LE(std::abs(got[1][u] - d * value), bound * std::abs(d));
    }
  }
}

TEST_P(ActivationTest, SoftCapMeetsItsBound) {
  const auto [tokens, channels] = GetParam();
  const auto x = normal(tokens * channels, 1, 40.0), dy = normal(tokens * channels, 4);
  constexpr float kCap = 30;
  const Outputs got = run_every_setup([&] {
    Outputs out{x, std::vector<float>(x.size(), kNan)};  // the forward in place
    cpu::soft_cap_forward({.tokens = tokens,
                           .channels = channels,
                           .cap = kCap,
                           .x = out[0].data(),
                           .y = out[0].data()});
    cpu::soft_cap_backward({.tokens = tokens,
                            .channels = channels,
                            .cap = kCap,
                            .dy = dy.data(),
                            .y = out[0].data(),
                            .dx = out[1].data()});
    return out;
  });
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double want = kCap * std::tanh(x[i] / static_cast<double>(kCap)),
                 given = got[0][i] / static_cast<double>(kCap);
    ASSERT_LE(std::abs(got[0][i] - want), 6 * kUnit * std::abs(want)) << "x=" << x[i];
    ASSERT_LE(std::abs(got[1][i] - dy[i] * (1 - given * given)), 4 * kUnit * std::abs(dy[i]));
  }
}

TEST(ActivationExtremesTest, ExactGeluAndSoftCapSaturateWithoutNanAndKeepNan) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x{0.0F, -30.0F, 30.0F, -1e30F, 1e30F, inf, kNan}, ones(x.size(), 1.0F);
  std::vector<float> y(x.size(), 7.0F), dx(x.size(), 7.0F), capped(x.size(), 7.0F);
  cpu::gelu_forward(
      {.tokens = 1, .channels = x.size(), .x = x.data(), .y = y.data(), .exact = true});
  cpu::gelu_backward({.tokens = 1,
                      .channels = x.size(),
                      .dy = ones.data(),
                      .x = x.data(),
                      .dx = dx.data(),
                      .exact = true});
  cpu::soft_cap_forward(
      {.tokens = 1, .channels = x.size(), .cap = 2, .x = x.data(), .y = capped.data()});
  const std::vector<float> values{0, 0, 30, 0, 1e30F, inf}, slopes{0.5F, 0, 1, 0, 1, 1},
      caps{0, -2, 2, -2, 2, 2};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(y[i], values[i]) << x[i];
    EXPECT_EQ(dx[i], slopes[i]) << x[i];
    EXPECT_EQ(capped[i], caps[i]) << x[i];
  }
  EXPECT_TRUE(std::isnan(y.back()) && std::isnan(dx.back()) && std::isnan(capped.back()));
}

TEST_P(ActivationTest, SwigluMeetsItsBound) {
  const auto [tokens, width] = GetParam();
  const auto x = normal(tokens * width * 2, 7, 3.0), dy = normal(tokens * width, 8);
  const Outputs got = gated(tokens, width, x, dy, cpu::swiglu_forward, cpu::swiglu_backward);
  for (std::size_t n = 0; n < tokens; ++n) {
    for (std::size_t f = 0; f < width; ++f) {
      const std::size_t g = n * 2 * width + f, u = g + width, i = n * width + f;
      const double gate = x[g], up = x[u], d = dy[i];
      ASSERT_LE(std::abs(got[0][i] - ref::swiglu(gate, up)),
                10 * kUnit * std::abs(ref::swiglu(gate, up)));
      ASSERT_LE(std::abs(got[1][g] - d * ref::swiglu_gate_slope(gate, up)),
                10 * kUnit * std::abs(d * up));
      ASSERT_LE(std::abs(got[1][u] - d * ref::swiglu(gate, 1)),
                10 * kUnit * std::abs(d * ref::swiglu(gate, 1)));
    }
  }
}

// SwiGLU with a weight for each row, and the gradient of the weight.
TEST_P(ActivationTest, WeightedSwigluMeetsItsBound) {
  const auto [tokens, width] = GetParam();
  const auto x = normal(tokens * width * 2, 9, 3.0), dy = normal(tokens * width, 10),
             weight = normal(tokens, 11);
  const Outputs got = run_every_setup([&] {
    Outputs out{std::vector<float>(tokens * width, kNan), std::vector<float>(x.size(), kNan), x,
                std::vector<float>(tokens, kNan)};
    cpu::swiglu_forward({.tokens = tokens,
                         .width = width,
                         .x = x.data(),
                         .y = out[0].data(),
                         .weight = weight.data()});
    for (const std::size_t result : {1, 2}) {
      cpu::swiglu_backward({.tokens = tokens,
                            .width = width,
                            .dy = dy.data(),
                            .x = result == 1 ? x.data() : out[2].data(),
                            .dx = out[result].data(),
                            .weight = weight.data(),
                            .dweight = out[3].data()});
    }
    return out;
  });
  EXPECT_TRUE(testing::same_bits(Outputs{got[1]}, Outputs{got[2]})) << "in place";
  for (std::size_t n = 0; n < tokens; ++n) {
    double dweight = 0, size = 0;
    for (std::size_t f = 0; f < width; ++f) {
      const std::size_t g = n * 2 * width + f, u = g + width, i = n * width + f;
      const double gate = x[g], up = x[u], d = double{dy[i]} * weight[n];
      const double y = ref::swiglu(gate, up) * weight[n];
      ASSERT_LE(std::abs(got[0][i] - y), 11 * kUnit * std::abs(y));
      ASSERT_LE(std::abs(got[1][g] - d * ref::swiglu_gate_slope(gate, up)),
                11 * kUnit * std::abs(d * up));
      ASSERT_LE(std::abs(got[1][u] - d * ref::swiglu(gate, 1)),
                11 * kUnit * std::abs(d * ref::swiglu(gate, 1)));
      dweight += dy[i] * ref::swiglu(gate, up);
      size += std::abs(dy[i] * ref::swiglu(gate, up));
    }
    ASSERT_LE(std::abs(got[3][n] - dweight), (static_cast<double>(width) / 64 + 20) * kUnit * size);
  }
}

// A gate scales every row by the sigmoid of its logit. Gradients in place too.
TEST_P(ActivationTest, GateMeetsItsBound) {
  const auto [tokens, channels] = GetParam();
  const auto x = normal(tokens * channels, 12), dy = normal(tokens * channels, 13),
             logit = normal(tokens, 14, 4.0);
  const Outputs got = run_every_setup([&] {
    Outputs out{std::vector<float>(x.size(), kNan), std::vector<float>(x.size(), kNan), dy,
                std::vector<float>(tokens, kNan)};
    cpu::gate_forward({.tokens = tokens,
                       .channels = channels,
                       .x = x.data(),
                       .logits = logit.data(),
                       .y = out[0].data()});
    for (const std::size_t result : {1, 2}) {
      cpu::gate_backward({.tokens = tokens,
                          .channels = channels,
                          .dy = result == 1 ? dy.data() : out[2].data(),
                          .x = x.data(),
                          .logits = logit.data(),
                          .dx = out[result].data(),
                          .dlogits = out[3].data()});
    }
    return out;
  });
  EXPECT_TRUE(testing::same_bits(Outputs{got[1]}, Outputs{got[2]})) << "in place";
  for (std::size_t n = 0; n < tokens; ++n) {
    const double s = ref::sigmoid(logit[n]), slope = s * ref::sigmoid(-double{logit[n]});
    double sum = 0, size = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      const std::size_t i = n * channels + c;
      ASSERT_LE(std::abs(got[0][i] - s * x[i]), 2 * kUnit * std::abs(s * x[i]));
      ASSERT_LE(std::abs(got[1][i] - s * dy[i]), 2 * kUnit * std::abs(s * dy[i]));
      sum += double{dy[i]} * x[i];
      size += std::abs(double{dy[i]} * x[i]);
    }
    ASSERT_LE(std::abs(got[3][n] - slope * sum),
              (static_cast<double>(channels) / 64 + 12) * kUnit * slope * size);
  }
}

TEST(ActivationExtremesTest, GatesSaturateWithoutNanAndKeepNan) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> logit{-inf, -200, 200, inf, kNan}, ones(5, 1.0F);
  std::vector<float> y(5, 7.0F), dx(5, 7.0F), dlogits(5, 7.0F);
  cpu::gate_forward(
      {.tokens = 5, .channels = 1, .x = ones.data(), .logits = logit.data(), .y = y.data()});
  cpu::gate_backward({.tokens = 5,
                      .channels = 1,
                      .dy = ones.data(),
                      .x = ones.data(),
                      .logits = logit.data(),
                      .dx = dx.data(),
                      .dlogits = dlogits.data()});
  const std::vector<float> want{0, 0, 1, 1};
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(y[i], want[i]) << logit[i];
    EXPECT_EQ(dx[i], want[i]) << logit[i];
    EXPECT_EQ(dlogits[i], 0) << logit[i];
  }
  EXPECT_TRUE(std::isnan(y[4]) && std::isnan(dx[4]) && std::isnan(dlogits[4]));
}

TEST(ActivationExtremesTest, SaturateWithoutNanAndKeepNan) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x{0.0F, -0.0F, 1e-38F, -30.0F, 30.0F, -1e30F, 1e30F, inf, kNan, -1e-20F};
  const std::vector<float> ones(x.size(), 1.0F);
  std::vector<float> y(x.size(), 7.0F), dx(x.size(), 7.0F);
  cpu::gelu_forward({.tokens = 1, .channels = x.size(), .x = x.data(), .y = y.data()});
  cpu::gelu_backward(
      {.tokens = 1, .channels = x.size(), .dy = ones.data(), .x = x.data(), .dx = dx.data()});
  const std::vector<float> want_y{0, 0, 5e-39F, 0, 30, 0, 1e30F, inf},
      want_dx{0.5F, 0.5F, 0.5F, 0, 1, 0, 1, 1};
  for (std::size_t i = 0; i < want_y.size(); ++i) {
    EXPECT_FLOAT_EQ(y[i], want_y[i]) << x[i];
    EXPECT_NEAR(dx[i], want_dx[i], 1e-30) << x[i];
  }
  EXPECT_TRUE(std::isnan(y[8]) && std::isnan(dx[8]));
  EXPECT_FLOAT_EQ(y[9], -5e-21F);

  const std::vector<float> packed{-100, 100, 1e30F, -1e30F, kNan, /*up*/ 1, 1, 1, 1, 1};
  std::vector<float> out(5), grad(10);
  cpu::swiglu_forward({.tokens = 1, .width = 5, .x = packed.data(), .y = out.data()});
  cpu::swiglu_backward(
      {.tokens = 1, .width = 5, .dy = ones.data(), .x = packed.data(), .dx = grad.data()});
  const std::vector<float> want_out{0, 100, 1e30F, 0}, want_gate{0, 1, 1, 0};
  for (std::size_t i = 0; i < want_out.size(); ++i) {
    EXPECT_FLOAT_EQ(out[i], want_out[i]);
    EXPECT_NEAR(grad[i], want_gate[i], 1e-30);
    EXPECT_NEAR(grad[5 + i], want_out[i], 1e-32 + 1e-7 * want_out[i]);
  }
  EXPECT_TRUE(std::isnan(out[4]) && std::isnan(grad[4]) && std::isnan(grad[9]));
}

TEST(ActivationReferenceTest, SlopesAreTheFiniteDifferences) {
  const double h = 1e-5;
  for (const double t : {-4.0, -1.3, -0.2, 0.0, 0.7, 2.5}) {
    EXPECT_NEAR(ref::gelu_slope(t), (ref::gelu(t + h) - ref::gelu(t - h)) / (2 * h), 1e-9);
    EXPECT_NEAR(ref::swiglu_gate_slope(t, 1.7),
                (ref::swiglu(t + h, 1.7) - ref::swiglu(t - h, 1.7)) / (2 * h), 1e-9);
  }
}

}  // namespace
}  // namespace megascale::kernels
