// The components of a tokenizer.json: each JSON object with a "type" becomes a step.
#include "megascale/data/tokenizers/json_components.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "megascale/data/tokenizers/patterns.h"

namespace megascale::tokenizers {
namespace {

// Unicode's numbers, as Rust's char::is_numeric.
constexpr const char* kDigit = R"(\p{N})";
constexpr const char* kPunctuation = R"([\p{P}$+<=>^`|~])";
constexpr const char* kWhiteSpaceRun = R"(\s)";

Regex pattern_of(const JsonPlace& place, std::string& written) {
  const JsonPlace pattern = place.at("pattern");
  try {
    if (pattern.value.is_object() && pattern.value.contains("String")) {
      written = quote_for_pcre2(pattern.text("String"));
      return Regex(written);
    }
    written = pattern.text("Regex");
    return Regex(to_pcre2(written));
  } catch (Error& error) {
    error.add_context(fmt::format("reading {} of {}", pattern.where, place.source.file));
    throw;
  }
}

SplitBehavior behavior_of(const JsonPlace& place) {
  constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kNames{
      {{"Isolated", SplitBehavior::isolated},
       {"Removed", SplitBehavior::removed},
       {"MergedWithPrevious", SplitBehavior::merged_with_previous},
       {"MergedWithNext", SplitBehavior::merged_with_next},
       {"Contiguous", SplitBehavior::contiguous}}};
  const std::string behavior = place.text("behavior");
  for (const auto& [name, value] : kNames) {
    if (behavior == name) return value;
  }
  place.refuse("a behavior", fmt::format("\"{}\"", behavior));
}

void add_split(PreTokenizerParts& parts, std::string pattern, SplitBehavior behavior) {
  parts.steps.emplace_back(Split{Regex(to_pcre2(pattern)), behavior});
  parts.patterns.push_back(std::move(pattern));
}

// "prepend_scheme", or in older files "add_prefix_space".
Metaspace::Prefix prefix_of(const JsonPlace& place) {
  if (!place.value.contains("prepend_scheme")) {
    return place.flag("add_prefix_space", true) ? Metaspace::Prefix::always
                                                : Metaspace::Prefix::never;
  }
  const std::string scheme = place.text("prepend_scheme");
  if (scheme == "always") return Metaspace::Prefix::always;
  if (scheme == "first") return Metaspace::Prefix::first;
  if (scheme == "never") return Metaspace::Prefix::never;
  place.refuse("prepend_scheme to be always, first or never", fmt::format("\"{}\"", scheme));
}

void read_byte_level(const JsonPlace& place, PreTokenizerParts& parts) {
  if (place.flag("add_prefix_space", true)) parts.steps.emplace_back(PrefixSpace{});
  if (place.flag("use_regex", true)) {
    add_split(parts, std::string(kGpt2Pattern), SplitBehavior::isolated);
  }
  parts.byte_level = true;
}

void read_metaspace(const JsonPlace& place, PreTokenizerParts& parts) {
  const std::string mark = place.text("replacement");
  parts.steps.emplace_back(Metaspace{mark, prefix_of(place)});
  if (!place.flag("split", true)) return;
  parts.steps.emplace_back(Split{Regex(quote_for_pcre2(mark)), SplitBehavior::merged_with_next});
}

}  // namespace

JsonPlace JsonPlace::at(const char* key) const {
  return {checkpoint::member(value, key, source, where), source,
          where.empty() ? key : fmt::format("{}.{}", where, key)};
}

std::vector<JsonPlace> JsonPlace::list(const char* key) const {
  std::vector<JsonPlace> items;
  for (const auto& item : checkpoint::array_member(value, key, source, where)) {
    items.push_back({item, source, fmt::format("{}.{}[{}]", where, key, items.size())});
  }
  return items;
}

std::string JsonPlace::text(const char* key) const {
  return checkpoint::string_member(value, key, source, where);
}

bool JsonPlace::flag(const char* key, bool otherwise) const {
  const auto found = value.find(key);
  if (found == value.end() || found->is_null()) return otherwise;
  if (!found->is_boolean())
    refuse(fmt::format("{} to be true or false", key), checkpoint::shown(*found));
  return found->get<bool>();
}

std::size_t JsonPlace::count(const char* key) const {
  return static_cast<std::size_t>(checkpoint::integer_member(value, key, source, where));
}

void JsonPlace::refuse(std::string_view expected, std::string_view found) const {
  throw source.error(fmt::format("{}: expected {}, found {}", where, expected, found));
}

void read_normalizer(const JsonPlace& place, std::vector<NormalizerStep>& steps) {
  const std::string type = place.text("type");
  if (type == "Sequence") {
    for (const JsonPlace& item : place.list("normalizers")) read_normalizer(item, steps);
  } else if (type == "NFC") {
    steps.emplace_back(NormalForm::nfc);
  } else if (type == "NFD") {
    steps.emplace_back(NormalForm::nfd);
  } else if (type == "NFKC") {
    steps.emplace_back(NormalForm::nfkc);
  } else if (type == "NFKD") {
    steps.emplace_back(NormalForm::nfkd);
  } else if (type == "Lowercase") {
    steps.emplace_back(Lowercase{});
  } else if (type == "Prepend") {
    steps.emplace_back(Prepend{place.text("prepend")});
  } else if (type == "Strip") {
    steps.emplace_back(Strip{place.flag("strip_left", true), place.flag("strip_right", true)});
  } else if (type == "Replace") {
    std::string written;
    Regex pattern = pattern_of(place, written);
    const bool is_of_spaces = written == quote_for_pcre2(" ");
    steps.emplace_back(Replace{std::move(pattern), place.text("content"), is_of_spaces});
  } else {
    place.refuse("Sequence, NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Strip or Replace",
                 checkpoint::shown(std::string_view(type)));
  }
}

void read_pre_tokenizer(const JsonPlace& place, PreTokenizerParts& parts) {
  const std::string type = place.text("type");
  if (parts.byte_level)
    place.refuse("ByteLevel to be the last step", checkpoint::shown(std::string_view(type)));
  if (type == "Sequence") {
    for (const JsonPlace& item : place.list("pretokenizers")) read_pre_tokenizer(item, parts);
  } else if (type == "ByteLevel") {
    read_byte_level(place, parts);
  } else if (type == "Split") {
    std::string written;
    Regex pattern = pattern_of(place, written);
    parts.steps.emplace_back(
        Split{std::move(pattern), behavior_of(place), place.flag("invert", false)});
    parts.patterns.push_back(std::move(written));
  } else if (type == "Digits") {
    add_split(parts, kDigit,
              place.flag("individual_digits", false) ? SplitBehavior::isolated
                                                     : SplitBehavior::contiguous);
  } else if (type == "Punctuation") {
    add_split(parts, kPunctuation,
              place.value.contains("behavior") ? behavior_of(place) : SplitBehavior::isolated);
  } else if (type == "WhitespaceSplit") {
    add_split(parts, kWhiteSpaceRun, SplitBehavior::removed);
  } else if (type == "Metaspace") {
    read_metaspace(place, parts);
  } else {
    place.refuse("Sequence, Split, ByteLevel, Digits, Punctuation, WhitespaceSplit or Metaspace",
                 checkpoint::shown(std::string_view(type)));
  }
}

void read_decoder(const JsonPlace& place, std::vector<DecoderStep>& steps) {
  const std::string type = place.text("type");
  // Bytes need not be UTF-8, and the other steps expect UTF-8.
  if (!steps.empty() && std::holds_alternative<DecodeBytes>(steps.back()) && type != "Fuse") {
    place.refuse("ByteLevel to be the last step", checkpoint::shown(std::string_view(type)));
  }
  if (type == "Sequence") {
    for (const JsonPlace& item : place.list("decoders")) read_decoder(item, steps);
  } else if (type == "ByteLevel") {
    steps.emplace_back(DecodeBytes{});
  } else if (type == "ByteFallback") {
    steps.emplace_back(DecodeByteFallback{});
  } else if (type == "Fuse") {
    // After ByteLevel there is only one text.
    if (steps.empty() || !std::holds_alternative<DecodeBytes>(steps.back()))
      steps.emplace_back(Fuse{});
  } else if (type == "Strip") {
    steps.emplace_back(
        DecodeStrip{place.text("content"), place.count("start"), place.count("stop")});
  } else if (type == "Replace") {
    std::string written;
    Regex pattern = pattern_of(place, written);
    steps.emplace_back(DecodeReplace{std::move(pattern), place.text("content")});
  } else if (type == "Metaspace") {
    const std::string mark = place.text("replacement");
    if (mark.empty()) place.refuse("a replacement of one character", "\"\"");
    steps.emplace_back(DecodeMetaspace{mark, prefix_of(place) != Metaspace::Prefix::never});
  } else {
    place.refuse("Sequence, ByteLevel, ByteFallback, Fuse, Strip, Replace or Metaspace",
                 checkpoint::shown(std::string_view(type)));
  }
}

}  // namespace megascale::tokenizers
