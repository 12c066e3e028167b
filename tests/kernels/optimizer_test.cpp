#include "megascale/kernels/cpu/optimizer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "kernels/every_setup.h"
#include "megascale/kernels/ref/optimizer.h"
#include "megascale/kernels/ref/reference.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

// Three tensors at starts that are multiples of a block, with padding behind the first two, large
// enough for a team.
const std::vector<cpu::OptimizerSegment> kSegments{
    {.begin = 0, .count = 4096 * 20 + 17, .decay = true},
    {.begin = 4096 * 21, .count = 769, .decay = false},
    {.begin = 4096 * 23, .count = 4096, .decay = true},  // block 22 lies in padding alone
};
constexpr std::size_t kCount = 4096 * 24;

struct State {
  std::vector<float> param = normal(kCount, 1, 0.02), gradient = normal(kCount, 2, 30.0),
                     m = normal(kCount, 3, 1e-3);
  std::vector<float> v = normal(kCount, 4, 1e-3), direction = std::vector<float>(kCount, kNan);
  State() {
    for (float& value : v) value *= value;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (!inside(i)) param[i] = gradient[i] = m[i] = v[i] = kNan;  // padding: not to be touched
    }
  }
  static const cpu::OptimizerSegment* inside(std::size_t i) {
    for (const auto& s : kSegments) {
      if (i >= s.begin && i < s.begin + s.count) return &s;
    }
    return nullptr;
  }
  cpu::OptimizerRange range() {
    return {.param = param.data(),
            .gradient = gradient.data(),
            .m = m.data(),
            .v = v.data(),
            .segments = kSegments};
  }
};

cpu::AdamScalars scalars(std::int64_t step) {
  return {.lr = 6e-4,
          .beta1 = 0.9,
          .beta2 = 0.95,
          .eps = 1e-8,
          .weight_decay = 0.1,
          .step = step,
          .gradient_scale = 1.0 / 4096};
}
ref::AdamSettings settings(std::int64_t step, bool decay) {
  return {6e-4, 0.9, 0.95, 1e-8, decay ? 0.1 : 0.0, static_cast<double>(step), 1.0 / 4096};
}

TEST(AdamwTest, MeetsItsBoundAgainstThePublishedEquations) {
  for (const std::int64_t step : {1, 2, 1000, 2000000}) {
    const Outputs got = run_every_setup([&] {
      State s;
      cpu::adamw(s.range(), scalars(step));
      return Outputs{s.param, s.m, s.v};
    });
    const State s;
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto* segment = State::inside(i);
      if (!segment) {
        ASSERT_TRUE(std::isnan(got[0][i]) && std::isnan(got[1][i]) && std::isnan(got[2][i])) << i;
        continue;
      }
      double param = s.param[i], m = s.m[i], v = s.v[i];
      const double g = s.gradient[i] / 4096.0;
      ref::adamw(param, s.gradient[i], m, v, settings(step, segment->decay));
      const double m_terms = std::abs(0.9 * s.m[i]) + std::abs(0.1 * g),
                   change = std::abs(param - s.param[i]);
      ASSERT_LE(std::abs(got[1][i] - m), 4 * kUnit * m_terms) << i;
      ASSERT_LE(std::abs(got[2][i] - v), 4 * kUnit * v) << i;
      // Cancellation inside m carries over to the change.
      const double spread = m == 0 ? 0 : m_terms / std::abs(m);
      ASSERT_LE(std::abs(got[0][i] - param),
                kUnit * (std::abs(param) + 16 * change * (1 + spread) + 6e-5))
          << i;
      ASSERT_LE(std::abs(got[0][i] - param),
                1e-6 * std::max({std::abs(param), std::abs(1.0 * s.param[i]), 1e-3}))
          << i;
    }
  }
}

