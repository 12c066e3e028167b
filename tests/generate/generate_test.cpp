#include "megascale/generate/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "generate/small_model.h"
#include "megascale/engine/token_queue.h"

// Several prompts at once: each has the bits and the tokens that it has alone.
namespace megascale::generate {
namespace {

using testing::kLatentAttention;
using testing::random_tokens;
using testing::small_model;

// Prompts of very different lengths: single tokens, below and above a shared step, several steps.
std::vector<std::vector<std::int32_t>> prompts() {
  std::vector<std::vector<std::int32_t>> all;
  for (const std::size_t length : {1U, 63U, 5U, 64U, 65U, 600U, 2U, 130U, 30U})
    all.push_back(random_tokens(length, "prompt" + std::to_string(all.size())));
  return all;
}

// The logits of prompts and of some tokens behind each, by prompt, as bits.
std::vector<std::vector<float>> logits_of(engine::Inference& model,
                                          const std::vector<std::vector<std::int32_t>>& all,
                                          std::size_t more) {
  std::vector<std::vector<float>> logits(all.size());
  std::vector<std::size_t> fed(all.size());
  engine::TokenQueue queue(model);
  for (std::size_t i = 0; i < all.size(); ++i) {
    model.keep(i, 0);
    queue.add(i, all[i], 1);
  }
  while (queue.step([&](std::size_t i, std::size_t, std::span<const float> row) {
    logits[i].insert(logits[i].end(), row.begin(), row.end());
    // Texts end at different times.
    if (fed[i]++ < more + i) queue.add(i, {static_cast<std::int32_t>(fed[i] * 7 + i)}, 1);
  })) {
  }
  return logits;
}

TEST(TokenQueueTest, ASequenceHasTheBitsThatItHasAlone) {
  for (const char* type : {"llama", "gpt2", kLatentAttention}) {
    const auto all = prompts();
    const auto together =
        logits_of(*small_model({.sequences = 9, .last_rows = 9}, 700, type), all, 5);
    const auto one = small_model({}, 700, type);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto alone = logits_of(*one, {all[i]}, 5 + i);
      // The tokens behind a prompt depend on its number; only those of number 0 are the same.
      const std::size_t same = i == 0 ? alone[0].size() : 256;
      ASSERT_GE(together[i].size(), same);
      EXPECT_EQ(std::memcmp(together[i].data(), alone[0].data(), same * sizeof(float)), 0)
          << type << ", prompt " << i;
    }
  }
}

// Logits of many rows come in order, whatever the pieces.
TEST(TokenQueueTest, LogitsOfManyRowsAreThoseOfSingleTokens) {
  const auto tokens = random_tokens(150, "rows");
  for (const char* type : {"llama", kLatentAttention}) {
    for (const model::DecodeShape& shape : {model::DecodeShape{.tokens = 40, .last_rows = 40},
                                            model::DecodeShape{.last_rows = 100}}) {
      const auto model = small_model(shape, 700, type);
      engine::TokenQueue queue(*model);
      std::vector<std::vector<float>> rows;
      queue.add(0, tokens, 120);
      while (queue.step([&](std::size_t, std::size_t row, std::span<const float> logits) {
        EXPECT_EQ(row, rows.size());
        rows.emplace_back(logits.begin(), logits.end());
      })) {
      }
      ASSERT_EQ(rows.size(), 120U);
      model->keep(0, 0);
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto logits = model->feed(std::span(tokens).subspan(i, 1));
        if (i < 30) continue;
        for (std::size_t k = 0; k < logits.size(); ++k)
          ASSERT_NEAR(rows[i - 30][k], logits[k], 2e-3) << type << ", row " << i << ", token " << k;
      }
    }
  }
}

struct Texts {
  std::map<std::size_t, std::vector<std::int32_t>> tokens;
  std::map<std::size_t, FinishReason> reasons;
  std::vector<std::size_t> ends;
};

Texts generate_all(engine::Inference& model, const std::vector<std::vector<std::int32_t>>& all,
                   const GenerateOptions& options, std::int32_t last_token = 200) {
  Texts texts;
  generate(model, all, options,
           {.on_token =
                [&](std::size_t prompt, const NewToken& token) {
                  texts.tokens[prompt].push_back(token.id);
                  return token.id != last_token;
                },
            .on_end =
                [&](std::size_t prompt, FinishReason reason) {
                  texts.reasons[prompt] = reason;
                  texts.ends.push_back(prompt);
                }});
  return texts;
}

