// Every question is rendered together with the conversation before it and a stand-in for the answer.
// The last answer and the stand-in are marked as learned. So the pieces between the two are those that
// the model has not seen: the rest of the last turn, the question, and the header of the answer.
#include "megascale/data/chat/dialogue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "megascale/base/error.h"

namespace megascale::chat {

void Dialogue::ask(const std::string& question) {
  const bool begins = encoder_.name() == ChatTemplate::plain || messages_.empty();
  Conversation conversation;
  if (!system_.empty()) conversation.messages.push_back({Role::system, system_, false});
  if (!begins) {
    conversation.messages.insert(conversation.messages.end(), messages_.begin(), messages_.end());
    conversation.messages.back().is_learned = true;
  }
  conversation.messages.push_back({Role::user, question, false});
  conversation.messages.push_back({Role::assistant, "answer", true});
  const std::size_t answer = conversation.messages.size() - 1;
  const std::vector<ChatPiece> pieces = render(conversation, encoder_.name());
  const auto is_learned = [](const ChatPiece& piece) { return piece.is_learned; };
  // The learned pieces of the last answer, and behind them those of the stand-in.
  const auto end = std::find_if(pieces.begin(), pieces.end(), [&](const ChatPiece& piece) {
    return piece.is_learned && piece.message == answer;
  });
  const auto last_learned =
      std::find_if(std::make_reverse_iterator(end), pieces.rend(), is_learned);
  const auto begin = begins ? pieces.begin() : last_learned.base();
  std::vector<std::int32_t> ids = begins ? std::vector<std::int32_t>{} : ids_;
  for (auto piece = begin; piece != end; ++piece) encoder_.append(*piece, ids);
  std::vector<std::int32_t> ending;
  const auto token = std::find_if(end, pieces.end(), [](const ChatPiece& piece) {
    return piece.is_learned && piece.is_special;
  });
  MEGASCALE_CHECK(token != pieces.end(), "a turn of the assistant ends with a special token");
  encoder_.append(*token, ending);
  end_token_ = ending.front();
  ids_before_ = std::exchange(ids_, std::move(ids));
  messages_before_ = messages_;
  if (begins) messages_.clear();
  messages_.push_back({Role::user, question, false});
}

void Dialogue::forget_question() {
  MEGASCALE_CHECK(!messages_.empty() && messages_.back().role == Role::user,
                  "a question without an answer is taken back");
  messages_ = messages_before_;
  ids_ = ids_before_;
}

void Dialogue::end_answer(const std::string& text) {
  ids_.push_back(end_token_);
  messages_.push_back({Role::assistant, text, false});
}

void Dialogue::clear() {
  messages_.clear();
  ids_.clear();
}

}  // namespace megascale::chat
