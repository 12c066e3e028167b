// Walks over TOML text once and counts the parts of every dotted key. Strings and comments are
// skipped; a quoted part of a key counts like a bare one. A number such as 1.5 counts as two parts,
// which does no harm.
#include "megascale/base/toml_nesting.h"

#include <fmt/format.h>

#include <algorithm>

namespace megascale {
namespace {

bool belongs_to_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == ' ' || c == '\t';
}

// Returns the position behind the string that begins at `at`. An unfinished string ends with its
// line, or with the text if it may have several lines.
std::size_t behind_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = text.substr(at, 3);
  const bool is_long = three.size() == 3 && three[1] == quote && three[2] == quote;
  at += is_long ? 3 : 1;
  for (; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (is_long ? text.substr(at, 3) == three : text[at] == quote) {
      return at + (is_long ? 3 : 1);
    } else if (!is_long && text[at] == '\n') {
      return at;
    }
  }
  return text.size();
}

}  // namespace

std::string nesting_problem(std::string_view toml) {
  std::size_t parts = 1, begin = 0;
  for (std::size_t at = 0; at < toml.size();) {
    const char c = toml[at];
    if (c == '"' || c == '\'') {
      at = behind_string(toml, at);
      continue;
    }
    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
      continue;
    }
    ++at;
    if (c == '.') {
      if (++parts <= kMostKeyParts) continue;
      constexpr std::size_t kShown = 20;
      return fmt::format("line {}: expected keys of at most {} parts, found {}...",
                         1 + std::count(toml.begin(), toml.begin() + begin, '\n'), kMostKeyParts,
                         toml.substr(begin, kShown));
    }
    if (belongs_to_key(c)) continue;
    parts = 1;
    begin = at;
  }
  return "";
}

}  // namespace megascale
