// Parses the lines of JSONL files. A line without the key is a frequent mistake, so its message
// lists the keys that are there and names the one that most likely holds the documents.
#include "megascale/data/json_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/base/near_name.h"
#include "megascale/base/utf8.h"
#include "megascale/checkpoint/json_text.h"
#include "megascale/data/text_checks.h"

namespace megascale {
namespace {

using nlohmann::json;

constexpr std::size_t kKeysShown = 8;

Error bad(const std::string& what) { return {ErrorCode::bad_input, what}; }

bool is_document(const json& value) {
  return value.is_string() || (value.is_array() && !value.empty() && value[0].is_number_integer());
}
std::size_t size_of(const json& value) {
  return value.is_string() ? value.get_ref<const std::string&>().size() : value.size();
}

Error missing_key(const json& object, std::string_view key) {
  std::vector<std::string> possible;
  const json* largest = nullptr;
  std::string of_largest;
  for (const auto& [name, value] : object.items()) {
    if (!is_document(value)) continue;
    possible.push_back(name);
    if (largest == nullptr || size_of(value) > size_of(*largest)) {
      largest = &value;
      of_largest = name;
    }
  }
  const std::string near = nearest_name(key, possible);
  const std::string& best = near.empty() ? of_largest : near;
  return bad(fmt::format(
      "expected the key \"{}\", found {}{}", key, keys_of(object),
      best.empty() ? ""
                   : fmt::format("; if \"{0}\" holds the documents, add --json-key {0}", best)));
}

std::vector<std::int64_t> ids_of(const json& list, std::string_view key) {
  std::vector<std::int64_t> ids;
  ids.reserve(list.size());
  for (const json& id : list) {
    if (!id.is_number_integer()) {
      throw bad(fmt::format("\"{}\": expected token ids, found {}", key, checkpoint::shown(id)));
    }
    // Numbers that int64 cannot hold are in no vocabulary.
    const bool fits = !id.is_number_unsigned() || id.get<std::uint64_t>() <= INT64_MAX;
    ids.push_back(fits ? id.get<std::int64_t>() : -1);
  }
  return ids;
}

JsonDocument document_of(const std::string& line, std::string_view key,
                         const Tokenizer& tokenizer) {
  json object = parse_json_line(line);
  const auto found = object.find(key);
  if (found == object.end()) throw missing_key(object, key);
  if (is_document(*found) && found->is_array()) return ids_of(*found, key);
  if (!found->is_string()) {
    throw bad(fmt::format("\"{}\": expected a text or a list of token ids, found {}", key,
                          checkpoint::shown(*found)));
  }
  auto& text = found->get_ref<std::string&>();
  if (text.empty()) throw bad(fmt::format("\"{}\": expected text, found \"\"", key));
  if (const std::size_t at = tokenizer.reserved_at(text); at != std::string::npos)
    throw bad(wrong_byte(fmt::format("\"{}\"", key), at, kNoReservedByte, text[at]));
  return std::move(text);
}

}  // namespace

json parse_json_line(const std::string& line) {
  if (const std::size_t valid = valid_utf8_prefix(line); valid != line.size())
    throw bad(wrong_byte("in the line", valid, "UTF-8", line[valid]));
  json object;
  try {
    object = json::parse(line);
  } catch (const json::parse_error& error) {
    throw bad(fmt::format("byte {} of the line: expected JSON, found a syntax error", error.byte));
  } catch (const json::exception& error) {
    throw bad(fmt::format("expected JSON: {}", error.what()));
  }
  if (!object.is_object())
    throw bad(fmt::format("expected a JSON object, found {}", object.type_name()));
  return object;
}

std::string keys_of(const json& object) {
  std::vector<std::string> shown;
  for (const auto& [name, value] : object.items()) {
    if (shown.size() == kKeysShown) {
      shown.push_back(fmt::format("and {} others", object.size() - kKeysShown));
      break;
    }
    shown.push_back(fmt::format("\"{}\"", checkpoint::shown(std::string_view(name))));
  }
  return shown.empty() ? "no key" : fmt::format("{}", fmt::join(shown, ", "));
}

std::int64_t read_json_lines(std::string_view lines, const JsonLines& to) {
  return for_each_json_line(
      lines, [&](const std::string& line) { return document_of(line, to.key, to.tokenizer); },
      to.sink, to.problem);
}

}  // namespace megascale
