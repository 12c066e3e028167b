// Dropout against its definition: which elements are kept follows from Philox's own function.
#include "megascale/kernels/cpu/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/every_setup.h"
#include "megascale/base/philox.h"
#include "support/close.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
namespace cpu = kernels::cpu;

constexpr cpu::DropoutDraws kDraws{
    .rate = 0.3, .seed = 0x123456789ABCDEF0, .stream = 0xFEDCBA9876543210};

// The definition of dropout_draws.h.
bool is_kept(const cpu::DropoutDraws& draws, std::uint64_t row, std::size_t channel,
             std::size_t channels) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const std::uint64_t block = (row * ((channels + 63) / 64) + channel / 64) * 16 + channel % 16;
  const auto words =
      philox4x32({low(block), low(block >> 32U), low(draws.stream), low(draws.stream >> 32U)},
                 {low(draws.seed), low(draws.seed >> 32U)});
  return static_cast<double>(words[channel / 16 % 4]) >= std::round(draws.rate * 0x1p32);
}

TEST(DropoutTest, KeepsWhatTheDefinitionSays) {
  const std::vector<std::int64_t> samples{7, 0, std::int64_t{1} << 40};
  constexpr std::size_t kPositions = 5, kSequence = 20, kFirstPosition = 10, kFirstRow = 3,
                        kRows = 11;
  for (const std::size_t channels : {1U, 16U, 63U, 64U, 65U, 200U, 256U}) {
    const std::vector<float> x = normal(kRows * channels, 3);
    std::vector<std::uint8_t> mask(x.size());
    const Outputs got = run_every_setup([&] {
      std::vector<float> y(x.size(), kNan);
      std::fill(mask.begin(), mask.end(), 77);
      cpu::dropout({.rows = kRows,
                    .channels = channels,
                    .number = {.sample = samples.data(),
                               .sequence = kSequence,
                               .length = kPositions,
                               .first_position = kFirstPosition,
                               .first_row = kFirstRow},
                    .x = x.data(),
                    .y = y.data(),
                    .mask = mask.data(),
                    .draws = kDraws});
      return Outputs{y};
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t at = kFirstRow + i / channels;
      const std::uint64_t row = static_cast<std::uint64_t>(samples[at / kPositions]) * kSequence +
                                kFirstPosition + at % kPositions;
      const bool keep = is_kept(kDraws, row, i % channels, channels);
      kept += keep ? 1 : 0;
      ASSERT_EQ(mask[i], keep ? 1 : 0) << channels << " channels, element " << i;
      ASSERT_EQ(got[0][i], keep ? x[i] * static_cast<float>(1 / 0.7) : 0.0F);
    }
    const auto count = static_cast<double>(x.size());
    EXPECT_NEAR(static_cast<double>(kept), 0.7 * count, 4 * std::sqrt(0.21 * count));
  }
}

TEST(DropoutTest, MayWriteItsInput) {
  const std::int64_t sample = 4;
  const std::vector<float> x = normal(std::size_t{3} * 100, 3);
  std::vector<float> apart(x.size(), kNan), in_place = x;
  std::vector<std::uint8_t> mask(x.size());
  for (auto [from, to] : {std::pair{x.data(), apart.data()},
                          std::pair<const float*, float*>{in_place.data(), in_place.data()}}) {
    cpu::dropout({.rows = 3,
                  .channels = 100,
                  .number = {.sample = &sample, .sequence = 3, .length = 3},
                  .x = from,
                  .y = to,
                  .mask = mask.data(),
                  .draws = kDraws});
  }
  EXPECT_TRUE(same_bits(Outputs{apart}, Outputs{in_place}));
}

TEST(DropoutTest, TheGradientPassesWhereElementsWereKept) {
  const std::vector<float> dy = normal(130000, 5);
  std::vector<std::uint8_t> mask(dy.size());
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 3 == 0 ? 1 : 0;
  const Outputs got = run_every_setup([&] {
    std::vector<float> dx(dy.size(), kNan);
    cpu::dropout_gradient(
        {.count = dy.size(), .rate = 0.5, .dy = dy.data(), .mask = mask.data(), .dx = dx.data()});
    return Outputs{dx};
  });
  for (std::size_t i = 0; i < dy.size(); ++i) ASSERT_EQ(got[0][i], i % 3 == 0 ? 2 * dy[i] : 0.0F);
}

TEST(DropoutTest, ExtremeRatesKeepAllOrAlmostNone) {
  EXPECT_EQ((cpu::DropoutDraws{.rate = 0}.threshold()), 0U);
  EXPECT_EQ((cpu::DropoutDraws{.rate = 1 - 1e-12}.threshold()), 0xFFFFFFFFU);
}

}  // namespace
}  // namespace megascale
