#include "megascale/kernels/cpu/rope.h"

#include <cmath>
#include <tuple>

#include "kernels/every_setup.h"
#include "megascale/kernels/ref/rope.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

constexpr double kTheta = 10000;

class RopeTest
    : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(Shapes, RopeTest,
                         ::testing::Values(std::tuple{1, 1, 2}, std::tuple{3, 2, 30},
                                           std::tuple{5, 3, 34}, std::tuple{7, 2, 64},
                                           std::tuple{200, 4, 128}));

// The query and key slices of packed rows, in place and apart, with positions in no order.
TEST_P(RopeTest, MeetsItsBoundOnSlicesOfPackedRows) {
  const auto [tokens, heads, size] = GetParam();
  const std::size_t width = heads * size, stride = 3 * width, positions = 3 * tokens + 1;
  const auto packed = normal(tokens * stride, 1);
  std::vector<float> table(cpu::rope_table_size({.positions = positions, .channels = size}), kNan);
  cpu::rope_table({.positions = positions, .channels = size, .theta = kTheta}, table);
  std::vector<std::int32_t> position(tokens);
  for (std::size_t n = 0; n < tokens; ++n)
    position[n] = static_cast<std::int32_t>(3 * (tokens - n));
  for (const bool forward : {true, false}) {
    const auto run = forward ? cpu::rope_forward : cpu::rope_backward;
    const Outputs got = run_every_setup([&, tokens = tokens, heads = heads, size = size] {
      Outputs out{std::vector<float>(tokens * (width + 1), kNan), packed};
      cpu::Rope args{.tokens = tokens,
                     .heads = heads,
                     .head_size = size,
                     .rotated = size,
                     .x = packed.data() + width,
                     .x_stride = stride,
                     .y = out[0].data(),
                     .y_stride = width + 1,
                     .position = position.data(),
                     .table = table.data()};
      run(args);
      args.x = args.y = out[1].data() + width;
      args.y_stride = stride;
      run(args);
      return out;
    });
    for (std::size_t n = 0; n < tokens; ++n) {
      ASSERT_TRUE(std::isnan(got[0][n * (width + 1) + width])) << "between the rows";
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t start = n * stride + width + h * size;
        const ref::Doubles x(packed.begin() + static_cast<std::ptrdiff_t>(start),
                             packed.begin() + static_cast<std::ptrdiff_t>(start + size));
        const auto want = ref::rope(x, position[n], kTheta, forward ? 1 : -1);
        for (std::size_t i = 0; i < size; ++i) {
          const double length = std::hypot(x[i % (size / 2)], x[i % (size / 2) + size / 2]);
          ASSERT_LE(std::abs(got[0][n * (width + 1) + h * size + i] - want[i]), 4 * kUnit * length);
          ASSERT_EQ(got[1][start + i], got[0][n * (width + 1) + h * size + i]) << "in place";
        }
      }
      for (std::size_t i = 0; i < width; ++i) {
        ASSERT_EQ(got[1][n * stride + i], packed[n * stride + i]) << "the slice before";
        ASSERT_EQ(got[1][n * stride + 2 * width + i], packed[n * stride + 2 * width + i])
            << "the slice behind";
      }
    }
  }
}

TEST(RopeTableTest, LargePositions) {
  const std::size_t size = 8, positions = 131072, p = positions - 1;
  std::vector<float> table(positions * size, kNan);
  cpu::rope_table({.positions = positions, .channels = size, .theta = 500000}, table);
  for (std::size_t i = 0; i < 4; ++i) {
    const double frequency = std::pow(500000.0, -static_cast<double>(i) / 4);
    EXPECT_NEAR(table[p * size + i], std::cos(p * frequency), 1e-7) << i;
    EXPECT_NEAR(table[p * size + 4 + i], std::sin(p * frequency), 1e-7) << i;
  }
  EXPECT_EQ(table[0], 1.0F);
  EXPECT_EQ(table[4], 0.0F);
}

