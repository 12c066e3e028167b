// Attention of decoding with latent vectors in the cache, against keys and values of all heads in double.
#include "megascale/kernels/cpu/latent_decode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/dense_support.h"
#include "kernels/every_setup.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/ref/attention.h"
#include "megascale/kernels/ref/rope.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using cpu::LatentDecode;
using ref::Doubles;
using testing::kNan;
using testing::normal;

constexpr double kTheta = 100;

struct Added {
  std::size_t added = 0, kept = 0;  // new tokens; tokens in the cache with the new ones
};

// A step. Before it, the cache has random rows of older tokens; all others are NaN.
struct Step {
  LatentDecode config;
  std::vector<Added> sequences;
  std::vector<float> query, latent, key_rope, table, weight, cache;

  Step(const LatentDecode& c, std::vector<Added> all) : config(c), sequences(std::move(all)) {
    config.sequences = sequences.size();
    config.most_tokens = 0;
    for (const Added& one : sequences) {
      config.most_tokens += one.added;
      config.places = std::max(config.places, one.kept + 2);
    }
    query = normal(config.most_tokens * query_width(), 1);
    latent = normal(config.most_tokens * config.rank, 2);
    key_rope = normal(config.most_tokens * config.rotated, 3);
    weight = normal(config.heads * (config.plain + config.values) * config.rank, 4,
                    1 / std::sqrt(static_cast<double>(config.rank)));
    cache.assign(sequences.size() * config.places * config.row(), kNan);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const auto [added, kept] = sequences[i];
      const auto old = normal((kept - added) * config.row(), 5 + i);
      std::copy(old.begin(), old.end(), cache.begin() + at(i, 0));
      for (std::size_t n = 0; n < added; ++n) {
        for (const bool sine : {false, true}) {
          for (std::size_t k = 0; k < config.rotated / 2; ++k) {
            const double angle = static_cast<double>(kept - added + n) *
                                 std::pow(kTheta, -2.0 * static_cast<double>(k) /
                                                      static_cast<double>(config.rotated));
            table.push_back(static_cast<float>(sine ? std::sin(angle) : std::cos(angle)));
          }
        }
      }
    }
  }
  [[nodiscard]] std::size_t query_width() const { return config.heads * config.head(); }
  [[nodiscard]] std::size_t width() const { return config.heads * config.values; }
  // Where row number `row` of a sequence begins in the cache.
  [[nodiscard]] std::ptrdiff_t at(std::size_t sequence, std::size_t row) const {
    return static_cast<std::ptrdiff_t>((sequence * config.places + row) * config.row());
  }
  // Returns the outputs; the cache receives the new rows.
  std::vector<float> run(std::size_t threads = cpu::team_size()) {
    config.threads = threads;
    const cpu::TeamSize team(threads);
    std::vector<float> output(config.most_tokens * width(), kNan);
    std::vector<cpu::LatentSequence> all;
    for (std::size_t i = 0; i < sequences.size(); ++i)
      all.push_back({sequences[i].added, sequences[i].kept, cache.data() + at(i, 0)});
    const testing::PoisonedScratch scratch(cpu::LatentDecoder::scratch_bytes(config));
    cpu::LatentDecoder decoder(config);
    decoder.run({.sequences = all,
                 .query = query.data(),
                 .latent = latent.data(),
                 .key_rope = key_rope.data(),
                 .table = table.data(),
                 .weight = weight.data(),
                 .output = output.data(),
                 .scratch = scratch.data()});
    EXPECT_TRUE(scratch.guard_is_whole());
    return output;
  }
  // Returns the step of the tokens [first, first + count) of sequence i alone. Needs the cache as a run
  // leaves it.
  [[nodiscard]] Step part(std::size_t i, std::size_t first, std::size_t count) const {
    std::size_t token = first;
    for (std::size_t k = 0; k < i; ++k) token += sequences[k].added;
    const std::size_t before = sequences[i].kept - sequences[i].added + first;
    Step one(config, {{count, before + count}});
    one.weight = weight;
    const auto take = [&](std::vector<float>& to, const std::vector<float>& from,
                          std::size_t size) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(token * size);
      to.assign(begin, begin + static_cast<std::ptrdiff_t>(count * size));
    };
    take(one.query, query, query_width());
    take(one.latent, latent, config.rank);
    take(one.key_rope, key_rope, config.rotated);
    take(one.table, table, config.rotated);
    std::copy(cache.begin() + at(i, 0), cache.begin() + at(i, before), one.cache.begin());
    return one;
  }

  // The rest is the reference. Needs the cache as a run leaves it.
  [[nodiscard]] Doubles rotated(const float* x, std::size_t position) const {
    return ref::rope({x, x + config.rotated}, static_cast<std::int32_t>(position), kTheta, 1);
  }
  // Appends the channels [first, first + count) of a head's product of a row of the cache.
  void append_product(std::size_t head, std::size_t first, std::size_t count, const float* row,
                      Doubles& to) const {
    for (std::size_t k = first; k < first + count; ++k) {
      const float* w = weight.data() + (head * (config.plain + config.values) + k) * config.rank;
      double sum = 0;
      for (std::size_t c = 0; c < config.rank; ++c) sum += double{w[c]} * row[c];
      to.push_back(sum);
    }
  }
  [[nodiscard]] std::vector<Doubles> want() const {
    std::vector<Doubles> all;
    std::size_t token = 0;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const auto [added, kept] = sequences[i];
      Doubles keys, values;
      for (std::size_t j = 0; j < kept; ++j) {
        const float* row = cache.data() + at(i, j);
        for (std::size_t h = 0; h < config.heads; ++h) {
          append_product(h, 0, config.plain, row, keys);
          keys.insert(keys.end(), row + config.rank, row + config.row());
          append_product(h, config.plain, config.values, row, values);
        }
      }
      Doubles queries;
      for (std::size_t n = 0; n < added; ++n, ++token) {
        for (std::size_t h = 0; h < config.heads; ++h) {
          const float* q = query.data() + token * query_width() + h * config.head();
          queries.insert(queries.end(), q, q + config.plain);
          const Doubles turned = rotated(q + config.plain, kept - added + n);
          queries.insert(queries.end(), turned.begin(), turned.end());
        }
      }
      if (added == 0) continue;
      const double scale =
          config.scale > 0 ? config.scale : 1 / std::sqrt(static_cast<double>(config.head()));
      const Doubles o = ref::attention({.query_heads = config.heads,
                                        .kv_heads = config.heads,
                                        .head_size = config.head(),
                                        .value_size = config.values,
                                        .query_count = added,
                                        .key_count = kept,
                                        .window = config.window,
                                        .scale = scale,
                                        .soft_cap = config.soft_cap},
                                       queries, keys, values, {})
                            .o;
      for (std::size_t n = 0; n < added; ++n) {
        const auto begin = o.begin() + static_cast<std::ptrdiff_t>(n * width());
        all.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(width()));
      }
    }
    return all;
  }
};

