#include "megascale/tasks/run_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generate/small_model.h"
#include "megascale/base/error.h"
#include "megascale/generate/log_probabilities.h"
#include "megascale/tasks/scorer.h"

namespace megascale::tasks {
namespace {

using ::testing::HasSubstr;
using testing::random_tokens;
using testing::small_model;

constexpr model::DecodeShape kOne{.tokens = 128, .last_rows = 128};

// Some documents with several requests each: common beginnings, and none.
std::vector<RequestGroup> groups() {
  std::vector<RequestGroup> all;
  for (const std::size_t length : {3U, 60U, 64U, 100U, 300U}) {
    const auto context = random_tokens(length, "context" + std::to_string(length));
    RequestGroup group;
    for (const std::size_t more : {1U, 4U, 1U, 90U}) {
      const auto rest = random_tokens(more, "rest" + std::to_string(length + more));
      group.push_back(pair_request({.context = context, .continuation = rest}, 350));
    }
    all.push_back(group);
  }
  all.emplace_back();
  return all;
}

TEST(ScorerTest, ScoresAreSumsOfLogProbabilitiesOfSingleTokens) {
  const auto model = small_model(kOne, 350);
  const auto all = groups();
  const auto scores = score(*model, all);
  ASSERT_EQ(scores.size(), all.size());
  for (std::size_t g = 0; g < all.size(); ++g) {
    ASSERT_EQ(scores[g].size(), all[g].size());
    for (std::size_t r = 0; r < all[g].size(); ++r) {
      const auto& [inputs, targets] = all[g][r];
      model->keep(0, 0);
      double sum = 0;
      bool greedy = true;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto logits = model->feed(std::span(inputs).subspan(i, 1));
        if (i + targets.size() < inputs.size()) continue;
        const std::int32_t target = targets[i + targets.size() - inputs.size()];
        sum += generate::log_probability(logits, target);
        greedy = greedy && generate::most_likely(logits, 1)[0].token == target;
      }
      EXPECT_NEAR(scores[g][r].log_likelihood, sum, 2e-4 * std::abs(sum)) << g << ", " << r;
      EXPECT_EQ(scores[g][r].is_greedy, greedy);
    }
  }
}

// All targets have to be the most likely tokens, not only the last of them.
TEST(ScorerTest, GreedyMeansEveryTarget) {
  const auto model = small_model(kOne, 350);
  const auto context = random_tokens(20, "context");
  // Returns `first` and the most likely tokens behind it, three in all.
  const auto continued = [&](std::int32_t first) {
    std::vector<std::int32_t> tokens{first};
    model->keep(0, 0);
    (void)model->feed(context);
    while (tokens.size() < 3)
      tokens.push_back(generate::most_likely(model->feed(std::span(tokens).last(1)), 1)[0].token);
    return tokens;
  };
  model->keep(0, 0);
  const auto likely = generate::most_likely(model->feed(context), 2);
  RequestGroup group;
  for (const auto& one : likely)
    group.push_back(pair_request({.context = context, .continuation = continued(one.token)}, 350));
  group.push_back(group[0]);
  group.back().targets.back() = (group[0].targets.back() + 1) % 256;
  const auto scores = score(*model, std::vector<RequestGroup>{group})[0];
  EXPECT_TRUE(scores[0].is_greedy);
  EXPECT_FALSE(scores[1].is_greedy) << "the first is not the most likely";
  EXPECT_FALSE(scores[2].is_greedy) << "the last is not the most likely";
}

TEST(ScorerTest, ScoresDoNotDependOnTheBatch) {
  const auto all = groups();
  const auto alone = score(*small_model(kOne, 350), all);
  for (const std::int64_t sequences : {2, 5, 8}) {
    const auto batch =
        score(*small_model({.sequences = sequences, .tokens = 128, .last_rows = 128}, 350), all);
    for (std::size_t g = 0; g < all.size(); ++g) {
      for (std::size_t r = 0; r < all[g].size(); ++r)
        EXPECT_EQ(batch[g][r].log_likelihood, alone[g][r].log_likelihood) << g << ", " << r;
    }
  }
}

Task task_of(const std::string& text, const std::string& file = "t.jsonl") {
  return parse_task(text, file);
}

const char* const kChoices =
    "{\"context\": \"one\", \"choices\": [\"x\", \"y\"], \"answer\": 0}\n"
    "{\"context\": \"two\", \"choices\": [\"x\", \"y\"], \"answer\": 1}\n"
    "{\"context\": \"three\", \"choices\": [\"x\", \"y\"], \"answer\": 1}\n";

TEST(RunTaskTest, ExamplesStandBeforeTheContext) {
  const Task task = task_of(kChoices), others = task_of(kChoices, "others.jsonl");
  TaskOptions options{.num_fewshot = 2, .examples = &others};
  EXPECT_EQ(fewshot_text(task, task.documents[0], options), "one x\n\ntwo y\n\n");
  // A document is no example of itself.
  options.examples = &task;
  EXPECT_EQ(fewshot_text(task, task.documents[0], options), "two y\n\nthree y\n\n");
  options.num_fewshot = 3;
  EXPECT_THROW((void)fewshot_text(task, task.documents[0], options), Error);
}

TEST(RunTaskTest, AnExampleChangesTheScoreAndALimitTheNumber) {
  const auto model = small_model(kOne, 350);
  const ByteTokenizer bytes;
  const Task task = task_of(
      "{\"context\": \"one\", \"continuation\": \" two\"}\n"
      "{\"context\": \"three\", \"continuation\": \" four\"}\n");
  TaskOptions options{.vocabulary = 256};
  const TaskResult none = run_task(*model, bytes, task, options);
  options.num_fewshot = 1;
  options.examples = &task;
  const TaskResult one = run_task(*model, bytes, task, options);
  EXPECT_NE(none.metrics[1].value, one.metrics[1].value);
  options.limit = 1;
  std::size_t done = 0;
  const TaskResult first = run_task(*model, bytes, task, options, [&] { ++done; });
  EXPECT_EQ(done, 1U);
  EXPECT_EQ(first.used, 1U);
  EXPECT_EQ(first.documents, 2U);
}

TEST(RunTaskTest, MistakesNameFileAndLine) {
  const auto model = small_model(kOne, 20);
  const ByteTokenizer bytes;
  const Task task = task_of(
      "{\"context\": \"one\", \"continuation\": \"two\"}\n"
      "{\"context\": \"one\", \"continuation\": \"more than the twenty bytes\"}\n");
  try {
    (void)run_task(*model, bytes, task, {.vocabulary = 256});
    ADD_FAILURE() << "it does not fit";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(),
                HasSubstr("t.jsonl:2: expected at most 20 tokens behind the context"));
  }
  const Task choices = task_of(kChoices);
  try {
    (void)run_task(*model, bytes, task,
                   {.num_fewshot = 1, .examples = &choices, .vocabulary = 256});
    ADD_FAILURE() << "examples of another kind";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("expected examples of the kind continuation"));
  }
  try {
    (void)run_task(*model, bytes, task, {.vocabulary = 100});
    ADD_FAILURE() << "ids that the model does not have";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("t.jsonl:1: expected token ids below 100"));
  }
}

}  // namespace
}  // namespace megascale::tasks
