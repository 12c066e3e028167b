// The decoder steps. Their results equal those of Hugging Face's tokenizers, except that bytes of
// incomplete characters stay as they are in byte-level tokenizers: a later id may complete them.
#include "megascale/data/tokenizers/decoder.h"

#include <charconv>

#include "megascale/base/utf8.h"
#include "megascale/data/tokenizers/byte_alphabet.h"
#include "megascale/data/tokenizers/normalizer.h"

namespace megascale::tokenizers {
namespace {

using Texts = std::vector<std::string>;

std::string joined(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

std::size_t size_of(const Texts& texts) {
  std::size_t nbytes = 0;
  for (const std::string& text : texts) nbytes += text.size();
  return nbytes;
}

void apply(Texts& texts, const DecodeBytes& /*step*/) {
  std::string all;
  for (const std::string& text : texts) all += from_byte_alphabet(text).value_or(text);
  texts = {std::move(all)};
}

// Returns the value of "<0x..>", or -1.
int byte_of(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data() + 3, text.data() + 5, value, 16);
  return error == std::errc() && end == text.data() + 5 ? static_cast<int>(value) : -1;
}

void apply(Texts& texts, const DecodeByteFallback& /*step*/) {
  Texts result;
  std::string bytes;  // of the byte tokens before
  const auto flush = [&] {
    if (valid_utf8_prefix(bytes) == bytes.size()) {
      if (!bytes.empty()) result.push_back(bytes);
    } else {
      result.insert(result.end(), bytes.size(), "\xEF\xBF\xBD");
    }
    bytes.clear();
  };
  for (std::string& text : texts) {
    if (const int byte = byte_of(text); byte >= 0) {
      bytes += static_cast<char>(byte);
    } else {
      flush();
      result.push_back(std::move(text));
    }
  }
  flush();
  texts = std::move(result);
}

void apply(Texts& texts, const Fuse& /*step*/) { texts = {joined(texts)}; }

void apply(Texts& texts, const JoinWithSpaces& /*step*/) {
  std::string all;
  for (const std::string& text : texts) {
    if (&text != &texts.front()) all += ' ';
    all += text;
  }
  texts = {std::move(all)};
}

void apply(Texts& texts, const DecodeStrip& step) {
  for (std::string& text : texts) {
    std::string_view rest = text;
    for (std::size_t i = 0; i < step.left && rest.starts_with(step.content); ++i) {
      rest.remove_prefix(step.content.size());
    }
    for (std::size_t i = 0; i < step.right && rest.ends_with(step.content); ++i) {
      rest.remove_suffix(step.content.size());
    }
    text = std::string(rest);
  }
}

void apply(Texts& texts, const DecodeReplace& step) {
  for (std::string& text : texts) replace_all(text, step.pattern, step.content);
}

void apply(Texts& texts, const DecodeMetaspace& step) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string result;
    std::string_view rest = texts[i];
    while (!rest.empty()) {
      if (!rest.starts_with(step.mark)) {
        result += rest[0];
        rest.remove_prefix(1);
        continue;
      }
      if (i > 0 || !step.has_prefix) result += ' ';
      rest.remove_prefix(step.mark.size());
    }
    texts[i] = std::move(result);
  }
}

}  // namespace

std::string decode(std::vector<std::string> tokens, const std::vector<DecoderStep>& steps) {
  const std::size_t limit = size_limit(size_of(tokens));
  for (const DecoderStep& step : steps) {
    std::visit([&](const auto& one) { apply(tokens, one); }, step);
    check_size(size_of(tokens), limit);
  }
  return joined(tokens);
}

}  // namespace megascale::tokenizers
