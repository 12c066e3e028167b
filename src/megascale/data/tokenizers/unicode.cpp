// UTF-8 helpers. Normal forms and lower case come from ICU.
#include "megascale/data/tokenizers/unicode.h"

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/base/utf8.h"

namespace megascale::tokenizers {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

const icu::Normalizer2& normalizer_of(NormalForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* found = nullptr;
  switch (form) {
    case NormalForm::nfc:
      found = icu::Normalizer2::getNFCInstance(status);
      break;
    case NormalForm::nfd:
      found = icu::Normalizer2::getNFDInstance(status);
      break;
    case NormalForm::nfkc:
      found = icu::Normalizer2::getNFKCInstance(status);
      break;
    case NormalForm::nfkd:
      found = icu::Normalizer2::getNFKDInstance(status);
      break;
  }
  if (U_FAILURE(status) != 0 || found == nullptr) {
    throw Error(ErrorCode::failed, fmt::format("ICU has no data for the normal forms of Unicode: "
                                               "{}; install libicu72",
                                               u_errorName(status)));
  }
  return *found;
}

// Returns the bytes of the ill-formed sequence at the beginning of `text`: the longest beginning of
// a character, or one byte.
std::size_t ill_formed_size(std::string_view text) {
  // A prefix of a character becomes valid by the right continuation; at most three bytes are one.
  for (std::size_t size = std::min<std::size_t>(3, text.size()); size > 1; --size) {
    std::string trial(text.substr(0, size));
    const std::size_t missing = utf8_size(trial[0]) - std::min(size, utf8_size(trial[0]));
    if (missing == 0) continue;
    trial.append(missing, '\x80');
    if (valid_utf8_prefix(trial) == trial.size()) return size;
  }
  return 1;
}

}  // namespace

void append_utf8(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size() + kReplacement.size());
  for (;;) {
    const std::size_t valid = valid_utf8_prefix(text);
    result += text.substr(0, valid);
    text.remove_prefix(valid);
    if (text.empty()) return result;
    result += kReplacement;
    text.remove_prefix(ill_formed_size(text));
  }
}

bool is_white_space(char32_t c) noexcept {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D);
  return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_WHITE_SPACE) != 0;
}

std::size_t leading_white_space(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && is_white_space(utf8_code_point(text.substr(at)))) {
    at += utf8_size(text[at]);
  }
  return at;
}

std::size_t trailing_white_space(std::string_view text) noexcept {
  std::size_t end = text.size();
  while (end > 0) {
    std::size_t begin = end - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    if (!is_white_space(utf8_code_point(text.substr(begin)))) break;
    end = begin;
  }
  return text.size() - end;
}

void normalize(std::string& text, NormalForm form) {
  if (is_ascii(text)) return;  // every form leaves ASCII as it is
  const icu::Normalizer2& normalizer = normalizer_of(form);
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
  UErrorCode status = U_ZERO_ERROR;
  normalizer.normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                           sink, nullptr, status);
  if (U_FAILURE(status) != 0) {
    throw Error(ErrorCode::failed, fmt::format("ICU cannot normalize a text of {} bytes: {}",
                                               text.size(), u_errorName(status)));
  }
  text = std::move(result);
}

void to_lower(std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(utf8_size(rest[0]))) {
    const char32_t c = utf8_code_point(rest);
    if (c == 0x130) {  // the only character whose lower case is two characters
      result += "i\xCC\x87";
    } else {
      append_utf8(result, static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))));
    }
  }
  text = std::move(result);
}

}  // namespace megascale::tokenizers