// Goal: the scaling of Llama 3.  Method: its published definition over wavelengths in tokens, which
// the program states over turns within the original context.
TEST(RopeTableTest, ScaledFrequencies) {
  const std::size_t size = 64, positions = 9000;
  const double factor = 8, low = 1, high = 4, original = 512;
  std::vector<float> table(positions * size, kNan);
  cpu::rope_table({.positions = positions,
                   .channels = size,
                   .theta = 500000,
                   .scaling = {.kind = graph::RopeScalingKind::llama3,
                               .factor = factor,
                               .low_turns = low,
                               .high_turns = high,
                               .original_positions = original}},
                  table);
  int divided = 0, whole = 0, between = 0;
  for (std::size_t i = 0; i < size / 2; ++i) {
    const double plain =
        std::pow(500000.0, -2.0 * static_cast<double>(i) / static_cast<double>(size));
    const double wavelength = 2 * std::acos(-1.0) / plain;
    double frequency = plain;
    if (wavelength > original / low) {
      frequency = plain / factor;
      ++divided;
    } else if (wavelength >= original / high) {
      const double smooth = (original / wavelength - low) / (high - low);
      frequency = (1 - smooth) * plain / factor + smooth * plain;
      ++between;
    } else {
      ++whole;
    }
    for (const std::size_t p : {std::size_t{1}, std::size_t{511}, positions - 1}) {
      const double angle = static_cast<double>(p) * frequency;
      ASSERT_NEAR(table[p * size + i], std::cos(angle), 1e-7) << "i=" << i << " p=" << p;
      ASSERT_NEAR(table[p * size + size / 2 + i], std::sin(angle), 1e-7) << "i=" << i << " p=" << p;
    }
  }
  EXPECT_GT(divided, 3);
  EXPECT_GT(between, 1);
  EXPECT_GT(whole, 3);
}

// Goal: YaRN and linear scaling.  Method: the published definition over wavelengths and numbers of
// channels (arXiv 2309.00071, section 3.2 and appendix B.2).
TEST(RopeTableTest, YarnAndLinear) {
  const std::size_t size = 64, positions = 500;
  const double factor = 4, original = 4096, base = 10000;
  const auto bound = [&](double turns) {
    return static_cast<double>(size) * std::log(original / (turns * 2 * std::acos(-1.0))) /
           (2 * std::log(base));
  };
  const double low = std::floor(bound(32)), high = std::ceil(bound(1));
  ASSERT_TRUE(low > 0 && low + 3 < high && high < static_cast<double>(size) / 2);
  for (const bool yarn : {true, false}) {
    for (const double given : {0.0, 1.25}) {
      std::vector<float> table(positions * size, kNan);
      cpu::rope_table(
          {.positions = positions,
           .channels = size,
           .theta = base,
           .scaling =
               yarn ? graph::yarn_scaling(factor, 32, 1, base, static_cast<double>(size), original,
                                          given)
                    : graph::RopeScaling{.kind = graph::RopeScalingKind::linear, .factor = factor}},
          table);
      const double amplitude = !yarn ? 1 : given > 0 ? given : 0.1 * std::log(factor) + 1;
      for (std::size_t i = 0; i < size / 2; ++i) {
        const double plain = std::pow(base, -2.0 * static_cast<double>(i) / size);
        const double ramp =
            std::min(1.0, std::max(0.0, (static_cast<double>(i) - low) / (high - low)));
        const double frequency = yarn ? plain / factor * ramp + plain * (1 - ramp) : plain / factor;
        for (const std::size_t p : {std::size_t{0}, std::size_t{1}, positions - 1}) {
          const double angle = static_cast<double>(p) * frequency;
          ASSERT_NEAR(table[p * size + i], amplitude * std::cos(angle), 2e-7) << i << " " << p;
          ASSERT_NEAR(table[p * size + size / 2 + i], amplitude * std::sin(angle), 2e-7);
        }
      }
    }
  }
}

// Every frequency has a divisor of its own.
TEST(RopeTableTest, LongRope) {
  constexpr std::size_t kSize = 24, kPositions = 5000;
  graph::RopeScaling scaling{.kind = graph::RopeScalingKind::longrope, .attention_factor = 1.25};
  for (std::size_t i = 0; i < kSize / 2; ++i) scaling.divisors[i] = 1 + static_cast<double>(i * i);
  std::vector<float> table(kPositions * kSize, kNan);
  cpu::rope_table({.positions = kPositions, .channels = kSize, .theta = 10000, .scaling = scaling},
                  table);
  for (std::size_t i = 0; i < kSize / 2; ++i) {
    const double frequency =
        std::pow(10000, -2.0 * static_cast<double>(i) / kSize) / (1 + static_cast<double>(i * i));
    for (const std::size_t p : {std::size_t{0}, std::size_t{1}, kPositions - 1}) {
      const double angle = static_cast<double>(p) * frequency;
      ASSERT_NEAR(table[p * kSize + i], 1.25 * std::cos(angle), 2e-7) << i << " " << p;
      ASSERT_NEAR(table[p * kSize + kSize / 2 + i], 1.25 * std::sin(angle), 2e-7);
    }
  }
}

// Phi-3 mini with 128K tokens: 32 times its original 4,096.
TEST(RopeTableTest, LongRopeRaisesScoresByTheGrowthOfTheContext) {
  EXPECT_NEAR(graph::longrope_attention_factor(32, 4096), 1.190238, 1e-6);
  EXPECT_EQ(graph::longrope_attention_factor(1, 4096), 1.0);
}

