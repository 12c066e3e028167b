#include "megascale/data/chat/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"

namespace megascale::chat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string problem_of(const std::string& line) {
  try {
    (void)parse_conversation(line);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    return error.message();
  }
  return "no error";
}

TEST(ConversationTest, MessagesKeepTheirOrderAndTheAssistantIsLearned) {
  const auto conversation = parse_conversation(
      R"({"id": 7, "messages": [{"role": "system", "content": "Be brief."},
          {"role": "user", "content": "Name?", "name": "x"},
          {"role": "assistant", "content": " é\n", "weight": 1},
          {"content": "no", "role": "assistant", "weight": 0, "tool_calls": null}]})");
  EXPECT_THAT(
      conversation.messages,
      ElementsAre(Message{Role::system, "Be brief.", false}, Message{Role::user, "Name?", false},
                  Message{Role::assistant, " é\n", true}, Message{Role::assistant, "no", false}));
}

TEST(ConversationTest, APromptAndItsCompletionAreTwoMessages) {
  EXPECT_THAT(
      parse_conversation(R"({"completion": "4", "prompt": "2 + 2 = "})").messages,
      ElementsAre(Message{Role::user, "2 + 2 = ", false}, Message{Role::assistant, "4", true}));
}

TEST(PreferenceTest, ThePromptIsInBothAndOnlyAnswersAreLearned) {
  const Message question{Role::user, "2 + 2?", false}, four{Role::assistant, "4", true},
      five{Role::assistant, "5", true};
  const Preference expected{.chosen = {{question, four}}, .rejected = {{question, five}}};
  for (
      const char* line :
      {R"({"prompt": "2 + 2?", "chosen": "4", "rejected": "5", "score": 1})",
       R"({"prompt": [{"role": "user", "content": "2 + 2?"}], "rejected": "5",
            "chosen": [{"role": "assistant", "content": "4"}]})",
       R"({"chosen": [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}],
            "rejected": [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "5"}]})"})
    EXPECT_EQ(parse_preference(line), expected) << line;
  // What the assistant says in the prompt is not learned, whether the prompt stands apart or not.
  const std::string turns =
      R"({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"},
         {"role": "user", "content": "2 + 2?"})";
  const auto long_prompt = parse_preference(
      R"({"chosen": [)" + turns + R"(, {"role": "assistant", "content": "4"}], "rejected": [)" +
      turns + R"(, {"role": "assistant", "content": "5"}, {"role": "user", "content": "No."}]})");
  const Message hi{Role::user, "Hi", false}, hello{Role::assistant, "Hello", false};
  EXPECT_THAT(long_prompt.chosen.messages, ElementsAre(hi, hello, question, four));
  EXPECT_THAT(long_prompt.rejected.messages,
              ElementsAre(hi, hello, question, five, Message{Role::user, "No.", false}));
  EXPECT_EQ(
      parse_preference(R"({"prompt": [)" + turns + R"(], "chosen": "4", "rejected": "5"})").chosen,
      long_prompt.chosen);
}

TEST(PreferenceTest, MistakesAreNamed) {
  const auto problem_of = [](const std::string& line) -> std::string {
    try {
      (void)parse_preference(line);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      return error.message();
    }
    return "no error";
  };
  EXPECT_EQ(problem_of(R"({"prompt": "a", "chosen": "b"})"),
            R"(expected the key "rejected", found "chosen", "prompt")");
  EXPECT_EQ(problem_of(R"({"prompt": "a", "chosen": "b", "rejected": 3})"),
            R"("rejected": expected text, found 3)");
  EXPECT_EQ(
      problem_of(R"({"chosen": "b", "rejected": "c"})"),
      R"(expected the key "prompt", or lists of messages under "chosen" and "rejected", found )"
      R"("chosen", "rejected")");
  EXPECT_EQ(problem_of(
                R"({"prompt": "a", "chosen": "b", "rejected": [{"role": "bot", "content": "c"}]})"),
            R"("rejected"[0]: "role": expected "system", "user" or "assistant", found "bot")");
  EXPECT_THAT(
      problem_of(
          R"({"prompt": "a", "chosen": "b", "rejected": [{"role": "user", "content": "c"}]})"),
      HasSubstr("\"rejected\": expected a message of \"assistant\""));
  // Equal conversations are all prompt: there is nothing to prefer.
  const std::string same =
      R"([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])";
  EXPECT_THAT(problem_of(R"({"chosen": )" + same + R"(, "rejected": )" + same + "}"),
              HasSubstr("there is nothing to learn"));
}

