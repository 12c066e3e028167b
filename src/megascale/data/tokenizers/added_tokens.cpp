// Looks for added tokens: at each byte with which one begins, contents are looked up by length.
#include "megascale/data/tokenizers/added_tokens.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <set>

#include "megascale/data/tokenizers/unicode.h"

namespace megascale::tokenizers {
namespace {

// Word characters: \w of Unicode's regular expressions (UTS 18, annex C).
bool is_word_character(char32_t c) {
  const auto code_point = static_cast<UChar32>(c);
  return u_isUAlphabetic(code_point) != 0 ||
         u_hasBinaryProperty(code_point, UCHAR_JOIN_CONTROL) != 0 ||
         (U_GET_GC_MASK(code_point) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0;
}

bool ends_with_word(std::string_view text) {
  if (text.empty()) return false;
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return is_word_character(utf8_code_point(text.substr(begin)));
}

bool starts_with_word(std::string_view text) {
  return !text.empty() && is_word_character(utf8_code_point(text));
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens)
    : tokens_(std::move(tokens)), by_content_(tokens_.size()) {
  std::set<std::size_t, std::greater<>> lengths;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    by_content_.add(tokens_[i].content, static_cast<std::int32_t>(i));
    lengths.insert(tokens_[i].content.size());
    begins_[static_cast<unsigned char>(tokens_[i].content[0])] = true;
  }
  lengths_.assign(lengths.begin(), lengths.end());
}

const AddedToken* AddedTokenFinder::longest_at(std::string_view text) const noexcept {
  for (const std::size_t length : lengths_) {
    if (length > text.size()) continue;
    const std::int32_t index = by_content_.find(text.substr(0, length));
    if (index != TokenTable::kNone) return &tokens_[static_cast<std::size_t>(index)];
  }
  return nullptr;
}

void AddedTokenFinder::run(std::string_view text, const Sink& sink) const {
  std::size_t done = 0;  // what lies before has been passed on
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = begins_[static_cast<unsigned char>(text[at])];
    const AddedToken* token = begins ? longest_at(text.substr(at)) : nullptr;
    if (token == nullptr) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + token->content.size();
    at = end;
    if (token->single_word &&
        (ends_with_word(text.substr(0, begin)) || starts_with_word(text.substr(end)))) {
      continue;
    }
    if (token->lstrip) begin = std::max(done, begin - trailing_white_space(text.substr(0, begin)));
    if (token->rstrip) end += leading_white_space(text.substr(end));
    if (done < begin) sink({done, begin}, TokenTable::kNone);
    if (begin < end) sink({begin, end}, token->id);
    done = end;
  }
  if (done < text.size()) sink({done, text.size()}, TokenTable::kNone);
}

}  // namespace megascale::tokenizers
