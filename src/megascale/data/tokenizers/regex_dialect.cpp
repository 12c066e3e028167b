// Translates patterns of tokenizer files, which are written for Oniguruma (Hugging Face) or Rust's
// fancy-regex (tiktoken), to PCRE2. Most of the syntax is common. Constructs that PCRE2
// writes in another way are rewritten. Constructs whose meaning may differ are refused.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "megascale/base/error.h"
#include "megascale/data/tokenizers/regex.h"

namespace megascale::tokenizers {
namespace {

// Unicode's White_Space, as the content of a bracket class.
constexpr std::string_view kWhiteSpace = R"(\x09-\x0d\x85\p{Z})";

class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern), pattern_(pattern) {}

  std::string run() {
    while (!rest_.empty()) {
      if (rest_[0] == '\\') {
        escape();
      } else if (in_class_) {
        class_character();
      } else {
        plain_character();
      }
    }
    return result_;
  }

 private:
  [[noreturn]] void refuse(std::string_view construct) const {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("pattern \"{}\": the construct \"{}\" is not supported", pattern_, construct));
  }
  void copy(std::size_t count) {
    result_ += rest_.substr(0, count);
    rest_.remove_prefix(std::min(count, rest_.size()));
  }

  void escape() {
    if (rest_.size() < 2) refuse(rest_);
    const char letter = rest_[1];
    at_class_begin_ = false;
    if (letter == 's') {
      result_ += in_class_ ? std::string(kWhiteSpace) : fmt::format("[{}]", kWhiteSpace);
      rest_.remove_prefix(2);
    } else if (letter == 'S' && !in_class_) {
      result_ += fmt::format("[^{}]", kWhiteSpace);
      rest_.remove_prefix(2);
    } else if (letter == 'p' || letter == 'P') {
      const std::size_t end = rest_.find('}');
      if (rest_.size() < 4 || rest_[2] != '{' || end == std::string_view::npos) refuse("\\p");
      copy(end + 1);
    } else if (letter == 'x') {
      const std::size_t end = rest_.find('}');
      if (rest_.size() < 4 || rest_[2] != '{' || end == std::string_view::npos) refuse("\\x");
      copy(end + 1);
    } else if (std::string_view("rntfdD").find(letter) != std::string_view::npos) {
      copy(2);
    } else if (static_cast<unsigned char>(letter) < 0x80 && std::ispunct(letter) != 0) {
      copy(2);
    } else {
      refuse(rest_.substr(0, 2));
    }
  }

  void class_character() {
    if (rest_.starts_with("&&")) refuse("&&");
    if (rest_[0] == '[') refuse("[ inside of [ ]");
    if (rest_[0] == ']' && !at_class_begin_) in_class_ = false;
    at_class_begin_ = false;
    copy(1);
  }

  void plain_character() {
    if (rest_[0] == '[') {
      in_class_ = true;
      at_class_begin_ = true;
      copy(rest_.starts_with("[^") ? 2 : 1);
    } else if (rest_.starts_with("(?")) {
      for (const std::string_view known : {"(?:", "(?!", "(?=", "(?<!", "(?<=", "(?>", "(?i:"}) {
        if (rest_.starts_with(known)) return copy(known.size());
      }
      refuse(rest_.substr(0, 3));
    } else if (rest_.starts_with("(*")) {
      refuse("(*");
    } else if (rest_[0] == '^' || rest_[0] == '$') {
      refuse(rest_.substr(0, 1));  // the beginning of a text or of a line, by dialect
    } else if (rest_.starts_with("}+")) {
      refuse("}+");  // possessive or repeated, by dialect
    } else {
      copy(1);
    }
  }

  std::string_view rest_, pattern_;
  std::string result_;
  bool in_class_ = false, at_class_begin_ = false;
};

}  // namespace

std::string to_pcre2(std::string_view pattern) { return Translator(pattern).run(); }

std::string quote_for_pcre2(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x80) {
      quoted += fmt::format("\\x{{{:02x}}}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted;
}

}  // namespace megascale::tokenizers
