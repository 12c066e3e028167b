#include "megascale/generate/chat_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "generate/small_model.h"
#include "megascale/base/error.h"

namespace megascale::generate {
namespace {

using ::testing::HasSubstr;
using testing::small_model;

class ChatSessionTest : public ::testing::Test {
 protected:
  std::string ask(ChatSession& session, const std::string& question, AnswerEnd expected,
                  int most = 1000) {
    std::string text;
    int left = most;
    EXPECT_EQ(
        session.answer(
            question, [&](std::string_view part) { text += part; }, [&] { return left-- == 0; }),
        expected);
    return text;
  }
  const ByteTokenizer bytes{};
  const chat::ConversationEncoder encoder{chat::ChatTemplate::plain, bytes};
};

TEST_F(ChatSessionTest, AnswersEndForFourReasons) {
  const auto model = small_model({}, 60);
  ChatOptions options{.sampler = {.temperature = 0}, .max_tokens = 5};
  ChatSession session(*model, bytes, encoder, options);
  (void)ask(session, "question", AnswerEnd::length);
  EXPECT_EQ(session.dialogue().ids().size(), 8U + 5 + 1);
  (void)ask(session, "question", AnswerEnd::interrupted, 3);
  EXPECT_EQ(session.dialogue().ids().size(), 8U + 3 + 1);
  const std::string again = ask(session, "question", AnswerEnd::length);
  // Makes the first token of the answer the one that ends a document.
  options.end_of_document = session.dialogue().ids()[8];
  ChatSession stopped(*model, bytes, encoder, options);
  EXPECT_EQ(ask(stopped, "question", AnswerEnd::turn), "");
  options = {.sampler = {.temperature = 0}};
  ChatSession full(*model, bytes, encoder, options);
  (void)ask(full, "question", AnswerEnd::context);
  EXPECT_EQ(full.dialogue().ids().size(), 60U);
}

TEST_F(ChatSessionTest, AQuestionThatDoesNotFitChangesNothing) {
  const auto model = small_model({}, 60);
  ChatSession session(*model, bytes, encoder, {.sampler = {.temperature = 0}, .max_tokens = 4});
  const std::string first = ask(session, "question", AnswerEnd::length);
  try {
    (void)ask(session, std::string(59, 'x'), AnswerEnd::turn);
    ADD_FAILURE() << "it has no room";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("would have 61 tokens, and the context of the model "
                                           "holds 60"));
  }
  EXPECT_EQ(session.dialogue().messages().size(), 2U) << "the question is taken back";
  EXPECT_EQ(ask(session, "question", AnswerEnd::length), first);
}

// Random logits: sooner or later one of the 256 tokens is the one that ends a turn.
TEST_F(ChatSessionTest, TheTokenThatEndsATurnEndsTheAnswer) {
  const auto model = small_model({});
  ChatSession session(*model, bytes, encoder, {.sampler = {.temperature = 100, .seed = 1}});
  const std::string text = ask(session, "question", AnswerEnd::turn);
  EXPECT_GT(text.size(), 0U);
  EXPECT_EQ(text.find('\0'), std::string::npos);
}

// Goal: no byte of an answer is lost, also if it is cut within a character.  Method: answers of all lengths.
TEST_F(ChatSessionTest, TheTextIsThatOfTheTokens) {
  const auto model = small_model({}, 60);
  for (int length = 1; length < 30; ++length) {
    ChatSession session(*model, bytes, encoder, {.sampler = {.temperature = 0}});
    const std::string text = ask(session, "question", AnswerEnd::interrupted, length);
    const auto ids = std::span(session.dialogue().ids()).subspan(8);
    EXPECT_EQ(text, bytes.decode(ids.first(static_cast<std::size_t>(length)))) << length;
  }
}

TEST_F(ChatSessionTest, TurnsAreDrawnAnewAndAClearedSessionRepeatsThem) {
  for (const char* type : {"llama", testing::kLatentAttention}) {
    const auto model = small_model({}, 60, type);
    ChatSession session(*model, bytes, encoder, {.sampler = {.seed = 3}, .max_tokens = 9});
    const std::string first = ask(session, "question", AnswerEnd::length);
    const std::string second = ask(session, "question", AnswerEnd::length);
    EXPECT_NE(second, first) << type;
    session.clear();
    EXPECT_TRUE(session.dialogue().messages().empty());
    EXPECT_EQ(ask(session, "question", AnswerEnd::length), first) << type;
    EXPECT_EQ(ask(session, "question", AnswerEnd::length), second) << type;
  }
}

// The second question is read behind the tokens that are kept: the next token is that of the whole dialogue.
TEST_F(ChatSessionTest, AnAnswerContinuesWhatIsKept) {
  for (const char* type : {"llama", testing::kLatentAttention}) {
    const auto model = small_model({}, 60, type), other = small_model({}, 60, type);
    ChatSession session(*model, bytes, encoder, {.sampler = {.temperature = 0}, .max_tokens = 5});
    (void)ask(session, "question", AnswerEnd::length);
    (void)ask(session, "question", AnswerEnd::length);
    const std::vector<std::int32_t> ids(session.dialogue().ids().begin(),
                                        session.dialogue().ids().end());
    for (std::size_t at = ids.size() - 6; at + 1 < ids.size(); ++at) {
      other->keep(0, 0);
      const auto logits = other->feed(std::span(ids).first(at));
      EXPECT_EQ(std::ranges::max_element(logits) - logits.begin(), ids[at]) << type << ", " << at;
    }
  }
}

}  // namespace
}  // namespace megascale::generate
