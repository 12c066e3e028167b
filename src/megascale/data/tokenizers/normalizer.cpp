#include "megascale/data/tokenizers/normalizer.h"

#include <fmt/format.h>

#include "megascale/base/error.h"

namespace megascale::tokenizers {
namespace {

void apply(std::string& text, NormalForm form) { normalize(text, form); }

void apply(std::string& text, const Replace& replace) {
  replace_all(text, replace.pattern, replace.content);
}

void apply(std::string& text, const Prepend& prepend) {
  if (!text.empty()) text.insert(0, prepend.text);
}

void apply(std::string& text, const Strip& strip) {
  if (strip.right) text.erase(text.size() - trailing_white_space(text));
  if (strip.left) text.erase(0, leading_white_space(text));
}

void apply(std::string& text, const Lowercase& /*step*/) { to_lower(text); }

}  // namespace

std::size_t size_limit(std::size_t nbytes) noexcept { return 64 * nbytes + 4096; }

void check_size(std::size_t nbytes, std::size_t limit) {
  if (nbytes <= limit) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("the steps of the tokenizer make a text too long: expected at most {} "
                          "bytes, found {}",
                          limit, nbytes));
}

void replace_all(std::string& text, const Regex& pattern, const std::string& content) {
  std::string result;
  std::size_t at = 0, from = 0;
  while (from <= text.size()) {
    const auto match = pattern.find(text, from);
    if (!match) break;
    result.append(text, at, match->begin - at);
    result += content;
    at = match->end;
    from = at;
    if (match->begin == match->end) {  // an empty match: go on after the next character
      if (at == text.size()) break;
      from += utf8_size(text[at]);
    }
  }
  if (at == 0 && result.empty()) return;
  result.append(text, at);
  text = std::move(result);
}

void normalize(std::string& text, const std::vector<NormalizerStep>& steps, bool continues) {
  const std::size_t limit = size_limit(text.size());
  for (const NormalizerStep& step : steps) {
    if (continues && std::holds_alternative<Prepend>(step)) continue;
    std::visit([&](const auto& one) { apply(text, one); }, step);
    check_size(text.size(), limit);
  }
}

}  // namespace megascale::tokenizers
