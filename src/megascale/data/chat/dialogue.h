#ifndef MEGASCALE_DATA_CHAT_DIALOGUE_H_
#define MEGASCALE_DATA_CHAT_DIALOGUE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "megascale/data/chat/conversation_encoder.h"

namespace megascale::chat {

// A conversation with a model: questions of the user and answers of the model, as the tokens that the
// model sees. Tokens are only ever appended, so a model can keep the keys and values of those before.
// The template plain has no turns: each of its questions begins a new conversation. One thread at a
// time.
class Dialogue {
 public:
  // `system` is the text of the system message; empty: none. `encoder` must outlive the object.
  Dialogue(const ConversationEncoder& encoder, std::string system)
      : encoder_(encoder), system_(std::move(system)) {}

  // Appends a question, and the beginning of the answer's turn. Throws Error (bad_input), and changes
  // nothing, if the template does not allow the message or its content spells a special token.
  void ask(const std::string& question);
  // Takes the last question back; no answer may have been given.
  void forget_question();
  // Appends a token of the answer.
  void add_token(std::int32_t token) { ids_.push_back(token); }
  // Ends the answer, whose text is `text`: appends the token that ends its turn.
  void end_answer(const std::string& text);
  // Begins anew.
  void clear();

  // All tokens so far.
  [[nodiscard]] const std::vector<std::int32_t>& ids() const noexcept { return ids_; }
  // The token with which the model ends its turn. Valid after ask().
  [[nodiscard]] std::int32_t end_token() const noexcept { return end_token_; }
  // Questions and answers, without the system message.
  [[nodiscard]] const std::vector<Message>& messages() const noexcept { return messages_; }

 private:
  const ConversationEncoder& encoder_;
  std::string system_;
  std::vector<Message> messages_;
  std::vector<std::int32_t> ids_;
  // As they were before the last question.
  std::vector<Message> messages_before_;
  std::vector<std::int32_t> ids_before_;
  std::int32_t end_token_ = -1;
};

}  // namespace megascale::chat

#endif  // MEGASCALE_DATA_CHAT_DIALOGUE_H_