std::vector<float> row_of(const std::vector<float>& rows, std::size_t row, std::size_t width) {
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * width);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

// Odd sizes, few and many new tokens, several sequences: single, absorbed and expanded ones in one step. The
// last one is large enough for teams of threads.
std::vector<Step> steps() {
  return {{{.heads = 1, .plain = 1, .rotated = 2, .values = 1, .rank = 1}, {{1, 1}}},
          {{.heads = 2, .plain = 5, .rotated = 6, .values = 7, .rank = 9},
           {{1, 1}, {0, 3}, {3, 70}, {2, 2}, {0, 0}}},
          {{.heads = 3, .plain = 16, .rotated = 34, .values = 20, .rank = 40, .window = 7},
           {{1, 90}, {10, 64}, {4, 4}, {5, 9}}},
          {{.heads = 4,
            .plain = 23,
            .rotated = 8,
            .values = 33,
            .rank = 17,
            .window = 70,
            .scale = 0.4},
           {{65, 130}, {1, 200}, {20, 21}}},
          {{.heads = 4,
            .plain = 12,
            .rotated = 4,
            .values = 8,
            .rank = 33,
            .scale = 0.7,
            .soft_cap = 1.5},
           {{3, 66}, {20, 20}}},
          {{.heads = 5, .plain = 12, .rotated = 6, .values = 10, .rank = 40},
           {{2, 9}, {40, 40}, {1, 90}, {17, 150}, {33, 90}, {0, 7}, {18, 18}}},
          {{.heads = 2,
            .plain = 33,
            .rotated = 2,
            .values = 9,
            .rank = 30,
            .window = 11,
            .scale = 0.4,
            .soft_cap = 2},
           {{70, 70}, {1, 20}, {19, 21}}},
          {{.heads = 8, .plain = 64, .rotated = 32, .values = 48, .rank = 128},
           {{1, 150}, {6, 7}, {64, 64}, {1, 1}, {2, 140}}}};
}

std::string name_of(const Step& step) {
  return std::to_string(step.config.heads) + " heads of rank " + std::to_string(step.config.rank);
}

TEST(LatentDecodeTest, IsAttentionToKeysAndValuesOfAllHeads) {
  for (Step& step : steps()) {
    (void)step.run();
    const std::vector<Doubles> want = step.want();
    testing::each_target([&](const char* target) {
      const std::vector<float> got = step.run();
      for (std::size_t n = 0; n < want.size(); ++n) {
        EXPECT_LT(testing::relative_norm_error(row_of(got, n, step.width()), want[n]), 4e-6)
            << name_of(step) << ", " << target << ", token " << n;
      }
    });
  }
}

