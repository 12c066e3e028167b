#include "megascale/kernels/cpu/head_exchange.h"

#include <cmath>

#include "kernels/every_setup.h"
#include "megascale/kernels/ref/head_exchange.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

// Equal shares of all heads, one key-value head for several ranks, none; values of another size.
class HeadExchangeTest : public ::testing::TestWithParam<ref::Heads> {};
INSTANTIATE_TEST_SUITE_P(Shapes, HeadExchangeTest,
                         ::testing::Values(ref::Heads{1, 2, 2, 1, 2}, ref::Heads{3, 4, 2, 5, 2},
                                           ref::Heads{5, 4, 2, 3, 4}, ref::Heads{7, 12, 12, 4, 3},
                                           ref::Heads{2, 8, 1, 16, 4}, ref::Heads{4, 6, 0, 3, 3},
                                           ref::Heads{33, 16, 2, 64, 8}, ref::Heads{6, 4, 4, 8, 1},
                                           ref::Heads{3, 4, 4, 6, 2, 4},
                                           ref::Heads{5, 8, 2, 3, 4, 7},
                                           ref::Heads{4, 6, 0, 3, 3, 2}));

cpu::HeadExchange exchange_of(const ref::Heads& heads, const std::vector<float>& from,
                              std::vector<float>& to) {
  return {.tokens = heads.tokens,
          .heads = heads.heads,
          .groups = heads.groups,
          .head_size = heads.size,
          .ranks = heads.ranks,
          .value_size = heads.value_size,
          .from = from.data(),
          .to = to.data()};
}

TEST_P(HeadExchangeTest, SplittingIsTheReference) {
  const ref::Heads& heads = GetParam();
  const auto rows = normal(heads.tokens * heads.row(), 1);
  const Outputs got = run_every_setup([&] {
    Outputs out{std::vector<float>(heads.ranks * heads.tokens * heads.block(), kNan)};
    cpu::split_heads(exchange_of(heads, rows, out[0]));
    return out;
  });
  EXPECT_TRUE(testing::all_close(got[0], ref::split_heads(heads, ref::widen(rows)), 0));
}

TEST_P(HeadExchangeTest, JoiningAddsWhatSeveralRanksHave) {
  const ref::Heads& heads = GetParam();
  const auto blocks = normal(heads.ranks * heads.tokens * heads.block(), 2);
  const Outputs got = run_every_setup([&] {
    Outputs out{std::vector<float>(heads.tokens * heads.row(), kNan)};
    cpu::join_heads(exchange_of(heads, blocks, out[0]));
    return out;
  });
  auto magnitudes = ref::widen(blocks);
  for (double& value : magnitudes) value = std::abs(value);
  const auto want = ref::join_heads(heads, ref::widen(blocks)),
             magnitude = ref::join_heads(heads, magnitudes);
  const std::size_t copies = heads.groups == 0 ? 1 : heads.ranks * heads.of_block() / heads.groups;
  ASSERT_EQ(got[0].size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double bound = static_cast<double>(copies - 1) * kUnit * magnitude[i];
    ASSERT_LE(std::abs(double{got[0][i]} - want[i]), bound) << i;
  }
}

struct Sequences {
  std::size_t sequences, length, channels, ranks;
};
class SequenceExchangeTest : public ::testing::TestWithParam<Sequences> {};
INSTANTIATE_TEST_SUITE_P(Shapes, SequenceExchangeTest,
                         ::testing::Values(Sequences{1, 1, 1, 1}, Sequences{1, 6, 5, 3},
                                           Sequences{2, 4, 3, 2}, Sequences{3, 8, 17, 4},
                                           Sequences{5, 64, 40, 8}));

TEST_P(SequenceExchangeTest, SplitsAsTheReferenceAndJoinsBack) {
  const auto [sequences, length, channels, ranks] = GetParam();
  const auto rows = normal(sequences * length * channels, 3);
  const Outputs got = run_every_setup([&, p = GetParam()] {
    Outputs out{std::vector<float>(rows.size(), kNan), std::vector<float>(rows.size(), kNan)};
    cpu::SequenceExchange exchange{.sequences = p.sequences,
                                   .length = p.length,
                                   .channels = p.channels,
                                   .ranks = p.ranks,
                                   .from = rows.data(),
                                   .to = out[0].data()};
    cpu::split_sequences(exchange);
    exchange.from = out[0].data();
    exchange.to = out[1].data();
    cpu::join_sequences(exchange);
    return out;
  });
  const auto want = ref::split_sequences(sequences, length, channels, ranks, ref::widen(rows));
  EXPECT_TRUE(testing::all_close(got[0], want, 0));
  EXPECT_TRUE(testing::same_bits({got[1]}, {rows}));
}

}  // namespace
}  // namespace megascale::kernels
