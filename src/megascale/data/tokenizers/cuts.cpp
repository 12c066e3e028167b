// Where texts may be cut. All patterns of published tokenizers have borders
//   1. between a letter or digit and the white space after it, and
//   2. between a letter and the one end of line before it, if no white space stands before that.
// A run of white space stays whole in case 1. In case 2 it has only one character, because several
// are divided differently at the end of a text and before a word.
#include "megascale/data/tokenizers/cuts.h"

#include <algorithm>
#include <cctype>

#include "megascale/data/tokenizers/patterns.h"
#include "megascale/data/tokenizers/unicode.h"

namespace megascale::tokenizers {
namespace {

bool is_ascii_word(char c) {
  return static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) != 0;
}
bool is_ascii_punctuation(char c) {
  return static_cast<unsigned char>(c) < 0x80 && std::ispunct(static_cast<unsigned char>(c)) != 0;
}

// No cut can lie inside the token or inside the white space that it takes.
bool allows_cuts(const AddedToken& token) {
  const std::string_view content = token.content;
  if (content.empty()) return true;
  if ((token.lstrip || token.rstrip) &&
      (!is_ascii_punctuation(content.front()) || !is_ascii_punctuation(content.back()))) {
    return false;
  }
  const bool is_space = leading_white_space(content) == content.size();
  return is_space || std::none_of(content.begin(), content.end(), [](char c) {
           return c == ' ' || c == '\n' || c == '\t' || c == '\r';
         });
}

// The bytes of the character before `end`.
std::string_view character_before(std::string_view text, std::size_t end) {
  std::size_t begin = end - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return text.substr(begin, end - begin);
}

bool is_letter_or_digit(std::string_view character) {
  static const Regex expression(R"(\A[\p{L}\p{N}]\z)");
  return expression.find(character, 0).has_value();
}
bool is_letter(std::string_view character) {
  static const Regex expression(R"(\A\p{L}\z)");
  return expression.find(character, 0).has_value();
}

bool is_valid_character(std::string_view character) {
  return !character.empty() && utf8_size(character[0]) == character.size() &&
         replace_invalid_utf8(character) == character;
}

// Whether `text` may be cut before the end of line at `at`, or after it.
std::size_t cut_at_line_end(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return 0;
  const std::string_view next =
      text.substr(at + 1, std::min(utf8_size(text[at + 1]), text.size() - at - 1));
  if (!is_valid_character(next) || !is_letter(next)) return 0;
  const std::string_view before = character_before(text, at);
  return is_valid_character(before) && !is_white_space(utf8_code_point(before)) ? at + 1 : 0;
}

}  // namespace

// Tokenizers in the manner of SentencePiece, which write spaces as marks: each space begins a piece,
// or no token of the model holds a mark after a letter or digit.
bool divides_before_spaces(const PipelineParts& parts) {
  for (const AddedToken& token : parts.added_tokens) {
    if (!allows_cuts(token) || token.content.empty() || is_ascii_word(token.content.back()))
      return false;
  }
  std::string mark;
  for (const NormalizerStep& step : parts.normalizer) {
    const auto* replace = std::get_if<Replace>(&step);
    if (replace != nullptr && replace->is_of_spaces && mark.empty()) {
      mark = replace->content;
    } else if (!std::holds_alternative<Prepend>(step)) {
      return false;
    }
  }
  bool is_split = false;
  for (const PreTokenizerStep& step : parts.pre_tokenizer) {
    if (const auto* marks = std::get_if<Metaspace>(&step); marks != nullptr && mark.empty()) {
      mark = marks->mark;
    } else if (const auto* split = std::get_if<Split>(&step);
               split != nullptr && split->behavior == SplitBehavior::merged_with_next &&
               !mark.empty() && split->pattern.find("a" + mark, 0).has_value()) {
      is_split = true;
    } else {
      return false;
    }
  }
  return !mark.empty() && utf8_size(mark[0]) == mark.size() &&
         (is_split || parts.model->divides_before(mark));
}

Cuts cuts_of(const PipelineParts& parts, const std::vector<std::string>& patterns) {
  if (divides_before_spaces(parts)) return Cuts::before_spaces;
  const auto has_known_pattern = [](const std::string& p) { return allows_cuts(p); };
  const bool divides = std::any_of(patterns.begin(), patterns.end(),
                                   [](const std::string& p) { return divides_words(p); });
  const auto is_split = [](const PreTokenizerStep& step) {
    const auto* split = std::get_if<Split>(&step);
    return split != nullptr && split->behavior == SplitBehavior::isolated;
  };
  if (!divides || !std::all_of(patterns.begin(), patterns.end(), has_known_pattern) ||
      !std::all_of(parts.pre_tokenizer.begin(), parts.pre_tokenizer.end(), is_split) ||
      !std::all_of(parts.added_tokens.begin(), parts.added_tokens.end(),
                   [](const AddedToken& token) { return allows_cuts(token); })) {
    return Cuts::none;
  }
  Cuts cuts = Cuts::after_letters;
  for (const NormalizerStep& step : parts.normalizer) {
    const auto* form = std::get_if<NormalForm>(&step);
    if (form == nullptr && !std::holds_alternative<Lowercase>(step)) return Cuts::none;
    // Other forms turn some letters and digits into several characters.
    if (form == nullptr || *form != NormalForm::nfc) cuts = Cuts::after_ascii;
  }
  return cuts;
}

std::size_t last_cut(std::string_view text, Cuts cuts) {
  if (cuts == Cuts::none) return 0;
  for (std::size_t at = text.size(); at-- > 1;) {
    if (text[at] != ' ' && (text[at] != '\n' || cuts == Cuts::before_spaces)) continue;
    if (is_ascii_word(text[at - 1])) return at;
    if (cuts != Cuts::after_letters) continue;
    const std::string_view before = character_before(text, at);
    if (is_valid_character(before) && is_letter_or_digit(before)) return at;
    if (text[at] == '\n') {
      if (const std::size_t cut = cut_at_line_end(text, at); cut > 0) return cut;
    }
  }
  return 0;
}

}  // namespace megascale::tokenizers
