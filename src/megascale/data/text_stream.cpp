// Decodes all ids again with each new one, and returns what is new. The end of the text is held
// back while it may be a part of a character. At a space, earlier ids are forgotten from time to
// time, so that long texts do not take quadratic time.
#include "megascale/data/text_stream.h"

#include <algorithm>
#include <string_view>

#include "megascale/base/utf8.h"

namespace megascale {
namespace {

constexpr std::size_t kIdsMax = 256;

// Returns the bytes of `text` that more ids cannot change: without the beginning of a character,
// and without U+FFFD at the end. Tokenizers with byte fallback put it for each byte of a run of
// bytes until the run is complete.
std::size_t final_size(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  const std::size_t valid = valid_utf8_prefix(text);
  if (valid < text.size()) return text.size() - valid < 4 ? valid : text.size();
  while (text.ends_with(kReplacement)) text.remove_suffix(kReplacement.size());
  return text.size();
}

}  // namespace

TextStream::TextStream(const Tokenizer& tokenizer, std::span<const std::int32_t> before)
    : tokenizer_(tokenizer), ids_(before.begin(), before.end()) {
  returned_ = tokenizer_.decode(ids_).size();
}

std::string TextStream::push(std::int32_t id) {
  ids_.push_back(id);
  const std::string text = tokenizer_.decode(ids_);
  const std::size_t end = final_size(text);
  if (end <= returned_) return {};
  std::string fresh = text.substr(returned_, end - returned_);
  returned_ = end;
  if (ids_.size() > kIdsMax && end == text.size() && (text.back() == ' ' || text.back() == '\n')) {
    ids_ = {id};
    returned_ = tokenizer_.decode(ids_).size();
  }
  return fresh;
}

std::string TextStream::finish() {
  const std::string text = tokenizer_.decode(ids_);
  std::string rest = text.substr(std::min(returned_, text.size()));
  returned_ = text.size();
  return rest;
}

}  // namespace megascale