// Goal: every mistake is named with its place, what was expected and what was found.
TEST(ConversationTest, MistakesAreNamed) {
  const auto message = [](const std::string& text) {
    return problem_of(R"({"messages": [{"role": "user", "content": "a"}, )" + text + "]}");
  };
  EXPECT_EQ(problem_of(R"({"text": "a", "id": 1})"),
            R"(expected the key "messages", or "prompt" and "completion", found "id", "text")");
  EXPECT_EQ(problem_of("{}"),
            R"(expected the key "messages", or "prompt" and "completion", found no key)");
  EXPECT_EQ(problem_of(R"({"messages": "a"})"),
            R"("messages": expected a list of messages, found "a")");
  EXPECT_EQ(problem_of(R"({"messages": []})"),
            R"("messages": expected a message of "assistant" without "weight": 0, found none: )"
            "there is nothing to learn");
  EXPECT_THAT(message(R"({"role": "assistant", "content": "b", "weight": 0})"),
              HasSubstr("there is nothing to learn"));
  EXPECT_EQ(message("3"),
            R"("messages"[1]: expected an object with "role" and "content", found 3)");
  EXPECT_EQ(message(R"({"role": "assistant", "text": "b"})"),
            R"("messages"[1]: expected the key "content", found "role", "text")");
  EXPECT_EQ(message(R"({"from": "gpt", "content": "b"})"),
            R"("messages"[1]: expected the key "role", found "content", "from")");
  EXPECT_EQ(message(R"({"role": "bot", "content": "b"})"),
            R"("messages"[1]: "role": expected "system", "user" or "assistant", found "bot")");
  EXPECT_EQ(message(R"({"role": "assistant", "content": null})"),
            R"("messages"[1]: "content": expected text, found null)");
  EXPECT_EQ(message(R"({"role": "assistant", "content": ""})"),
            R"("messages"[1]: "content": expected text, found "")");
  EXPECT_EQ(message(R"({"role": "assistant", "content": " \n\u00a0"})"),
            R"("messages"[1]: "content": expected text, found white space only)");
  EXPECT_EQ(message(R"({"role": "assistant", "content": "b", "weight": 0.5})"),
            R"("messages"[1]: "weight": expected 0 or 1, found 0.5)");
  EXPECT_THAT(message(R"({"role": "assistant", "content": "b", "tool_calls": [{}]})"),
              HasSubstr(R"("messages"[1]: expected text only, found "tool_calls")"));
  EXPECT_EQ(problem_of(R"({"prompt": "a"})"), R"(expected the key "completion", found "prompt")");
  EXPECT_EQ(problem_of(R"({"prompt": ["a"], "completion": "b"})"),
            R"("prompt": expected text, found ["a"])");
  EXPECT_THAT(problem_of(R"({"prompt": "a", "completion": "b", "messages": []})"),
              HasSubstr("found both"));
  EXPECT_EQ(problem_of("{\"prompt\": \"\xff\"}"),
            "in the line: byte 12: expected UTF-8, found 0xFF");
  EXPECT_THAT(problem_of(R"({"prompt": "\ud800"})"), HasSubstr("expected JSON"));
  EXPECT_EQ(problem_of("[1]"), "expected a JSON object, found array");
}

}  // namespace
}  // namespace megascale::chat
