#include "megascale/kernels/cpu/float8.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/every_setup.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;
using Codes = std::vector<std::uint8_t>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The value of a code by the definition of the format.
double value_of(unsigned code) {
  const int exponent = static_cast<int>(code >> 3 & 15U), mantissa = static_cast<int>(code & 7U);
  if (exponent == 15 && mantissa == 7) return NAN;
  const double size =
      exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return (code & 128U) != 0 ? -size : size;
}

// The nearest code by search over all of them; of two equally near ones the even one.
unsigned nearest(double x) {
  if (std::isnan(x)) return 0x7F;
  unsigned best = 0;
  for (unsigned code = 0; code < 0x7F; ++code) {
    const double distance = std::abs(value_of(code) - std::abs(x)),
                 least = std::abs(value_of(best) - std::abs(x));
    if (distance < least || (distance == least && code % 2 == 0)) best = code;
  }
  return best | (std::signbit(x) ? 128U : 0U);
}

// Codes of values with a factor of 1: the largest of the row is 448.
Codes encode(std::vector<float> x) {
  x.push_back(448);
  Codes codes(x.size(), 0xEE);
  float inverse = kNan;
  cpu::quantise_rows(
      {.rows = 1, .columns = x.size(), .x = x.data(), .codes = codes.data(), .inverses = &inverse});
  EXPECT_EQ(inverse, 1.0F);
  codes.pop_back();
  return codes;
}

// Every value of the format, every midpoint between two, and the floats beside all of these.
TEST(Float8Test, RoundsToNearestTiesToEven) {
  std::vector<float> x{0.0F, -0.0F, 1e-38F, 1e-45F, -1e-40F};
  for (unsigned code = 0; code < 0x7E; ++code) {
    const auto low = static_cast<float>(value_of(code)),
               high = static_cast<float>(value_of(code + 1));
    for (const float at : {low, (low + high) / 2, high}) {
      for (const float near : {std::nextafter(at, 0.0F), at, std::nextafter(at, 448.0F)}) {
        x.push_back(near);
        x.push_back(-near);
      }
    }
  }
  const Codes codes = encode(x);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(unsigned{codes[i]}, nearest(double{x[i]})) << x[i];
}

TEST(Float8Test, ReadsEveryCode) {
  Codes codes(256);
  for (unsigned code = 0; code < 256; ++code) codes[code] = static_cast<std::uint8_t>(code);
  const float inverse = 0.5F;
  std::vector<float> y(256, 7);
  cpu::dequantise_rows(
      {.rows = 1, .columns = 256, .codes = codes.data(), .inverses = &inverse, .y = y.data()});
  for (unsigned code = 0; code < 256; ++code) {
    if ((code & 127U) == 127U) {
      EXPECT_TRUE(std::isnan(y[code]));
    } else {
      EXPECT_EQ(y[code], value_of(code) / 2);
      EXPECT_EQ(std::signbit(y[code]), (code & 128U) != 0);
    }
  }
}

class Float8GroupsTest : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Float8GroupsTest,
                         ::testing::Values(std::tuple{1, 1}, std::tuple{3, 15}, std::tuple{128, 16},
                                           std::tuple{129, 33}, std::tuple{515, 270}));

// Codes, inverses and the values read back, for groups that are rows (group = 0) or pieces of
// columns, against the definition. The sizes of the values differ by many powers of two.
TEST_P(Float8GroupsTest, FollowTheDefinition) {
  const std::size_t rows = std::get<0>(GetParam()), columns = std::get<1>(GetParam());
  auto x = normal(rows * columns, 1);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::ldexp(x[i], static_cast<int>(i * 7 % 23) - 12);
  for (const std::size_t group : {0, 1, 128}) {
    const std::size_t groups = group == 0 ? rows : (rows + group - 1) / group * columns;
    const auto group_of = [&](std::size_t i) {
      return group == 0 ? i / columns : i / columns / group * columns + i % columns;
    };
    const Outputs got = run_every_setup([&] {
      Codes codes(x.size(), 0xEE);
      Outputs out{std::vector<float>(groups, kNan), std::vector<float>(x.size(), kNan)};
      const cpu::Quantise there{.rows = rows,
                                .columns = columns,
                                .x = x.data(),
                                .codes = codes.data(),
                                .inverses = out[0].data()};
      const cpu::Dequantise back{.rows = rows,
                                 .columns = columns,
                                 .codes = codes.data(),
                                 .inverses = out[0].data(),
                                 .y = out[1].data()};
      if (group == 0) {
        cpu::quantise_rows(there);
        cpu::dequantise_rows(back);
      } else {
        cpu::quantise_columns(there, group);
        cpu::dequantise_columns(back, group);
      }
      out.emplace_back(codes.begin(), codes.end());
      return out;
    });
    std::vector<float> most(groups);
    for (std::size_t i = 0; i < x.size(); ++i)
      most[group_of(i)] = std::max(most[group_of(i)], std::abs(x[i]));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float factor = 448.0F / most[group_of(i)];
      const float inverse = got[0][group_of(i)];
      ASSERT_EQ(inverse, 1.0F / factor);
      ASSERT_EQ(got[2][i],
                static_cast<float>(nearest(std::min(448.0F, std::max(-448.0F, x[i] * factor)))));
      ASSERT_EQ(got[1][i],
                static_cast<float>(value_of(static_cast<unsigned>(got[2][i]))) * inverse);
      ASSERT_LE(std::abs(got[1][i] - x[i]),
                std::max(std::abs(x[i]) / 16, inverse * 0x1p-10F) * (1 + 0x1p-20F));
    }
  }
}

// A value that is not finite makes its group NaN and no other; zeros and tiny values are exact
// enough.
TEST(Float8EdgesTest, NotFiniteIsVisibleAndZerosAreZeros) {
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    const std::vector<float> x{1, bad, 2, /**/ 3, -4, 0, /**/ 0, 0, -0.0F, /**/ 1e-38F, 0, 0};
    for (const bool columns : {false, true}) {
      Codes codes(12, 0xEE);
      std::vector<float> inverses(columns ? 6 : 4, 7), y(12, 7);
      const cpu::Quantise there{.rows = 4,
                                .columns = 3,
                                .x = x.data(),
                                .codes = codes.data(),
                                .inverses = inverses.data()};
      const cpu::Dequantise back{.rows = 4,
                                 .columns = 3,
                                 .codes = codes.data(),
                                 .inverses = inverses.data(),
                                 .y = y.data()};
      if (columns) {
        cpu::quantise_columns(there, 2);
        cpu::dequantise_columns(back, 2);
      } else {
        cpu::quantise_rows(there);
        cpu::dequantise_rows(back);
      }
      for (std::size_t i = 0; i < 12; ++i) {
        const bool broken = columns ? i == 1 || i == 4 : i < 3;
        EXPECT_EQ(std::isnan(y[i]), broken) << i;
        EXPECT_EQ((codes[i] & 0x7F) == 0x7F, broken) << i;
        if (!broken) {
          EXPECT_NEAR(y[i], x[i], std::abs(x[i]) / 15 + 1e-36F) << i;
        }
      }
    }
  }
}

TEST(Float8EdgesTest, NoRows) {
  cpu::quantise_rows({.rows = 0, .columns = 3});
  cpu::quantise_columns({.rows = 0, .columns = 3});
  cpu::dequantise_rows({.rows = 0, .columns = 3});
}

}  // namespace
}  // namespace megascale::kernels