TEST(AdamwTest, FirstStepByHand) {
  // g = 0.5, m = 0.05, v = 0.00025; mhat = 0.5, vhat = 0.25; change = 0.1 (0.5 / 0.5 + 0.01 * 2) =
  // 0.102
  float param = 2, gradient = 4, m = 0, v = 0;
  const std::vector<cpu::OptimizerSegment> one{{.begin = 0, .count = 1}};
  cpu::adamw({.param = &param, .gradient = &gradient, .m = &m, .v = &v, .segments = one},
             {.lr = 0.1,
              .beta1 = 0.9,
              .beta2 = 0.999,
              .eps = 0,
              .weight_decay = 0.01,
              .step = 1,
              .gradient_scale = 0.125});
  EXPECT_NEAR(param, 1.898, 2e-7);
  EXPECT_NEAR(m, 0.05, 1e-8);
  EXPECT_NEAR(v, 0.00025, 1e-10);
}

// A flipped bit in anything that the update reads changes what it stores, and so the digest. Without
// a gradient only the lowest bits are rounded away.
TEST(AdamwTest, TheDigestFindsEveryFlippedBit) {
  State resting;
  for (float& gradient : resting.gradient) gradient = 0;
  const auto digest_with = [&](auto change) {
    State s = resting;
    change(s);
    return cpu::adamw(s.range(), scalars(3)).written;
  };
  const std::uint64_t healthy = digest_with([](State&) {});
  EXPECT_NE(healthy, 0U);
  EXPECT_EQ(digest_with([](State&) {}), healthy);
  std::mt19937_64 random(5);
  for (int i = 0; i < 100; ++i) {
    const cpu::OptimizerSegment& segment = kSegments[random() % kSegments.size()];
    const std::size_t at = segment.begin + random() % segment.count;
    const unsigned bit = 4 + random() % 28;
    const auto flip = [&](std::vector<float>& values) {
      values[at] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(values[at]) ^ (1U << bit));
    };
    EXPECT_NE(digest_with([&](State& s) { flip(s.param); }), healthy) << at << " bit " << bit;
    EXPECT_NE(digest_with([&](State& s) { flip(s.m); }), healthy) << at << " bit " << bit;
    EXPECT_NE(digest_with([&](State& s) { flip(s.v); }), healthy) << at << " bit " << bit;
  }
  State swapped = resting;  // the same values at other places
  std::swap_ranges(swapped.param.begin(), swapped.param.begin() + 4096,
                   swapped.param.begin() + 4096);
  EXPECT_NE(cpu::adamw(swapped.range(), scalars(3)).written, healthy);
}

// What an update reads is what the one before has written, unless memory has changed.
TEST(AdamwTest, TheNextUpdateReadsWhatWasWritten) {
  State s;
  StateDigests before = cpu::adamw(s.range(), scalars(1));
  for (std::int64_t step = 2; step < 5; ++step) {
    const StateDigests now = cpu::adamw(s.range(), scalars(step));
    EXPECT_EQ(now.read, before.written);
    EXPECT_NE(now.read, now.written);
    before = now;
  }
  for (float* values : {s.param.data(), s.m.data(), s.v.data()}) {
    for (const std::size_t at : {0U, 4096U * 21 + 768, 4096U * 24 - 1}) {
      values[at] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(values[at]) ^ 1U);
      const StateDigests now = cpu::adamw(s.range(), scalars(5));
      EXPECT_NE(now.read, before.written) << at;
      before = now;
    }
  }
}

// LAMB digests the moments in its first pass and the parameters in its second.
TEST(LambTest, TheDigestsFindFlippedBits) {
  const auto digests_with = [](auto change) {
    State s;
    change(s);
    std::vector<double> sums(24), more(24);
    const std::vector<double> trust(3, 1.0);
    const auto moments =
        cpu::lamb_direction({s.range(), scalars(3), s.direction.data(), sums, more});
    return std::pair(moments.written, cpu::lamb_apply({.param = s.param.data(),
                                                       .direction = s.direction.data(),
                                                       .segments = kSegments,
                                                       .trust = trust,
                                                       .lr = 1e-3})
                                          .written);
  };
  const auto healthy = digests_with([](State&) {});
  EXPECT_EQ(digests_with([](State&) {}), healthy);
  EXPECT_NE(digests_with([](State& s) { s.m[4096 * 21] *= 1.001F; }).first, healthy.first);
  EXPECT_NE(digests_with([](State& s) { s.v[100] *= 1.001F; }).first, healthy.first);
  EXPECT_NE(digests_with([](State& s) { s.param[5000] *= 1.001F; }).second, healthy.second);
}

