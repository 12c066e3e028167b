// Encodes the pieces of a rendered conversation. A content that spells a special token would end a
// turn in the middle of it: whoever writes the data could forge turns. Such contents are refused.
#include "megascale/data/chat/conversation_encoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/data/text_checks.h"

namespace megascale::chat {

ConversationEncoder::ConversationEncoder(ChatTemplate name, const Tokenizer& tokenizer)
    : name_(name), tokenizer_(tokenizer) {
  std::vector<std::string_view> missing;
  for (const std::string_view token : special_tokens(name)) {
    if (const auto id = tokenizer.special_token(token)) {
      specials_.emplace(token, *id);
    } else {
      missing.push_back(token);
    }
  }
  if (!missing.empty()) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("the chat template {} needs the special token{} {}, which the tokenizer does "
                    "not have: use the template that the model has learnt, or a tokenizer with "
                    "these tokens (\"added_tokens\" of its tokenizer.json, or `megascale tokenizer "
                    "train --special-tokens`)",
                    to_string(name), missing.size() > 1 ? "s" : "", fmt::join(missing, ", ")));
  }
  for (const auto& [token, id] : specials_) not_in_texts_.push_back(id);
  try {
    const std::int32_t eod = tokenizer.eod();
    not_in_texts_.push_back(eod);
    specials_.emplace("", eod);
  } catch (const Error&) {
    if (name == ChatTemplate::plain) throw;  // the others write no such token
  }
}

void ConversationEncoder::encode_text(const ChatPiece& piece,
                                      std::vector<std::int32_t>& ids) const {
  const std::string place = fmt::format("\"messages\"[{}]", piece.message);
  if (const std::size_t at = tokenizer_.reserved_at(piece.text); at != std::string::npos) {
    throw Error(ErrorCode::bad_input, wrong_byte(place, at, kNoReservedByte, piece.text[at]));
  }
  const std::size_t begin = ids.size();
  begin == 0 ? tokenizer_.encode(piece.text, ids) : tokenizer_.encode_rest(piece.text, ids);
  const auto found = std::find_first_of(ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.end(),
                                        not_in_texts_.begin(), not_in_texts_.end());
  if (found != ids.end()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: \"content\": expected text, found the special token {} in it: "
                            "remove it from the text",
                            place, tokenizer_.token_text(*found)));
  }
}

void ConversationEncoder::append(const ChatPiece& piece, std::vector<std::int32_t>& ids) const {
  if (piece.is_special) {
    ids.push_back(specials_.at(piece.text));
  } else {
    encode_text(piece, ids);
  }
}

EncodedConversation ConversationEncoder::encode(const Conversation& conversation) const {
  EncodedConversation encoded;
  for (const ChatPiece& piece : render(conversation, name_)) {
    append(piece, encoded.ids);
    encoded.text_nbytes += static_cast<std::int64_t>(piece.text.size());
    encoded.loss_mask.resize(encoded.ids.size(), piece.is_learned ? 1 : 0);
  }
  return encoded;
}

}  // namespace megascale::chat
