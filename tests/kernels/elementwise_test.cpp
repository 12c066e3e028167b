#include "megascale/kernels/cpu/elementwise.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/every_setup.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

class ElementwiseTest : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ElementwiseTest,
                         ::testing::Values(1, 7, 15, 16, 17, 63, 65, 1000, 100003));

TEST_P(ElementwiseTest, AddRoundsOnce) {
  const std::size_t size = GetParam();
  const auto a = normal(size, 1), b = normal(size, 2);
  const Outputs got = run_every_setup([&] {
    Outputs out{std::vector<float>(size, kNan), a, b};
    cpu::add({.tokens = 1, .channels = size, .a = a.data(), .b = b.data(), .y = out[0].data()});
    cpu::add(
        {.tokens = 1, .channels = size, .a = out[1].data(), .b = b.data(), .y = out[1].data()});
    cpu::add(
        {.tokens = 1, .channels = size, .a = a.data(), .b = out[2].data(), .y = out[2].data()});
    return out;
  });
  for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(got[0][i], a[i] + b[i]);
  EXPECT_TRUE(testing::same_bits({got[0], got[0]}, {got[1], got[2]})) << "in place";
}

TEST_P(ElementwiseTest, ScaleRoundsOnce) {
  const std::size_t size = GetParam();
  const auto x = normal(size, 1);
  const Outputs got = run_every_setup([&] {
    Outputs out{std::vector<float>(size, kNan), x};
    cpu::Scale args{
        .tokens = 1, .channels = size, .factor = 0.3F, .x = x.data(), .y = out[0].data()};
    cpu::scale(args);
    args.x = args.y = out[1].data();
    cpu::scale(args);
    return out;
  });
  for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(got[0][i], 0.3F * x[i]);
  EXPECT_TRUE(testing::same_bits({got[0]}, {got[1]})) << "in place";
}

TEST_P(ElementwiseTest, AddBiasAddsOnePerChannel) {
  const std::size_t channels = GetParam() % 1000 + 1, tokens = GetParam() / channels + 1;
  const auto x = normal(tokens * channels, 1), bias = normal(channels, 3);
  const Outputs got = run_every_setup([&] {
    Outputs out{std::vector<float>(x.size(), kNan), x};
    cpu::AddBias args{.tokens = tokens,
                      .channels = channels,
                      .x = x.data(),
                      .bias = bias.data(),
                      .y = out[0].data()};
    cpu::add_bias(args);
    args.x = args.y = out[1].data();
    cpu::add_bias(args);
    return out;
  });
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[0][i], x[i] + bias[i % channels]);
  EXPECT_TRUE(testing::same_bits({got[0]}, {got[1]})) << "in place";
}

TEST_P(ElementwiseTest, CopyKeepsToItsRange) {
  const std::size_t size = GetParam();
  const auto source = normal(size, 1);
  for (const int threads : {1, 2, 3}) {
    testing::set_threads(threads);
    std::vector<float> copied(size + 2, 7.0F);
    cpu::copy(std::as_writable_bytes(std::span(copied).subspan(1, size)),
              std::as_bytes(std::span(source)));
    EXPECT_EQ(copied.front() + copied.back(), 14.0F);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(copied[i + 1], source[i]);
  }
}

// Goal: nearest, ties to even.  Method: of the two neighbours in bfloat16 the chosen one is nearer,
// or even on a tie.
TEST_P(ElementwiseTest, BfloatRoundsToNearestEven) {
  const std::size_t size = GetParam();
  std::vector<float> x = normal(size, 4, 10.0);
  for (std::size_t i = 0; i < size; i += 3) {  // exact ties, to even and odd neighbours
    x[i] = std::bit_cast<float>((std::bit_cast<std::uint32_t>(x[i]) & 0xFFFF0000U) | 0x8000U);
  }
  std::vector<std::uint16_t> half(size, 0xFFFF);
  cpu::to_bfloat16(half, x);
  for (std::size_t i = 0; i < size; ++i) {
    const auto neighbour = [&](int step) {
      return static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(half[i] + step) << 16));
    };
    const double error = std::abs(neighbour(0) - static_cast<double>(x[i]));
    for (const int step : {-1, 1}) {
      const double other = std::abs(neighbour(step) - static_cast<double>(x[i]));
      ASSERT_TRUE(error < other || (error == other && half[i] % 2 == 0)) << x[i];
    }
  }
}

TEST(BfloatExtremesTest, InfinityNanOverflowAndZero) {
  const float inf = std::numeric_limits<float>::infinity(), max = std::numeric_limits<float>::max();
  const std::vector<float> x{
      0.0F, -0.0F, inf, -inf, max, -max, kNan, std::bit_cast<float>(0x7F800001U), 1e-40F, 1.0F};
  std::vector<std::uint16_t> half(x.size());
  cpu::to_bfloat16(half, x);
  EXPECT_EQ(half[0], 0x0000);
  EXPECT_EQ(half[1], 0x8000);
  EXPECT_EQ(half[2], 0x7F80);
  EXPECT_EQ(half[3], 0xFF80);
  EXPECT_EQ(half[4], 0x7F80);
  EXPECT_EQ(half[5], 0xFF80);
  EXPECT_EQ(half[6] & 0x7FC0, 0x7FC0);
  EXPECT_EQ(half[7], 0x7FC0) << "a NaN whose payload lies in the lost half";
  EXPECT_EQ(half[8], 0x0001);
  EXPECT_EQ(half[9], 0x3F80);
}

}  // namespace
}  // namespace megascale::kernels
