#include "megascale/tasks/task_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"

namespace megascale::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TaskFileTest, TheKeysDecideTheKind) {
  const Task choices = parse_task(
      "{\"query\": \"2+2=\", \"choices\": [\"3\", \"4\"], \"gold\": 1}\n\n"
      "{\"context\": \"\", \"choices\": [\"a\", \"b\", \"c\"], \"answer\": \"c\", \"id\": 7}",
      "some/dir/sums.jsonl");
  EXPECT_EQ(choices.name, "sums");
  EXPECT_EQ(choices.kind, TaskKind::multiple_choice);
  ASSERT_EQ(choices.documents.size(), 2U);
  EXPECT_EQ(choices.documents[0].context, "2+2=");
  EXPECT_THAT(choices.documents[0].choices, ElementsAre("3", "4"));
  EXPECT_EQ(choices.documents[0].gold, 1U);
  EXPECT_EQ(choices.documents[1].gold, 2U);
  EXPECT_EQ(choices.documents[1].line, 3U);
  const Task last = parse_task("{\"context\": \"the\", \"continuation\": \" end\"}", "last");
  EXPECT_EQ(last.kind, TaskKind::continuation);
  EXPECT_THAT(last.documents[0].choices, ElementsAre(" end"));
  const Task text = parse_task("{\"text\": \"words\"}", "text.jsonl");
  EXPECT_EQ(text.kind, TaskKind::perplexity);
  EXPECT_EQ(text.documents[0].context, "words");
}

TEST(TaskFileTest, MistakesNameFileAndLine) {
  const std::string good = R"({"context": "a", "choices": ["b", "c"], "answer": 0})"
                           "\n";
  for (const auto& [line, message] : std::vector<std::pair<std::string, std::string>>{
           {R"({"choices": ["b", "c"], "answer": 0})", "expected the key \"context\" or \"query\""},
           {R"({"context": 1, "choices": ["b", "c"], "answer": 0})", "\"context\": expected text"},
           {R"({"context": "a", "answer": 0})", "expected the key \"choices\""},
           {R"({"context": "a", "choices": "bc", "answer": 0})", "at least two texts"},
           {R"({"context": "a", "choices": ["b"], "answer": 0})", "at least two texts"},
           {R"({"context": "a", "choices": ["b", ""], "answer": 0})",
            "\"choices\"[1]: expected text, found \"\""},
           {R"({"context": "a", "choices": ["b", 3], "answer": 0})",
            "\"choices\"[1]: expected text"},
           {R"({"context": "a", "choices": ["b", "c"]})",
            "expected the key \"answer\" or \"gold\""},
           {R"({"context": "a", "choices": ["b", "c"], "answer": 2})",
            "expected the index of a choice, 0 to 1, found 2"},
           {R"({"context": "a", "choices": ["b", "c"], "answer": -1})", "0 to 1, found -1"},
           {R"({"context": "a", "choices": ["b", "c"], "answer": 18446744073709551615})", "0 to 1"},
           {R"({"context": "a", "choices": ["b", "c"], "answer": 0.5})", "0 to 1, found 0.5"},
           {R"({"context": "a", "choices": ["b", "c"], "answer": "d"})",
            "expected one of the choices or its index"},
           {R"({"text": "a"})", "expected the key \"context\""},
           {"[]", "expected a JSON object"},
           {"{", "expected JSON"},
           {"\xff", "expected UTF-8"}}) {
    try {
      (void)parse_task(good + "\n" + line, "t.jsonl");
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_THAT(error.message(), ::testing::StartsWith("t.jsonl:3: ")) << line;
      EXPECT_THAT(error.message(), HasSubstr(message));
    }
  }
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"\n", "t: expected a document on each line, found none"},
           {R"({"context": "a", "continuation": ""})", "t:1: \"continuation\": expected text"},
           {R"({"text": ""})", "t:1: \"text\": expected text, found \"\""},
           {R"({"question": "a"})", "t:1: expected \"choices\" (multiple choice)"}}) {
    try {
      (void)parse_task(text, "t");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace megascale::tasks
