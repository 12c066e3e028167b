#include "megascale/generate/chat_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/data/text_stream.h"

namespace megascale::generate {

// The answer needs a place for its first token, and one for the token that ends the turn.
void ChatSession::require_room() const {
  const std::size_t needed = dialogue_.ids().size() + 2;
  if (needed <= model_.capacity()) return;
  throw Error(
      ErrorCode::bad_input,
      fmt::format("the conversation would have {} tokens, and the context of the model holds "
                  "{}: ask less, or begin a new conversation",
                  needed, model_.capacity()));
}

AnswerEnd ChatSession::answer(const std::string& question,
                              const std::function<void(std::string_view part)>& on_text,
                              const std::function<bool()>& is_interrupted) {
  dialogue_.ask(question);
  try {
    require_room();
  } catch (const Error&) {
    dialogue_.forget_question();
    throw;
  }
  TextStream stream(tokenizer_, dialogue_.ids());
  std::string text;
  const auto pass_on = [&](const std::string& part) {
    text += part;
    on_text(part);
  };
  AnswerEnd end = AnswerEnd::turn;
  for (std::uint32_t tokens = 0;; ++tokens) {
    if (is_interrupted()) end = AnswerEnd::interrupted;
    if (tokens == options_.max_tokens) end = AnswerEnd::length;
    if (dialogue_.ids().size() + 1 >= model_.capacity()) end = AnswerEnd::context;
    if (end != AnswerEnd::turn) break;
    const std::int32_t token = next_token(tokens);
    if (token == dialogue_.end_token() || token == options_.end_of_document) break;
    dialogue_.add_token(token);
    pass_on(stream.push(token));
  }
  pass_on(stream.finish());
  dialogue_.end_answer(text);
  ++turn_;
  return end;
}

// Feeds the tokens that the cache does not hold, and draws the one that follows them.
std::int32_t ChatSession::next_token(std::uint32_t position) {
  const std::vector<std::int32_t>& ids = dialogue_.ids();
  // The logits come of the last token, which is computed even if a former conversation had it.
  const auto kept =
      std::mismatch(cached_.begin(), cached_.end(), ids.begin(), ids.end() - 1).second;
  model_.keep(0, static_cast<std::size_t>(kept - ids.begin()));
  computed_ += ids.end() - kept;
  queue_.add(0, {kept, ids.end()}, 1);
  std::int32_t token = -1;
  while (queue_.step([&](std::size_t, std::size_t, std::span<const float> logits) {
    token = sampler_.draw(logits, {.prompt = turn_, .position = position});
  })) {
  }
  cached_ = ids;
  return token;
}

void ChatSession::clear() {
  dialogue_.clear();
  turn_ = 0;
}

}  // namespace megascale::generate
