#ifndef MEGASCALE_DATA_CHAT_CHAT_TEMPLATE_H_
#define MEGASCALE_DATA_CHAT_CHAT_TEMPLATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/data/chat/conversation.h"

// Chat templates write a conversation as one text, with special tokens around the turns. Each
// family of models has learnt one of them; a fine-tuning uses that of its model.
namespace megascale::chat {

enum class ChatTemplate : std::uint8_t {
  chatml,   // <|im_start|>ROLE\n...<|im_end|>\n   (OpenAI's ChatML; Qwen, SmolLM, OLMo, and others)
  llama3,   // <|start_header_id|>ROLE<|end_header_id|>\n\n...<|eot_id|>   (Llama 3 Instruct)
  mistral,  // <s> [INST] ... [/INST] ...</s>   (Mistral 7B Instruct v0.1 and v0.2)
  gemma,    // <start_of_turn>ROLE\n...<end_of_turn>\n   (Gemma 1 to 3; system as Gemma 3 has it)
  plain,    // a prompt, its completion, and the tokenizer's end of a document; no other token
};
inline constexpr std::array<std::string_view, 5> kChatTemplateNames{"chatml", "llama-3", "mistral",
                                                                    "gemma", "plain"};
[[nodiscard]] constexpr std::string_view to_string(ChatTemplate name) noexcept {
  return kChatTemplateNames[static_cast<std::size_t>(name)];
}
// Returns nothing for a name that is not in kChatTemplateNames.
[[nodiscard]] std::optional<ChatTemplate> chat_template_named(std::string_view name) noexcept;

// A run of text of a rendered conversation, or one special token.
struct ChatPiece {
  std::string text;         // of a special token as well; empty: the tokenizer's end of a document
  bool is_special = false;  // one token, whatever the tokenizer makes of the text
  bool is_learned = false;  // the loss counts its tokens
  std::size_t message = 0;  // whose content it holds, or to which it leads
};

// Renders a conversation. Neighbouring texts that are both learned, or both not, are one piece. The
// header of the assistant's turn is a piece of its own: a model that answers gets exactly these
// tokens first. Learned are the contents of learned messages and the special token that ends their
// turn. Throws Error (bad_input), which names the message, if the template does not allow its role
// there: mistral and gemma alternate user and assistant, after a system message at most; plain has
// one message of the user and one of the assistant.
[[nodiscard]] std::vector<ChatPiece> render(const Conversation& conversation, ChatTemplate name);

// Returns the text of a rendered conversation. The end of a document has no text.
[[nodiscard]] std::string text_of(const std::vector<ChatPiece>& pieces);

// Returns the special tokens of a template; of plain none.
[[nodiscard]] std::vector<std::string_view> special_tokens(ChatTemplate name);

}  // namespace megascale::chat

#endif  // MEGASCALE_DATA_CHAT_CHAT_TEMPLATE_H_