TEST(AdamwTest, ZeroGradientAndNoSegments) {
  float param = 1, gradient = 0, m = 0, v = 0;
  const std::vector<cpu::OptimizerSegment> one{{.begin = 0, .count = 1, .decay = false}};
  cpu::AdamScalars s{.lr = 0.1, .step = 1};
  cpu::adamw({.param = &param, .gradient = &gradient, .m = &m, .v = &v, .segments = one}, s);
  EXPECT_EQ(param, 1.0F);
  gradient = kNan;
  cpu::adamw({.param = &param, .gradient = &gradient, .m = &m, .v = &v, .segments = {}}, s);
  EXPECT_EQ(param, 1.0F);
}

TEST(LambTest, BothPassesMeetTheirBounds) {
  const std::int64_t step = 7;
  const std::vector<double> trust{0.75, 1.0, 12.5};
  std::vector<double> param_sums, direction_sums;
  const Outputs got = run_every_setup([&] {
    State s;
    std::vector<double> params(24, NAN), directions(24, NAN);
    cpu::lamb_direction({.range = s.range(),
                         .scalars = scalars(step),
                         .direction = s.direction.data(),
                         .param_squares = params,
                         .direction_squares = directions});
    cpu::lamb_apply({.param = s.param.data(),
                     .direction = s.direction.data(),
                     .segments = kSegments,
                     .trust = trust,
                     .lr = 6e-4});
    EXPECT_TRUE(param_sums.empty() || (param_sums == params && direction_sums == directions))
        << "block sums";
    param_sums = params;
    direction_sums = directions;
    return Outputs{s.param, s.m, s.v, s.direction};
  });
  const State s;
  std::vector<double> want_params(24), want_directions(24);
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto* segment = State::inside(i);
    if (!segment) {
      ASSERT_TRUE(std::isnan(got[0][i]) && std::isnan(got[3][i])) << i;
      continue;
    }
    double m = s.m[i], v = s.v[i];
    const double adam = ref::adam_step(s.gradient[i], m, v, settings(step, true));
    const double decay = segment->decay ? 0.1 * s.param[i] : 0;
    const double m_terms = std::abs(0.9 * s.m[i]) + std::abs(0.1 * s.gradient[i] / 4096.0);
    const double spread = m == 0 ? 0 : m_terms / std::abs(m);
    ASSERT_LE(std::abs(got[3][i] - adam - decay),
              12 * kUnit * (std::abs(adam) * (1 + spread) + std::abs(decay)))
        << i;
    const double change =
        6e-4 * trust[static_cast<std::size_t>(segment - kSegments.data())] * got[3][i];
    ASSERT_LE(std::abs(got[0][i] - (s.param[i] - change)),
              kUnit * (std::abs(s.param[i]) + 4 * std::abs(change)))
        << i;
    want_params[i / 4096] += static_cast<double>(s.param[i]) * s.param[i];
    want_directions[i / 4096] += static_cast<double>(got[3][i]) * got[3][i];
  }
  for (std::size_t b = 0; b < 24; ++b) {  // also the empty block 22
    ASSERT_NEAR(param_sums[b], want_params[b], 1e-12 * want_params[b]);
    ASSERT_NEAR(direction_sums[b], want_directions[b], 1e-12 * want_directions[b]);
  }
}

TEST(LambTest, DirectionMayOverwriteTheGradient) {
  State apart, over;
  std::vector<double> sums(24), more(24);
  cpu::lamb_direction({apart.range(), scalars(3), apart.direction.data(), sums, more});
  cpu::lamb_direction({over.range(), scalars(3), over.gradient.data(), sums, more});
  for (std::size_t i = 0; i < kCount; ++i) {
    if (State::inside(i)) {
      ASSERT_EQ(apart.direction[i], over.gradient[i]) << i;
    }
  }
}

