#include "megascale/data/tokenizers/normalizer.h"

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

void normalize(std::string& text, const std::vector<NormalizerStep>& steps) {
  for (const NormalizerStep& step : steps) {
    std::visit([&](const auto& one) { apply(text, one); }, step);
  }
}

}  // namespace megascale::tokenizers
