#include "megascale/kernels/cpu/embedding.h"

#include <cmath>
#include <tuple>

#include "kernels/every_setup.h"
#include "megascale/kernels/ref/embedding.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

constexpr std::size_t kVocab = 50;

// Tokens of a skewed distribution, so that some rows collect many terms.
std::vector<std::int32_t> tokens_of(std::size_t count, std::uint64_t seed) {
  const PhiloxStream stream(seed, "tokens");
  std::vector<std::int32_t> tokens(count);
  for (std::size_t n = 0; n < count; ++n) {
    const double u = stream.uniform(n);
    tokens[n] = static_cast<std::int32_t>(u * u * static_cast<double>(kVocab));
  }
  return tokens;
}

class EmbeddingTest : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(Shapes, EmbeddingTest,
                         ::testing::Values(std::tuple{1, 1}, std::tuple{7, 15}, std::tuple{9, 16},
                                           std::tuple{40, 33}, std::tuple{700, 100}));

TEST_P(EmbeddingTest, ForwardIsTheReference) {
  const auto [tokens, channels] = GetParam();
  const auto token = tokens_of(tokens, 1);
  const auto table = normal(kVocab * channels, 2), positions = normal(tokens * channels, 3);
  std::vector<std::int32_t> position(tokens);
  for (std::size_t n = 0; n < tokens; ++n) position[n] = static_cast<std::int32_t>(tokens - 1 - n);
  // The whole table, and the middle part as one rank of several holds it.
  for (const auto& [start, count] : {std::pair<std::size_t, std::size_t>{0, kVocab}, {3, 20}}) {
    const std::vector<float> part(
        table.begin() + static_cast<std::ptrdiff_t>(start * channels),
        table.begin() + static_cast<std::ptrdiff_t>((start + count) * channels));
    const auto want = ref::embedding(token, ref::widen(part), static_cast<std::int64_t>(start),
                                     static_cast<std::int64_t>(count), channels);
    const auto lift = ref::embedding(position, ref::widen(positions), 0,
                                     static_cast<std::int64_t>(tokens), channels);
    for (const bool with_positions : {false, true}) {
      const Outputs got = run_every_setup([&, start = start, count = count] {
        Outputs out{std::vector<float>(tokens * channels, kNan)};
        cpu::embedding_forward({.tokens = tokens,
                                .channels = channels,
                                .y = out[0].data(),
                                .token = token.data(),
                                .table = part.data(),
                                .vocab_start = start,
                                .vocab_count = count,
                                .position = with_positions ? position.data() : nullptr,
                                .position_table = with_positions ? positions.data() : nullptr});
        return out;
      });
      for (std::size_t i = 0; i < want.size(); ++i) {
        ASSERT_EQ(got[0][i], static_cast<float>(want[i] + (with_positions ? lift[i] : 0))) << i;
      }
    }
  }
}

TEST_P(EmbeddingTest, BackwardMeetsItsBound) {
  const auto [tokens, channels] = GetParam();
  const auto token = tokens_of(tokens, 4);
  const auto dy = normal(tokens * channels, 5);
  for (const auto& [start, count] : {std::pair<std::size_t, std::size_t>{0, kVocab}, {3, 20}}) {
    const auto old = normal(count * channels, 6);
    for (const bool accumulate : {false, true}) {
      const Outputs got = run_every_setup([&, start = start, count = count] {
        Outputs out{accumulate ? old : std::vector<float>(count * channels, kNan)};
        cpu::embedding_backward({.tokens = tokens,
                                 .channels = channels,
                                 .table_gradient = out[0].data(),
                                 .index = token.data(),
                                 .dy = dy.data(),
                                 .vocab_start = start,
                                 .vocab_count = count,
                                 .accumulate = accumulate});
        return out;
      });
      ref::Doubles want = accumulate ? ref::widen(old) : ref::Doubles(count * channels);
      ref::Doubles terms = want, magnitude = ref::widen(dy);
      for (double& v : terms) v = std::abs(v);
      for (double& v : magnitude) v = std::abs(v);
      const auto first = static_cast<std::int64_t>(start), rows = static_cast<std::int64_t>(count);
      ref::embedding_backward(want, token, ref::widen(dy), first, rows, channels);
      ref::embedding_backward(terms, token, magnitude, first, rows, channels);
      for (std::size_t i = 0; i < want.size(); ++i) {
        const auto uses =
            std::count(token.begin(), token.end(), static_cast<std::int32_t>(start + i / channels));
        ASSERT_LE(std::abs(got[0][i] - want[i]), static_cast<double>(uses) * kUnit * terms[i]) << i;
      }
    }
  }
}

TEST(EmbeddingExtremesTest, TokensOutsideTheTableAddNothing) {
  const std::vector<std::int32_t> token{-1, 2, std::numeric_limits<std::int32_t>::max(), 7, 4};
  const std::vector<float> table{1, 2, 3}, dy{10, 20, 30, 40, 50};
  std::vector<float> y(5, kNan), gradient(3, kNan);
  cpu::embedding_forward({.tokens = 5,
                          .channels = 1,
                          .y = y.data(),
                          .token = token.data(),
                          .table = table.data(),
                          .vocab_start = 2,
                          .vocab_count = 3});
  EXPECT_EQ(y, (std::vector<float>{0, 1, 0, 0, 3}));
  cpu::embedding_backward({.tokens = 5,
                           .channels = 1,
                           .table_gradient = gradient.data(),
                           .index = token.data(),
                           .dy = dy.data(),
                           .vocab_start = 2,
                           .vocab_count = 3});
  EXPECT_EQ(gradient, (std::vector<float>{20, 0, 50}));
}

}  // namespace
}  // namespace megascale::kernels
