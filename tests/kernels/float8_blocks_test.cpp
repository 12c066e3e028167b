// Blocks of rows in 8 bits: where codes and scales lie, the values read back and their sums, against a
// plain reference in double precision.
#include "megascale/kernels/cpu/float8_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/every_setup.h"
#include "kernels/nearest_e4m3.h"
#include "megascale/kernels/cpu/float8.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::nearest_e4m3;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

constexpr std::size_t kBlockColumns = 12;

struct BlocksCase {
  std::vector<std::int64_t> rows;
  bool by_column;
  bool one_scale = false;

  // The arguments of kernels, which read the rows of this case.
  [[nodiscard]] cpu::Float8Blocks blocks() const {
    return {.rows = rows, .columns = kBlockColumns, .by_column = by_column, .one_scale = one_scale};
  }
};
const std::vector<BlocksCase> kBlocksCases{{{1}, false},
                                           {{1}, true},
                                           {{5, 0, 131}, false},
                                           {{5, 0, 131}, true},
                                           {{128, 129, 0, 300}, true},
                                           {{0, 0}, true}};

std::size_t rows_of_blocks(const BlocksCase& one) {
  return static_cast<std::size_t>(
      std::accumulate(one.rows.begin(), one.rows.end(), std::int64_t{0}));
}
std::size_t blocks_nbytes(const BlocksCase& one) {
  std::size_t nbytes = 0;
  for (const std::int64_t rows : one.rows)
    nbytes +=
        cpu::float8_block_nbytes(static_cast<std::size_t>(rows), kBlockColumns, one.by_column);
  return nbytes;
}

// Returns the largest magnitude in the group of element (row, column) of a block that begins at row `first`.
double most_of_group(const std::vector<float>& x, const BlocksCase& one, std::size_t first,
                     std::size_t rows, std::size_t row, std::size_t column) {
  double largest = 0;
  if (!one.by_column) {
    for (std::size_t c = 0; c < kBlockColumns; ++c)
      largest = std::max(largest, std::abs(double{x[(first + row) * kBlockColumns + c]}));
    return largest;
  }
  const std::size_t begin = row / 128 * 128;
  for (std::size_t r = begin; r < std::min(rows, begin + 128); ++r)
    largest = std::max(largest, std::abs(double{x[(first + r) * kBlockColumns + column]}));
  return largest;
}

// Rows and columns whose sizes differ by many powers of two.
std::vector<float> block_values(std::size_t rows, unsigned seed) {
  auto x = normal(rows * kBlockColumns, seed);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::ldexp(x[i], static_cast<int>(i % kBlockColumns + i / kBlockColumns * 5 % 17) - 12);
  return x;
}

std::vector<std::uint8_t> packed_blocks(const BlocksCase& one, const std::vector<float>& x) {
  std::vector<std::uint8_t> packed(blocks_nbytes(one) + 1, 0xEE);
  cpu::pack_float8(one.blocks(), x.data(), packed.data());
  EXPECT_EQ(packed.back(), 0xEE) << "more bytes than the blocks have were written";
  packed.pop_back();
  return packed;
}

TEST(Float8BlocksTest, EveryBlockIsQuantisedForItself) {
  for (const BlocksCase& one : kBlocksCases) {
    const std::vector<float> x = block_values(rows_of_blocks(one), 3);
    const Outputs got = run_every_setup([&] {
      const auto packed = packed_blocks(one, x);
      Outputs out{std::vector<float>(x.size(), kNan)};
      cpu::unpack_float8(one.blocks(), packed.data(), out[0].data());
      out.emplace_back(packed.begin(), packed.end());
      return out;
    });
    std::size_t first = 0;
    for (const std::int64_t count : one.rows) {
      const auto rows = static_cast<std::size_t>(count);
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t c = 0; c < kBlockColumns; ++c) {
          const std::size_t i = (first + row) * kBlockColumns + c;
          const double scale = most_of_group(x, one, first, rows, row, c) / 448;
          const double want = nearest_e4m3(x[i], scale);
          // The value that was read back is as near as the nearest one, but for rounding of the scale.
          ASSERT_LE(std::abs(got[0][i] - double{x[i]}),
                    std::abs(want - x[i]) + 1e-6 * std::abs(x[i]))
              << i;
        }
      }
      first += rows;
    }
  }
}

// Returns all scales of packed blocks.
std::vector<float> scales_of(const BlocksCase& one, const std::vector<std::uint8_t>& packed) {
  std::vector<float> scales;
  std::size_t begin = 0;
  for (const std::int64_t count : one.rows) {
    const auto rows = static_cast<std::size_t>(count);
    const std::size_t end = begin + cpu::float8_block_nbytes(rows, kBlockColumns, one.by_column);
    for (std::size_t at = begin + rows * kBlockColumns; at < end; at += sizeof(float)) {
      scales.emplace_back();
      std::memcpy(&scales.back(), &packed[at], sizeof(float));
    }
    begin = end;
  }
  return scales;
}