TEST(RopeTableTest, DynamicBaseGrowsBeyondTheOriginalContext) {
  EXPECT_EQ(graph::dynamic_base(10000, 4, 64, 2048, 2048), 10000);
  EXPECT_EQ(graph::dynamic_base(10000, 4, 64, 2048, 5), 10000);
  // (4 x 4096 / 2048 - 3)^(64 / 62)
  EXPECT_NEAR(graph::dynamic_base(10000, 4, 64, 2048, 4096), 10000 * std::pow(5.0, 64.0 / 62),
              1e-6);
}

// A table of the positions of some tokens has the bits of the whole one, and rotates as it does.
TEST(RopeTableTest, SomePositions) {
  const std::size_t tokens = 5, size = 16, positions = 300;
  const std::vector<std::int32_t> position{299, 0, 17, 17, 130};
  std::vector<float> all(positions * size, kNan), some(tokens * size, kNan);
  cpu::RopeSettings settings{.positions = positions, .channels = size, .theta = kTheta};
  cpu::rope_table(settings, all);
  settings.positions = tokens;
  settings.position = position.data();
  cpu::rope_table(settings, some);
  for (std::size_t n = 0; n < tokens; ++n) {
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_EQ(some[n * size + i], all[static_cast<std::size_t>(position[n]) * size + i]);
  }
  const auto x = normal(tokens * size, 1);
  std::vector<float> by_all(x.size(), kNan), by_some(x.size(), kNan);
  cpu::Rope args{.tokens = tokens,
                 .heads = 1,
                 .head_size = size,
                 .rotated = size,
                 .x = x.data(),
                 .x_stride = size,
                 .y = by_all.data(),
                 .y_stride = size,
                 .position = position.data(),
                 .table = all.data()};
  cpu::rope_forward(args);
  args.y = by_some.data();
  args.position = nullptr;
  args.table = some.data();
  cpu::rope_forward(args);
  EXPECT_EQ(by_some, by_all);
}

// Heads of which only the first channels are rotated: these as heads of that size, the others copied.
TEST(PartialRopeTest, RotatesTheFirstChannels) {
  const std::size_t tokens = 5, heads = 3, size = 20, rotated = 6, positions = 9;
  const auto x = normal(tokens * heads * size, 1);
  std::vector<float> table(positions * rotated, kNan);
  cpu::rope_table({.positions = positions, .channels = rotated, .theta = kTheta}, table);
  const std::vector<std::int32_t> position{8, 0, 3, 3, 1};
  for (const bool forward : {true, false}) {
    const auto run = forward ? cpu::rope_forward : cpu::rope_backward;
    std::vector<float> y(x.size(), kNan), in_place = x;
    cpu::Rope args{.tokens = tokens,
                   .heads = heads,
                   .head_size = size,
                   .rotated = rotated,
                   .x = x.data(),
                   .x_stride = heads * size,
                   .y = y.data(),
                   .y_stride = heads * size,
                   .position = position.data(),
                   .table = table.data()};
    run(args);
    args.x = args.y = in_place.data();
    run(args);
    EXPECT_TRUE(testing::same_bits(Outputs{y}, Outputs{in_place}));
    for (std::size_t n = 0; n < tokens; ++n) {
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t start = (n * heads + h) * size;
        const ref::Doubles part(x.begin() + static_cast<std::ptrdiff_t>(start),
                                x.begin() + static_cast<std::ptrdiff_t>(start + rotated));
        const auto want = ref::rope(part, position[n], kTheta, forward ? 1 : -1);
        for (std::size_t i = 0; i < size; ++i) {
          if (i < rotated) {
            ASSERT_NEAR(y[start + i], want[i], 1e-6);
          } else {
            ASSERT_EQ(y[start + i], x[start + i]);
          }
        }
      }
    }
  }
}

// A rotation is linear, so the derivative along a unit vector is its image; backward must be the
// transpose.
TEST(RopeReferenceTest, BackwardIsTheTranspose) {
  const std::size_t size = 6;
  for (std::size_t i = 0; i < size; ++i) {
    ref::Doubles unit(size);
    unit[i] = 1;
    const auto image = ref::rope(unit, 5, kTheta, 1);
    for (std::size_t j = 0; j < size; ++j) {
      ref::Doubles other(size);
      other[j] = 1;
      EXPECT_NEAR(image[j], ref::rope(other, 5, kTheta, -1)[i], 1e-15);
    }
  }
}

}  // namespace
}  // namespace megascale::kernels
