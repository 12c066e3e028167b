#include "megascale/generate/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "megascale/base/error.h"

// The sampler: which tokens it may draw, how often, and that a seed repeats a sequence.
namespace megascale::generate {
namespace {

std::vector<std::int32_t> draw(const SamplerOptions& options, const std::vector<float>& logits,
                               int count) {
  Sampler sampler(options);
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < count; ++i)
    tokens.push_back(sampler.draw(logits, {.position = static_cast<std::uint32_t>(i)}));
  return tokens;
}

std::set<std::int32_t> drawn(const SamplerOptions& options, const std::vector<float>& logits) {
  const auto tokens = draw(options, logits, 2000);
  return {tokens.begin(), tokens.end()};
}

// Draws often, and holds the count of every token against its probability, within 5 standard
// deviations of the binomial distribution. Tokens of probability 0 must not occur.
void expect_distribution(const SamplerOptions& options, const std::vector<float>& logits,
                         const std::vector<double>& probabilities) {
  constexpr int kDraws = 40'000;
  std::vector<int> counts(logits.size());
  for (const std::int32_t token : draw(options, logits, kDraws))
    ++counts.at(static_cast<std::size_t>(token));
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double p = probabilities[i];
    EXPECT_NEAR(counts[i], kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p))) << "token " << i;
  }
}

// Logits whose softmax is 0.4, 0.1, 0.3, 0.2.
std::vector<float> four() { return {std::log(4.0F), 0.0F, std::log(3.0F), std::log(2.0F)}; }

TEST(SamplerTest, DrawsInProportionToTheSoftmax) {
  expect_distribution({.seed = 1}, four(), {0.4, 0.1, 0.3, 0.2});
  // A constant that is added to all logits changes nothing, even where exp() of them overflows.
  std::vector<float> high = four();
  for (float& logit : high) logit += 1000;
  expect_distribution({.seed = 2}, high, {0.4, 0.1, 0.3, 0.2});
}

TEST(SamplerTest, TemperatureDividesTheLogits) {
  // Temperature 1/2 squares the probabilities: 16, 1, 9, 4 of 30.
  expect_distribution({.temperature = 0.5, .seed = 3}, four(),
                      {16. / 30, 1. / 30, 9. / 30, 4. / 30});
  // Temperature 2 takes their roots.
  const double sum = 2 + 1 + std::sqrt(3.0) + std::sqrt(2.0);
  expect_distribution({.temperature = 2, .seed = 4}, four(),
                      {2 / sum, 1 / sum, std::sqrt(3.0) / sum, std::sqrt(2.0) / sum});
  // At a very small temperature only the most likely token is left.
  EXPECT_EQ(drawn({.temperature = 1e-6, .seed = 5}, four()), (std::set<std::int32_t>{0}));
}

TEST(SamplerTest, TopKKeepsTheMostLikelyTokens) {
  for (const auto& [k, probabilities] :
       {std::pair(std::int64_t{1}, std::vector<double>{1, 0, 0, 0}),
        std::pair(std::int64_t{2}, std::vector<double>{4. / 7, 0, 3. / 7, 0}),
        std::pair(std::int64_t{3}, std::vector<double>{4. / 9, 0, 3. / 9, 2. / 9}),
        std::pair(std::int64_t{4}, std::vector<double>{0.4, 0.1, 0.3, 0.2}),
        std::pair(std::int64_t{1'000'000}, std::vector<double>{0.4, 0.1, 0.3, 0.2})}) {
    expect_distribution({.top_k = k, .seed = 6}, four(), probabilities);
  }
}

TEST(SamplerTest, TopPKeepsTheSmallestSetThatReachesIt) {
  for (const auto& [p, probabilities] :
       {std::pair(1e-9, std::vector<double>{1, 0, 0, 0}),
        std::pair(0.39, std::vector<double>{1, 0, 0, 0}),
        std::pair(0.41, std::vector<double>{4. / 7, 0, 3. / 7, 0}),
        std::pair(0.69, std::vector<double>{4. / 7, 0, 3. / 7, 0}),
        std::pair(0.71, std::vector<double>{4. / 9, 0, 3. / 9, 2. / 9}),
        std::pair(0.91, std::vector<double>{0.4, 0.1, 0.3, 0.2}),
        std::pair(1.0, std::vector<double>{0.4, 0.1, 0.3, 0.2})}) {
    expect_distribution({.top_p = p, .seed = 7}, four(), probabilities);
  }
}

