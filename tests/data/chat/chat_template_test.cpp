#include "megascale/data/chat/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"

namespace megascale::chat {
namespace {

using ::testing::HasSubstr;

Conversation two_questions(bool has_system) {
  Conversation conversation;
  if (has_system) conversation.messages.push_back({Role::system, "Be brief.", false});
  conversation.messages.push_back({Role::user, " Who\nare you? ", false});
  conversation.messages.push_back({Role::assistant, "A model.\n", true});
  conversation.messages.push_back({Role::user, "Sure?", false});
  conversation.messages.push_back({Role::assistant, "Yes.", true});
  return conversation;
}

// The rendered text with the learned parts in ⟦ ⟧, and special tokens between ‹ ›.
std::string drawn(const Conversation& conversation, ChatTemplate name) {
  std::string text;
  for (const ChatPiece& piece : render(conversation, name)) {
    if (piece.is_learned) text += "⟦";
    text += piece.is_special ? "‹" + piece.text + "›" : piece.text;
    if (piece.is_learned) text += "⟧";
  }
  return text;
}

std::string problem_of(const Conversation& conversation, ChatTemplate name) {
  try {
    (void)render(conversation, name);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    return error.message();
  }
  return "no error";
}

TEST(ChatTemplateTest, ChatmlHasNoTokenBeforeTheFirstTurn) {
  EXPECT_EQ(drawn(two_questions(true), ChatTemplate::chatml),
            "‹<|im_start|>›system\nBe brief.‹<|im_end|>›\n"
            "‹<|im_start|>›user\n Who\nare you? ‹<|im_end|>›\n"
            "‹<|im_start|>›assistant\n⟦A model.\n⟧⟦‹<|im_end|>›⟧\n"
            "‹<|im_start|>›user\nSure?‹<|im_end|>›\n"
            "‹<|im_start|>›assistant\n⟦Yes.⟧⟦‹<|im_end|>›⟧\n");
}

TEST(ChatTemplateTest, Llama3TrimsContents) {
  EXPECT_EQ(drawn(two_questions(false), ChatTemplate::llama3),
            "‹<|begin_of_text|>›"
            "‹<|start_header_id|>›user‹<|end_header_id|>›\n\nWho\nare you?‹<|eot_id|>›"
            "‹<|start_header_id|>›assistant‹<|end_header_id|>›\n\n⟦A model.⟧⟦‹<|eot_id|>›⟧"
            "‹<|start_header_id|>›user‹<|end_header_id|>›\n\nSure?‹<|eot_id|>›"
            "‹<|start_header_id|>›assistant‹<|end_header_id|>›\n\n⟦Yes.⟧⟦‹<|eot_id|>›⟧");
}

TEST(ChatTemplateTest, MistralWritesTheSystemMessageBeforeTheFirstQuestion) {
  EXPECT_EQ(drawn(two_questions(true), ChatTemplate::mistral),
            "‹<s>› [INST] Be brief.\n\n Who\nare you?  [/INST]⟦ A model.\n⟧⟦‹</s>›⟧"
            " [INST] Sure? [/INST]⟦ Yes.⟧⟦‹</s>›⟧");
}

TEST(ChatTemplateTest, GemmaCallsTheAssistantModel) {
  EXPECT_EQ(drawn(two_questions(true), ChatTemplate::gemma),
            "‹<bos>›‹<start_of_turn>›user\nBe brief.\n\nWho\nare you?‹<end_of_turn>›\n"
            "‹<start_of_turn>›model\n⟦A model.⟧⟦‹<end_of_turn>›⟧\n"
            "‹<start_of_turn>›user\nSure?‹<end_of_turn>›\n"
            "‹<start_of_turn>›model\n⟦Yes.⟧⟦‹<end_of_turn>›⟧\n");
}

TEST(ChatTemplateTest, PlainAddsNothingButTheEndOfTheDocument) {
  const Conversation pair{{{Role::user, "2 + 2 =", false}, {Role::assistant, " 4", true}}};
  EXPECT_EQ(drawn(pair, ChatTemplate::plain), "2 + 2 =⟦ 4⟧⟦‹›⟧");
}

TEST(ChatTemplateTest, AMessageThatIsNotLearnedIsOneTextWithItsHeader) {
  Conversation conversation = two_questions(false);
  conversation.messages[1].is_learned = false;
  EXPECT_THAT(drawn(conversation, ChatTemplate::chatml),
              HasSubstr("‹<|im_start|>›assistant\nA model.\n‹<|im_end|>›\n"));
  const auto pieces = render(conversation, ChatTemplate::chatml);
  EXPECT_EQ(pieces[5].text, "assistant\nA model.\n");
  EXPECT_EQ(pieces[5].message, 1U);
}

TEST(ChatTemplateTest, RolesThatATemplateDoesNotAllowAreNamed) {
  Conversation conversation = two_questions(true);
  std::swap(conversation.messages[3], conversation.messages[2]);
  for (const ChatTemplate name : {ChatTemplate::mistral, ChatTemplate::gemma}) {
    EXPECT_EQ(problem_of(conversation, name),
              "\"messages\"[2]: \"role\": expected \"assistant\", since user and assistant "
              "alternate in the template " +
                  std::string(to_string(name)) + ", found \"user\"");
  }
  EXPECT_EQ(problem_of(conversation, ChatTemplate::chatml), "no error");
  EXPECT_EQ(problem_of(conversation, ChatTemplate::llama3), "no error");
  Conversation late = two_questions(false);
  late.messages.push_back({Role::system, "x", false});
  EXPECT_THAT(problem_of(late, ChatTemplate::gemma), HasSubstr("\"messages\"[4]"));
  EXPECT_THAT(problem_of(two_questions(false), ChatTemplate::plain),
              HasSubstr("\"messages\"[2]: \"role\": expected one message of \"user\" and one"));
  EXPECT_THAT(problem_of(two_questions(true), ChatTemplate::plain), HasSubstr("\"messages\"[0]"));
}

TEST(ChatTemplateTest, NamesAreReadBack) {
  for (std::size_t i = 0; i < kChatTemplateNames.size(); ++i)
    EXPECT_EQ(chat_template_named(kChatTemplateNames[i]), static_cast<ChatTemplate>(i));
  EXPECT_EQ(chat_template_named("llama"), std::nullopt);
}

}  // namespace
}  // namespace megascale::chat
