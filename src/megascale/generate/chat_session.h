#ifndef MEGASCALE_GENERATE_CHAT_SESSION_H_
#define MEGASCALE_GENERATE_CHAT_SESSION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "megascale/data/chat/dialogue.h"
#include "megascale/engine/token_queue.h"
#include "megascale/generate/sampler.h"

namespace megascale::generate {

struct ChatOptions {
  SamplerOptions sampler;
  std::string system;                 // empty: no system message
  std::int64_t max_tokens = 512;      // of an answer
  std::int32_t end_of_document = -1;  // also ends an answer; -1: none
};

// Why an answer ended.
enum class AnswerEnd : std::uint8_t {
  turn,         // with the token of the template that ends a turn
  interrupted,  // by the caller
  length,       // it has ChatOptions::max_tokens tokens
  context,      // the context of the model is full
};

// A conversation with a model, in the first of its sequences. Keys and values of earlier turns are kept,
// so a turn computes its own tokens only. One thread at a time.
class ChatSession {
 public:
  // All references must outlive the object.
  ChatSession(engine::Inference& model, const Tokenizer& tokenizer,
              const chat::ConversationEncoder& encoder, ChatOptions options)
      : model_(model),
        tokenizer_(tokenizer),
        options_(std::move(options)),
        dialogue_(encoder, options_.system),
        queue_(model),
        sampler_(options_.sampler) {}
  // Answers a question. Passes each part of the text to `on_text`, and asks `is_interrupted` before each
  // token. Throws Error (bad_input), and changes nothing, if the template does not allow the question,
  // if it spells a special token, or if the conversation would fill the context.
  AnswerEnd answer(const std::string& question,
                   const std::function<void(std::string_view part)>& on_text,
                   const std::function<bool()>& is_interrupted);
  // Begins a new conversation.
  void clear();
  [[nodiscard]] const chat::Dialogue& dialogue() const noexcept { return dialogue_; }
  // Tokens that the model has computed, of all turns.
  [[nodiscard]] std::int64_t computed_tokens() const noexcept { return computed_; }

 private:
  void require_room() const;
  std::int32_t next_token(std::uint32_t position);

  engine::Inference& model_;
  const Tokenizer& tokenizer_;
  ChatOptions options_;
  chat::Dialogue dialogue_;
  engine::TokenQueue queue_;
  Sampler sampler_;
  std::vector<std::int32_t> cached_;  // the tokens that the cache of the model holds
  std::int64_t computed_ = 0;
  std::uint32_t turn_ = 0;
};

}  // namespace megascale::generate

#endif  // MEGASCALE_GENERATE_CHAT_SESSION_H_