// The blocks of a transfer may have fewer rows than there is memory for. Values behind them, of an
// earlier step for instance, must not make their scale larger.
TEST(Float8BlocksTest, OneScaleIsThatOfTheLargestValueAmongTheRowsThatCount) {
  const std::vector<BlocksCase> cases{{{1}, false, true},
                                      {{5, 0, 131}, false, true},
                                      {{5, 0, 131}, true, true},
                                      {{128, 129, 0, 300}, true, true},
                                      {{0, 0}, true, true}};
  for (const BlocksCase& one : cases) {
    const std::size_t values = rows_of_blocks(one) * kBlockColumns;
    std::vector<float> x = block_values(rows_of_blocks(one) + 1, 6);
    double most = 0;
    for (std::size_t i = 0; i < values; ++i) most = std::max(most, std::abs(double{x[i]}));
    for (const float behind : {3e38F, kNan}) {
      std::fill(x.begin() + static_cast<std::ptrdiff_t>(values), x.end(), behind);
      const Outputs got = run_every_setup([&] {
        const auto packed = packed_blocks(one, x);
        Outputs out{std::vector<float>(values, kNan), scales_of(one, packed)};
        cpu::unpack_float8(one.blocks(), packed.data(), out[0].data());
        return out;
      });
      for (const float scale : got[1]) ASSERT_NEAR(scale, most / 448, 1e-6 * most / 448);
      for (std::size_t i = 0; i < values; ++i) {
        const double want = nearest_e4m3(x[i], most / 448);
        ASSERT_NEAR(got[0][i], want, 1e-6 * std::abs(want)) << i;
      }
      // Otherwise scales of rows would pass as well.
      if (values > kBlockColumns) {
        EXPECT_GT(std::count(got[0].begin(), got[0].end(), 0.0F), 0);
      }
    }
  }
}

TEST(Float8BlocksTest, SumsAreAddedInFloat32InTheOrderOfTheBlocks) {
  for (const bool by_column : {false, true}) {
    const BlocksCase one{{130, 130, 130}, by_column};
    const std::vector<float> x = block_values(390, 4);
    const auto packed = packed_blocks(one, x);
    std::vector<float> y(390 * kBlockColumns, kNan), sum(130 * kBlockColumns, kNan);
    const cpu::Float8Blocks blocks{
        .rows = one.rows, .columns = kBlockColumns, .by_column = by_column};
    cpu::unpack_float8(blocks, packed.data(), y.data());
    cpu::sum_float8(blocks, packed.data(), sum.data());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      ASSERT_EQ(sum[i], (y[i] + y[i + sum.size()]) + y[i + 2 * sum.size()]) << i;
      const double exact = double{y[i]} + y[i + sum.size()] + y[i + 2 * sum.size()];
      const double size =
          std::abs(y[i]) + std::abs(y[i + sum.size()]) + std::abs(y[i + 2 * sum.size()]);
      ASSERT_NEAR(sum[i], exact, 1e-6 * size) << i;
    }
  }
}

// E4M3 has no infinity, and what is too large for it becomes 448. A value that is not finite must not
// hide in that way: not among rows, nor among gradients, nor in their sum.
TEST(Float8BlocksTest, NotFiniteStaysVisibleInRowsGradientsAndSums) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    for (const auto& [by_column, one_scale] : std::vector<std::pair<bool, bool>>{
             {false, false}, {true, false}, {false, true}, {true, true}}) {
      const BlocksCase one{{3, 3}, by_column, one_scale};
      std::vector<float> x = block_values(6, 5);
      constexpr std::size_t kRow = 4, kColumn = 7;
      x[kRow * kBlockColumns + kColumn] = bad;
      const auto packed = packed_blocks(one, x);
      std::vector<float> y(x.size(), 7), sum(x.size() / 2, 7);
      cpu::unpack_float8(one.blocks(), packed.data(), y.data());
      cpu::sum_float8(one.blocks(), packed.data(), sum.data());
      for (std::size_t row = 0; row < 6; ++row) {
        for (std::size_t c = 0; c < kBlockColumns; ++c) {
          const bool broken = one_scale || (by_column ? row >= 3 && c == kColumn : row == kRow);
          EXPECT_EQ(std::isnan(y[row * kBlockColumns + c]), broken) << row << " " << c;
          if (row >= 3) {
            EXPECT_EQ(std::isnan(sum[(row - 3) * kBlockColumns + c]), broken) << row << " " << c;
          }
        }
      }
    }
  }
}

// A sum that is too large for float32 becomes infinite, as without 8 bits.
TEST(Float8BlocksTest, SumsThatAreTooLargeAreInfinite) {
  const BlocksCase one{{1, 1}, false};
  const std::vector<float> x(2 * kBlockColumns, 3e38F);
  const auto packed = packed_blocks(one, x);
  std::vector<float> sum(kBlockColumns, 7);
  cpu::sum_float8({.rows = one.rows, .columns = kBlockColumns}, packed.data(), sum.data());
  for (const float value : sum) EXPECT_TRUE(std::isinf(value));
}

}  // namespace
}  // namespace megascale::kernels
