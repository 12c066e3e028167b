#ifndef MEGASCALE_DATA_CHAT_CONVERSATION_ENCODER_H_
#define MEGASCALE_DATA_CHAT_CONVERSATION_ENCODER_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "megascale/data/chat/chat_template.h"
#include "megascale/data/tokenizer.h"

namespace megascale::chat {

// The tokens of a conversation, and for each of them whether the loss counts it (1) or not (0).
struct EncodedConversation {
  std::vector<std::int32_t> ids;
  std::vector<std::uint8_t> loss_mask;  // as long as ids
  std::int64_t text_nbytes = 0;         // of the rendered conversation
};

// Converts conversations to tokens. Pieces are encoded one by one, so a learned text begins with a
// token of its own, as it does when a model answers. Thread safety: immutable after construction.
class ConversationEncoder {
 public:
  // Looks up the template's special tokens. Throws Error (bad_input) that names those which the
  // tokenizer lacks. `tokenizer` must outlive the object.
  ConversationEncoder(ChatTemplate name, const Tokenizer& tokenizer);

  // Throws Error (bad_input): the errors of render(); a content that spells a special token of the
  // template or the end of a document, or that has a byte which the tokenizer reserves.
  [[nodiscard]] EncodedConversation encode(const Conversation& conversation) const;

  // Appends the ids of one piece of a rendered conversation, which begins if `ids` is empty. Throws the
  // same errors.
  void append(const ChatPiece& piece, std::vector<std::int32_t>& ids) const;

  [[nodiscard]] ChatTemplate name() const noexcept { return name_; }

 private:
  void encode_text(const ChatPiece& piece, std::vector<std::int32_t>& ids) const;

  ChatTemplate name_;
  const Tokenizer& tokenizer_;
  std::unordered_map<std::string, std::int32_t> specials_;  // "": the end of a document
  std::vector<std::int32_t> not_in_texts_;                  // ids that no content may have
};

}  // namespace megascale::chat

#endif  // MEGASCALE_DATA_CHAT_CONVERSATION_ENCODER_H_
