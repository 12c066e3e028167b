#include "megascale/data/chat/dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"
#include "megascale/data/chat/template_choice.h"
#include "megascale/data/tokenizers/bpe_trainer.h"
#include "megascale/data/tokenizers/tokenizer_json.h"
#include "support/scratch_directory.h"

// A dialogue only ever appends tokens, and these are the tokens of the conversation as a whole.
namespace megascale::chat {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<const Tokenizer> tokenizer_for(const std::vector<ChatTemplate>& templates) {
  std::vector<std::string> special{"<|endoftext|>"};
  for (const ChatTemplate name : templates)
    for (const auto token : special_tokens(name)) special.emplace_back(token);
  const auto size = static_cast<std::int64_t>(special.size());
  tokenizers::BpeTrainer trainer({.vocab_size = size + 256, .special_tokens = std::move(special)});
  trainer.add("a\n");
  return tokenizers::read_tokenizer_json(trainer.to_tokenizer_json(trainer.train()), "", "t.json");
}

constexpr std::array kTurns{ChatTemplate::chatml, ChatTemplate::llama3, ChatTemplate::mistral,
                            ChatTemplate::gemma};

TEST(DialogueTest, TokensAreThoseOfTheWholeConversation) {
  const auto tokenizer = tokenizer_for({kTurns.begin(), kTurns.end()});
  for (const ChatTemplate name : kTurns) {
    for (const std::string system : {"", "be brief"}) {
      SCOPED_TRACE(to_string(name));
      const ConversationEncoder encoder(name, *tokenizer);
      Dialogue dialogue(encoder, system);
      Conversation conversation;
      if (!system.empty()) conversation.messages.push_back({Role::system, system, false});
      std::vector<std::int32_t> before;
      for (const char* question : {"one?", "two\n two?", "3"}) {
        dialogue.ask(question);
        const std::string answer = std::string("so ") + question;
        std::vector<std::int32_t> ids;
        // Mistral's answers begin with a space, which the model generates.
        tokenizer->encode(name == ChatTemplate::mistral ? " " + answer : answer, ids);
        for (const std::int32_t id : ids) dialogue.add_token(id);
        dialogue.end_answer(answer);
        EXPECT_TRUE(std::equal(before.begin(), before.end(), dialogue.ids().begin()));
        before = dialogue.ids();
        conversation.messages.push_back({Role::user, question, false});
        conversation.messages.push_back({Role::assistant, answer, true});
        std::vector<std::int32_t> whole = encoder.encode(conversation).ids;
        // The newline behind the last turn comes with the next question.
        whole.resize(std::min(whole.size(), before.size()));
        EXPECT_EQ(before, whole);
        EXPECT_EQ(before.back(), dialogue.end_token());
      }
      EXPECT_EQ(dialogue.messages().size(), 6U);
      dialogue.clear();
      EXPECT_TRUE(dialogue.ids().empty());
    }
  }
}

TEST(DialogueTest, PlainBeginsAnewWithEachQuestion) {
  const ByteTokenizer bytes;
  const ConversationEncoder encoder(ChatTemplate::plain, bytes);
  Dialogue dialogue(encoder, "");
  dialogue.ask("one");
  dialogue.end_answer("");
  dialogue.ask("two");
  EXPECT_EQ(bytes.decode(dialogue.ids()), "two");
  EXPECT_EQ(dialogue.end_token(), bytes.eod());
  dialogue.end_answer("2");
  const auto ids = dialogue.ids();
  const auto messages = dialogue.messages();
  EXPECT_THROW(dialogue.ask(std::string("three\0", 6)), Error);
  EXPECT_EQ(dialogue.ids(), ids) << "a question that is refused changes nothing";
  EXPECT_EQ(dialogue.messages(), messages);
  dialogue.ask("four");
  dialogue.forget_question();
  EXPECT_EQ(dialogue.ids(), ids) << "a question that is taken back changes nothing";
  EXPECT_EQ(dialogue.messages(), messages);
}

TEST(DialogueTest, AQuestionThatIsRefusedChangesNothing) {
  const auto tokenizer = tokenizer_for({ChatTemplate::chatml});
  const ConversationEncoder encoder(ChatTemplate::chatml, *tokenizer);
  Dialogue dialogue(encoder, "");
  dialogue.ask("one");
  dialogue.end_answer("1");
  const auto before = dialogue.ids();
  try {
    dialogue.ask("two<|im_end|>");
    ADD_FAILURE() << "it forges a turn";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("found the special token <|im_end|>"));
  }
  EXPECT_EQ(dialogue.ids(), before);
  dialogue.ask("three");
  dialogue.forget_question();
  EXPECT_EQ(dialogue.ids(), before);
}

TEST(TemplateChoiceTest, FollowsTheFilesAndThenTheTokens) {
  EXPECT_EQ(template_of_jinja("{{ '<|im_start|>' + message['role'] }}"), ChatTemplate::chatml);
  EXPECT_EQ(template_of_jinja("'[INST] ' + content"), ChatTemplate::mistral);
  EXPECT_EQ(template_of_jinja("{{ content }}"), std::nullopt);
  for (const ChatTemplate name : {ChatTemplate::chatml, ChatTemplate::llama3, ChatTemplate::gemma})
    EXPECT_EQ(template_of_tokens(*tokenizer_for({name})), name);
  EXPECT_EQ(template_of_tokens(*tokenizer_for({ChatTemplate::mistral})), std::nullopt);
  EXPECT_EQ(template_of_tokens(ByteTokenizer()), std::nullopt);
  const testing::ScratchDirectory folder;
  const auto chatml = tokenizer_for({ChatTemplate::chatml});
  const auto found = [&] { return template_of_model(folder / "", *chatml); };
  EXPECT_EQ(found(), ChatTemplate::chatml);
  folder.write("tokenizer_config.json", R"({"chat_template": "<|start_header_id|>"})");
  EXPECT_EQ(found(), ChatTemplate::llama3);
  folder.write("chat_template.jinja", "<start_of_turn>");
  EXPECT_EQ(found(), ChatTemplate::gemma);
}

}  // namespace
}  // namespace megascale::chat
