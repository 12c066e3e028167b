// The templates as functions. Sources: the field chat_template in the published
// tokenizer_config.json of Meta-Llama-3-8B-Instruct, Mistral-7B-Instruct-v0.2 and gemma-3-4b-it, and
// OpenAI's description of ChatML. tests/data/chat/compare renders them with npm's
// @huggingface/jinja and compares the texts.
#include "megascale/data/chat/chat_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/data/tokenizers/unicode.h"

namespace megascale::chat {
namespace {

// Returns the text without white space at both ends, as Jinja's filter `trim` does.
std::string trimmed(std::string_view text) {
  text.remove_prefix(tokenizers::leading_white_space(text));
  text.remove_suffix(tokenizers::trailing_white_space(text));
  return std::string(text);
}

// Collects the pieces of one conversation.
class PieceList {
 public:
  void next_message() noexcept { ++message_; }
  void text(std::string_view text, bool is_learned = false) {
    if (text.empty()) return;
    if (pieces_.empty() || pieces_.back().is_special || pieces_.back().is_learned != is_learned) {
      pieces_.push_back({.is_learned = is_learned, .message = message_});
    }
    pieces_.back().text += text;
    pieces_.back().message = message_;
  }
  void special(std::string_view token, bool is_learned = false) {
    pieces_.push_back({std::string(token), true, is_learned, message_});
  }
  [[nodiscard]] std::vector<ChatPiece> take() && { return std::move(pieces_); }

 private:
  std::vector<ChatPiece> pieces_;
  std::size_t message_ = 0;
};

Error wrong_role(ChatTemplate name, std::size_t message, std::string_view expected, Role found) {
  return {ErrorCode::bad_input,
          fmt::format("\"messages\"[{}]: \"role\": expected {} in the template {}, found \"{}\"",
                      message, expected, to_string(name), to_string(found))};
}

// Throws unless users and assistants alternate, the user first, after at most one system message.
// Returns the number of the first message behind the system's.
std::size_t require_alternation(const Conversation& conversation, ChatTemplate name) {
  const auto& messages = conversation.messages;
  const std::size_t first = messages.front().role == Role::system ? 1 : 0;
  for (std::size_t i = first; i < messages.size(); ++i) {
    const Role expected = (i - first) % 2 == 0 ? Role::user : Role::assistant;
    if (messages[i].role == expected) continue;
    throw wrong_role(name, i,
                     fmt::format("\"{}\", since user and assistant alternate", to_string(expected)),
                     messages[i].role);
  }
  return first;
}

// The system message as the beginning of the user's first one.
std::string before_first_user(const Conversation& conversation, std::size_t first) {
  return first == 0 ? "" : conversation.messages.front().content + "\n\n";
}

void render_chatml(const Conversation& conversation, PieceList& pieces) {
  for (const Message& message : conversation.messages) {
    pieces.special("<|im_start|>");
    pieces.text(fmt::format("{}\n", to_string(message.role)));
    pieces.text(message.content, message.is_learned);
    pieces.special("<|im_end|>", message.is_learned);
    pieces.text("\n");
    pieces.next_message();
  }
}

void render_llama3(const Conversation& conversation, PieceList& pieces) {
  pieces.special("<|begin_of_text|>");
  for (const Message& message : conversation.messages) {
    pieces.special("<|start_header_id|>");
    pieces.text(to_string(message.role));
    pieces.special("<|end_header_id|>");
    pieces.text("\n\n");
    pieces.text(trimmed(message.content), message.is_learned);
    pieces.special("<|eot_id|>", message.is_learned);
    pieces.next_message();
  }
}

void render_mistral(const Conversation& conversation, PieceList& pieces) {
  const std::size_t first = require_alternation(conversation, ChatTemplate::mistral);
  std::string before = before_first_user(conversation, first);
  pieces.special("<s>");
  for (std::size_t i = 0; i < conversation.messages.size(); ++i, pieces.next_message()) {
    const Message& message = conversation.messages[i];
    if (message.role == Role::user) {
      pieces.text(fmt::format(" [INST] {}{} [/INST]", std::exchange(before, ""), message.content));
    } else if (message.role == Role::assistant) {
      pieces.text(fmt::format(" {}", message.content), message.is_learned);
      pieces.special("</s>", message.is_learned);
    }
  }
}

void render_gemma(const Conversation& conversation, PieceList& pieces) {
  const std::size_t first = require_alternation(conversation, ChatTemplate::gemma);
  std::string before = before_first_user(conversation, first);
  pieces.special("<bos>");
  for (std::size_t i = 0; i < conversation.messages.size(); ++i, pieces.next_message()) {
    const Message& message = conversation.messages[i];
    if (message.role == Role::system) continue;
    pieces.special("<start_of_turn>");
    pieces.text(message.role == Role::user ? "user\n" : "model\n");
    pieces.text(std::exchange(before, "") + trimmed(message.content), message.is_learned);
    pieces.special("<end_of_turn>", message.is_learned);
    pieces.text("\n");
  }
}

void render_plain(const Conversation& conversation, PieceList& pieces) {
  constexpr std::size_t kMessages = 2;
  for (std::size_t i = 0; i < conversation.messages.size(); ++i, pieces.next_message()) {
    const Message& message = conversation.messages[i];
    const Role role = i == 0 ? Role::user : Role::assistant;
    if (i >= kMessages || message.role != role) {
      throw wrong_role(ChatTemplate::plain, i,
                       "one message of \"user\" and one of \"assistant\" (a prompt and its "
                       "completion)",
                       message.role);
    }
    pieces.text(message.content, message.is_learned);
    if (role == Role::assistant) pieces.special("", message.is_learned);
  }
}

}  // namespace

std::optional<ChatTemplate> chat_template_named(std::string_view name) noexcept {
  const auto found = std::find(kChatTemplateNames.begin(), kChatTemplateNames.end(), name);
  if (found == kChatTemplateNames.end()) return std::nullopt;
  return static_cast<ChatTemplate>(found - kChatTemplateNames.begin());
}

std::vector<ChatPiece> render(const Conversation& conversation, ChatTemplate name) {
  MEGASCALE_CHECK(!conversation.messages.empty(), "a conversation has messages");
  PieceList pieces;
  switch (name) {
    case ChatTemplate::chatml:
      render_chatml(conversation, pieces);
      break;
    case ChatTemplate::llama3:
      render_llama3(conversation, pieces);
      break;
    case ChatTemplate::mistral:
      render_mistral(conversation, pieces);
      break;
    case ChatTemplate::gemma:
      render_gemma(conversation, pieces);
      break;
    case ChatTemplate::plain:
      render_plain(conversation, pieces);
      break;
  }
  return std::move(pieces).take();
}

std::string text_of(const std::vector<ChatPiece>& pieces) {
  std::string text;
  for (const ChatPiece& piece : pieces) text += piece.text;
  return text;
}

std::vector<std::string_view> special_tokens(ChatTemplate name) {
  switch (name) {
    case ChatTemplate::chatml:
      return {"<|im_start|>", "<|im_end|>"};
    case ChatTemplate::llama3:
      return {"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"};
    case ChatTemplate::mistral:
      return {"<s>", "</s>"};
    case ChatTemplate::gemma:
      return {"<bos>", "<start_of_turn>", "<end_of_turn>"};
    case ChatTemplate::plain:
      break;
  }
  return {};
}

}  // namespace megascale::chat