TEST(GenerateTest, TextsDoNotDependOnTheBatch) {
  const auto all = prompts();
  for (const auto& [type, options] : std::vector<std::pair<const char*, GenerateOptions>>{
           {"llama", {.sampler = {.temperature = 0}, .max_tokens = 40, .stop_token = 17}},
           {"llama", {.sampler = {.seed = 3}, .max_tokens = 40, .stop_token = 17}},
           {"llama", {.sampler = {.top_k = 20, .top_p = 0.9, .seed = 4}, .max_tokens = 40}},
           {kLatentAttention, {.sampler = {.seed = 3}, .max_tokens = 40, .stop_token = 17}}}) {
    const Texts alone = generate_all(*small_model({}, 700, type), all, options);
    ASSERT_EQ(alone.reasons.size(), all.size());
    for (const std::int64_t sequences : {2, 4, 9, 20}) {
      const Texts batch = generate_all(
          *small_model({.sequences = sequences, .last_rows = sequences}, 700, type), all, options);
      EXPECT_EQ(batch.tokens, alone.tokens) << type << ", " << sequences;
      EXPECT_EQ(batch.reasons, alone.reasons) << type << ", " << sequences;
      EXPECT_EQ(batch.ends.size(), all.size());
    }
  }
}

TEST(GenerateTest, AStopTokenAndTheListenerEndAText) {
  const auto model = small_model({});
  const std::vector<std::vector<std::int32_t>> all{random_tokens(9, "p")};
  GenerateOptions options{.sampler = {.temperature = 0}, .max_tokens = 20};
  const auto whole = generate_all(*model, all, options).tokens.at(0);
  ASSERT_EQ(whole.size(), 20U);
  const auto fourth = std::find(whole.begin(), whole.end(), whole[3]);
  const std::vector<std::int32_t> before(whole.begin(), fourth);
  options.stop_token = whole[3];
  const Texts stopped = generate_all(*model, all, options);
  EXPECT_EQ(stopped.tokens.at(0), before);
  EXPECT_EQ(stopped.reasons.at(0), FinishReason::stop);
  options.stop_token = -1;
  const Texts left = generate_all(*model, all, options, whole[3]);
  EXPECT_EQ(left.tokens.at(0), std::vector<std::int32_t>(whole.begin(), fourth + 1));
  EXPECT_EQ(left.reasons.at(0), FinishReason::stop);
}

// The context moves on when it is full, in each text by itself.
TEST(GenerateTest, TextsMayBeLongerThanTheContext) {
  std::vector<std::vector<std::int32_t>> all{random_tokens(1, "a"), random_tokens(39, "b"),
                                             random_tokens(80, "c")};
  const GenerateOptions options{.sampler = {.temperature = 0}, .max_tokens = 100};
  GenerateOptions slow = options;
  slow.use_cache = false;
  Texts alone;
  for (const char* type : {kLatentAttention, "llama"}) {
    const model::DecodeShape together{.sequences = 3, .last_rows = 3};
    alone = generate_all(*small_model({}, 40, type), all, options);
    EXPECT_EQ(generate_all(*small_model(together, 40, type), all, options).tokens, alone.tokens)
        << type;
    EXPECT_EQ(generate_all(*small_model(together, 40, type), all, slow).tokens, alone.tokens)
        << type;
  }
  // Of a prompt that is too long the end is used. When the context is full, its older half is dropped.
  const auto first_of = [&](std::vector<std::int32_t> prompt) {
    return generate_all(*small_model({}, 40), {std::move(prompt)}, options).tokens.at(0).at(0);
  };
  const std::vector<std::int32_t>& tokens = alone.tokens.at(2);
  EXPECT_EQ(first_of({all[2].end() - 40, all[2].end()}), tokens.at(0));
  std::vector<std::int32_t> newer(all[2].end() - 20, all[2].end());
  newer.push_back(tokens.at(0));
  EXPECT_EQ(first_of(newer), tokens.at(1));
}

TEST(GenerateTest, LogProbabilitiesAreThoseOfTheChosenTokens) {
  const auto model = small_model({});
  const auto prompt = random_tokens(9, "p");
  std::vector<NewToken> tokens;
  generate(*model, std::vector<std::vector<std::int32_t>>{prompt},
           {.sampler = {.seed = 1}, .max_tokens = 6, .log_probabilities = true, .most_likely = 3},
           {.on_token =
                [&](std::size_t, const NewToken& token) {
                  tokens.push_back(token);
                  return true;
                },
            .on_end = [](std::size_t,
                         FinishReason reason) { EXPECT_EQ(reason, FinishReason::length); }});
  ASSERT_EQ(tokens.size(), 6U);
  model->keep(0, 0);
  std::vector<std::int32_t> fed = prompt;
  for (const NewToken& token : tokens) {
    const auto logits = model->feed(fed);
    EXPECT_NEAR(token.log_probability, log_probability(logits, token.id), 1e-4);
    ASSERT_EQ(token.most_likely.size(), 3U);
    EXPECT_EQ(token.most_likely[0].token, most_likely(logits, 1)[0].token);
    fed = {token.id};
  }
}

TEST(GenerateTest, NoTokensAreAnEndToo) {
  const Texts none = generate_all(*small_model({}), prompts(), {.max_tokens = 0});
  EXPECT_EQ(none.ends.size(), prompts().size());
  EXPECT_TRUE(none.tokens.empty());
}

}  // namespace
}  // namespace megascale::generate