// By hand: with step 1, beta1 = beta2 = 0.5 and eps = 0 the Adam part is the gradient's sign. param
// = (3, 4), gradient = (2, -5), decay 0.5: r = (1 + 1.5, -1 + 2) = (2.5, 1); trust = 5 / sqrt(7.25)
// = 1.856953; lr = 0.1.
TEST(LambTest, TrustRatioByHand) {
  std::vector<float> param{3, 4}, gradient{2, -5}, m(2), v(2), r(2, kNan);
  const std::vector<cpu::OptimizerSegment> one{{.begin = 0, .count = 2}};
  std::vector<double> params(1), directions(1);
  cpu::lamb_direction(
      {.range = {param.data(), gradient.data(), m.data(), v.data(), one},
       .scalars = {.lr = 0.1, .beta1 = 0.5, .beta2 = 0.5, .eps = 0, .weight_decay = 0.5, .step = 1},
       .direction = r.data(),
       .param_squares = params,
       .direction_squares = directions});
  EXPECT_NEAR(r[0], 2.5, 1e-6);
  EXPECT_NEAR(r[1], 1.0, 1e-6);
  const std::vector<double> trust{cpu::lamb_trust_ratio(params[0], directions[0])};
  EXPECT_NEAR(trust[0], 1.8569533817705186, 1e-6);
  cpu::lamb_apply(
      {.param = param.data(), .direction = r.data(), .segments = one, .trust = trust, .lr = 0.1});
  EXPECT_NEAR(param[0], 3 - 0.1 * 1.8569533817705186 * 2.5, 1e-6);
  EXPECT_NEAR(param[1], 4 - 0.1 * 1.8569533817705186 * 1.0, 1e-6);
  EXPECT_EQ(cpu::lamb_trust_ratio(0, 4), 1.0);
  EXPECT_EQ(cpu::lamb_trust_ratio(4, 0), 1.0);
}

TEST(BlockNormTest, SumsAreExactToDoubleAndNameBadBlocks) {
  for (const std::size_t count : {1, 31, 33, 4095, 4096, 4097, 200000}) {
    std::vector<float> x = normal(count, 9, 100.0);
    std::vector<double> sums;
    run_every_setup([&] {
      std::vector<double> blocks(cpu::norm_blocks(count), NAN);
      EXPECT_EQ(cpu::block_square_sums(x, blocks), 0U);
      EXPECT_TRUE(sums.empty() || sums == blocks);
      sums = blocks;
      return Outputs{{1.0F}};
    });
    std::vector<double> baseline(sums.size());
    testing::set_targets(HWY_STATIC_TARGET);
    cpu::block_square_sums(x, baseline);
    testing::set_targets(0);
    EXPECT_EQ(baseline, sums) << "baseline target";
    std::vector<double> want(sums.size());
    for (std::size_t i = 0; i < count; ++i) want[i / 4096] += static_cast<double>(x[i]) * x[i];
    double total = 0;
    for (std::size_t b = 0; b < sums.size(); ++b) {
      ASSERT_NEAR(sums[b], want[b], 1e-13 * want[b]);
      total += sums[b];
    }
    EXPECT_EQ(cpu::add_blocks(sums), total);
    x[count - 1] = kNan;
    x[0] = -std::numeric_limits<float>::infinity();
    EXPECT_EQ(cpu::block_square_sums(x, sums), count > 4096 ? 2U : 1U);
  }
}

TEST(BlockNormTest, LargestFloatsDoNotOverflow) {
  const std::vector<float> x(4096, std::numeric_limits<float>::max());
  std::vector<double> sums(1);
  EXPECT_EQ(cpu::block_square_sums(x, sums), 0U);
  EXPECT_NEAR(sums[0] / 4096, std::pow(static_cast<double>(x[0]), 2), 1e64);
}

}  // namespace
}  // namespace megascale::kernels