TEST(LatentDecodeTest, WritesTheRowsOfTheNewTokensOnly) {
  for (Step& step : steps()) {
    const std::vector<float> before = step.cache;
    (void)step.run();
    std::size_t token = 0;
    std::vector<float> want = before;
    for (std::size_t i = 0; i < step.sequences.size(); ++i) {
      const auto [added, kept] = step.sequences[i];
      for (std::size_t n = 0; n < added; ++n, ++token) {
        const auto row = step.at(i, kept - added + n);
        const auto rank = static_cast<std::ptrdiff_t>(step.config.rank);
        const float* raw = step.key_rope.data() + token * step.config.rotated;
        const Doubles turned = step.rotated(raw, kept - added + n);
        std::copy_n(step.latent.begin() + static_cast<std::ptrdiff_t>(token) * rank, rank,
                    want.begin() + row);
        for (std::size_t k = 0; k < turned.size(); ++k) {
          const std::size_t to = static_cast<std::size_t>(row + rank) + k;
          ASSERT_NEAR(step.cache[to], turned[k], 1e-5) << name_of(step);
          want[to] = step.cache[to];
        }
      }
    }
    EXPECT_TRUE(testing::same_bits(step.cache, want)) << name_of(step);
  }
}

TEST(LatentDecodeTest, ASequenceHasTheBitsThatItHasAloneWithAnyThreads) {
  for (Step& step : steps()) {
    const std::vector<float> all = step.run();
    for (const std::size_t threads : {1U, 2U, 5U}) {
      EXPECT_TRUE(testing::same_bits(step.run(threads), all)) << name_of(step);
      std::size_t token = 0;
      for (std::size_t i = 0; i < step.sequences.size(); ++i) {
        const std::size_t added = step.sequences[i].added;
        if (added > 0) {
          EXPECT_TRUE(testing::same_bits(
              step.part(i, 0, added).run(threads),
              std::span(all).subspan(token * step.width(), added * step.width())))
              << name_of(step) << ", sequence " << i;
        }
        token += added;
      }
    }
  }
}

// Few tokens of a sequence have the bits that they have one after the other.
TEST(LatentDecodeTest, AFewTokensHaveTheBitsOfSingleOnes) {
  for (Step& step : steps()) {
    const std::vector<float> all = step.run();
    std::size_t token = 0;
    for (std::size_t i = 0; i < step.sequences.size(); ++i) {
      const std::size_t added = step.sequences[i].added;
      for (std::size_t n = 0; n < added && added <= cpu::kLatentSingle; ++n) {
        EXPECT_TRUE(
            testing::same_bits(step.part(i, n, 1).run(), row_of(all, token + n, step.width())))
            << name_of(step) << ", sequence " << i << ", token " << n;
      }
      token += added;
    }
  }
}

// With the sizes of DeepSeek-V2. Beside a long cache, computing keys and values pays from 171 tokens on.
TEST(LatentDecodeTest, KeysAndValuesAreComputedWhereThatTakesFewerFlops) {
  const LatentDecode c{.heads = 16, .plain = 128, .rotated = 64, .values = 128, .rank = 512};
  EXPECT_FALSE(cpu::latent_expands(c, cpu::kLatentSingle, cpu::kLatentSingle));
  EXPECT_TRUE(cpu::latent_expands(c, cpu::kLatentSingle + 1, cpu::kLatentSingle + 1));
  EXPECT_FALSE(cpu::latent_expands(c, 170, 1 << 20));
  EXPECT_TRUE(cpu::latent_expands(c, 172, 1 << 20));
  // All three kinds are in the steps above.
  int single = 0, absorbed = 0, expanded = 0;
  for (const Step& step : steps()) {
    for (const auto& [added, kept] : step.sequences) {
      const bool expands = cpu::latent_expands(step.config, added, kept);
      ++(added <= cpu::kLatentSingle ? single : expands ? expanded : absorbed);
    }
  }
  EXPECT_GE(single, 10);
  EXPECT_GE(absorbed, 2);
  EXPECT_GE(expanded, 6);
}

// A broken weight must not look like a quiet one, and it belongs to one head.
TEST(LatentDecodeTest, NanOfAWeightReachesTheOutputsOfItsHead) {
  for (const std::size_t row : {0U, 6U}) {  // of keys, of values
    Step step({.heads = 2, .plain = 5, .rotated = 6, .values = 7, .rank = 9}, {{1, 3}, {6, 6}});
    step.weight[(12 + row) * 9 + 8] = kNan;
    const std::vector<float> got = step.run();
    for (std::size_t n = 0; n < 7; ++n) {
      for (std::size_t k = 0; k < 14; ++k)
        EXPECT_EQ(std::isnan(got[n * 14 + k]), k >= 7 && (row < 5 || k == 7 + row - 5)) << k;
    }
  }
}

}  // namespace
}  // namespace megascale::kernels