// top_k cuts first; top_p then counts the probabilities among the tokens that are left.
// Against all tokens sorted at once: nuclei within the first block that is sorted, of several blocks, and of all tokens.
TEST(SamplerTest, TopPDrawsFromTheSortedTokensOfLargeVocabularies) {
  constexpr std::size_t kTokens = 3000;
  std::vector<float> logits(kTokens);
  for (std::size_t id = 0; id < kTokens; ++id)  // in a mixed order, every value twice
    logits[id] = -0.01F * static_cast<float>(id * 1237 % kTokens / 2);
  std::vector<std::int32_t> order(kTokens);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  for (const auto& [temperature, top_p] :
       {std::pair(0.1, 0.5), {1.0, 0.2}, {1.0, 0.95}, {9.0, 0.99}}) {
    double total = 0, kept = 0;
    std::vector<double> weights;
    for (const std::int32_t id : order) {
      weights.push_back(std::exp(logits[static_cast<std::size_t>(id)] / temperature));
      total += weights.back();
    }
    std::set<std::int32_t> nucleus;
    for (std::size_t i = 0; i < kTokens && kept < top_p * total; kept += weights[i++])
      nucleus.insert(order[i]);
    const SamplerOptions options{.temperature = temperature, .top_p = top_p, .seed = 5};
    const auto tokens = draw(options, logits, 1000);
    const std::set<std::int32_t> found(tokens.begin(), tokens.end());
    EXPECT_TRUE(std::includes(nucleus.begin(), nucleus.end(), found.begin(), found.end()))
        << top_p << ": a token outside of the nucleus of " << nucleus.size();
    // The tokens of the first half of the nucleus' probability are drawn half of the time.
    std::set<std::int32_t> first;
    double half = 0;
    for (std::size_t i = 0; half < kept / 2; half += weights[i++]) first.insert(order[i]);
    const auto of_first = std::count_if(tokens.begin(), tokens.end(),
                                        [&](std::int32_t id) { return first.contains(id); });
    EXPECT_NEAR(static_cast<double>(of_first) / 1000, half / kept, 0.08) << top_p;
  }
}

TEST(SamplerTest, TopPCountsWhatTopKLeft) {
  // Of 4/7 and 3/7 the first alone reaches 0.5, though it has 0.4 of all.
  expect_distribution({.top_k = 2, .top_p = 0.5, .seed = 8}, four(), {1, 0, 0, 0});
  expect_distribution({.top_k = 3, .top_p = 0.5, .seed = 8}, four(), {4. / 7, 0, 3. / 7, 0});
}

TEST(SamplerTest, GreedyTakesTheMostLikelyTokenWhateverTheSeed) {
  const std::vector<float> logits{-1, 3, 2.5, 3.5, 0};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<std::int32_t> greedy = draw({.temperature = 0, .seed = seed}, logits, 5);
    EXPECT_EQ(greedy, std::vector<std::int32_t>(5, 3));
    EXPECT_EQ(draw({.top_k = 1, .seed = seed}, logits, 5), greedy);
    EXPECT_EQ(draw({.top_p = 1e-12, .seed = seed}, logits, 5), greedy);
  }
}

// Of equal logits the smaller id counts as more likely.
TEST(SamplerTest, TiesGoToTheSmallerId) {
  const std::vector<float> logits{0, 2, 1, 2, 2, 1};
  EXPECT_EQ(drawn({.temperature = 0}, logits), (std::set<std::int32_t>{1}));
  EXPECT_EQ(drawn({.top_k = 1}, logits), (std::set<std::int32_t>{1}));
  EXPECT_EQ(drawn({.top_k = 2}, logits), (std::set<std::int32_t>{1, 3}));
  EXPECT_EQ(drawn({.top_k = 4}, logits), (std::set<std::int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(drawn({.top_p = 1e-9}, logits), (std::set<std::int32_t>{1}));
  // Equal tokens are drawn equally often.
  expect_distribution({.top_k = 3, .seed = 9}, logits, {0, 1. / 3, 0, 1. / 3, 1. / 3, 0});
}

TEST(SamplerTest, TheSeedDecidesTheSequence) {
  const std::vector<float> logits(64, 1.0F);
  const auto sequence = draw({.seed = 11}, logits, 50);
  EXPECT_EQ(draw({.seed = 11}, logits, 50), sequence);
  EXPECT_NE(draw({.seed = 12}, logits, 50), sequence);
  EXPECT_GT(std::set<std::int32_t>(sequence.begin(), sequence.end()).size(), 20U);
  // A draw depends on its number and its own logits only, not on other draws or their order.
  Sampler sampler({.seed = 11});
  for (std::uint32_t i = 50; i-- > 0;) {
    (void)sampler.draw(four(), {.prompt = 1, .position = i});
    EXPECT_EQ(sampler.draw(logits, {.position = i}), sequence[i]) << i;
  }
}

TEST(SamplerTest, PromptsHaveSequencesOfTheirOwn) {
  const std::vector<float> logits(64, 1.0F);
  const auto of_prompt = [&](std::uint32_t prompt) {
    Sampler sampler({.seed = 11});
    std::vector<std::int32_t> tokens;
    for (std::uint32_t i = 0; i < 50; ++i) tokens.push_back(sampler.draw(logits, {prompt, i}));
    return tokens;
  };
  EXPECT_NE(of_prompt(0), of_prompt(1));
  EXPECT_EQ(of_prompt(7), of_prompt(7));
}

TEST(SamplerTest, AVocabularyOfOneTokenIsAlwaysThatToken) {
  EXPECT_EQ(drawn({}, {-5.0F}), (std::set<std::int32_t>{0}));
}

// A model that diverged must not look like one that writes nonsense.
TEST(SamplerTest, LogitsThatAreNotFiniteAreAnErrorThatNamesTheToken) {
  using Limits = std::numeric_limits<float>;
  for (const float bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    for (const double temperature : {0.0, 1.0}) {
      std::vector<float> logits(8, 1.0F);
      logits[5] = bad;
      Sampler sampler({.temperature = temperature});
      try {
        (void)sampler.draw(logits, {});
        ADD_FAILURE() << "drawn from " << bad;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::failed);
        EXPECT_NE(std::string(error.what()).find("token 5"), std::string::npos) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace megascale::generate
