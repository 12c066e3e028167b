// Parses JSON that may be damaged or hostile. nlohmann-json alone would accept duplicate keys and
// any nesting depth, and its messages quote the input without a limit. So a parse callback checks
// keys and depth while the text is parsed, and every quoted value passes through shown(), which
// shortens it and removes control characters.
#include "megascale/checkpoint/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "megascale/base/utf8.h"

namespace megascale::checkpoint {
namespace {

using Json = nlohmann::json;

std::string in(std::string_view where) {
  return where.empty() ? std::string() : fmt::format(" in {}", where);
}

}  // namespace

Error JsonSource::error(std::string_view message) const {
  return Error(code, fmt::format("{}: {}", file, message));
}

Json parse_json(std::string_view text, const JsonSource& source, int depth_max) {
  // Keys seen so far in each object that is still open, outermost first.
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth >= depth_max &&
        (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start)) {
      throw source.error(fmt::format("expected JSON of at most {} levels, found more", depth_max));
    }
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(value.get_ref<const std::string&>()).second) {
      throw source.error(fmt::format("expected each key once, found {} twice", shown(value)));
    }
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception& error) {
    // The library's message quotes the input, so it is shortened as well.
    throw source.error(
        fmt::format("expected JSON, found an error: {}", shown(std::string_view(error.what()))));
  }
}

const Json& member(const Json& object, const char* key, const JsonSource& source,
                   std::string_view where) {
  if (!object.is_object()) {
    throw source.error(fmt::format("expected an object{}, found {}", in(where), shown(object)));
  }
  const auto found = object.find(key);
  if (found == object.end())
    throw source.error(fmt::format("expected the key \"{}\"{}, found none", key, in(where)));
  return *found;
}

std::string string_member(const Json& object, const char* key, const JsonSource& source,
                          std::string_view where) {
  const Json& value = member(object, key, source, where);
  if (!value.is_string()) {
    throw source.error(
        fmt::format("expected \"{}\"{} to be a string, found {}", key, in(where), shown(value)));
  }
  return value.get<std::string>();
}

std::int64_t integer_member(const Json& object, const char* key, const JsonSource& source,
                            std::string_view where, std::int64_t min) {
  const Json& value = member(object, key, source, where);
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <=
                              static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                        : value.is_number_integer();
  if (!fits || value.get<std::int64_t>() < min) {
    throw source.error(fmt::format("expected \"{}\"{} to be an integer >= {}, found {}", key,
                                   in(where), min, shown(value)));
  }
  return value.get<std::int64_t>();
}

const Json& array_member(const Json& object, const char* key, const JsonSource& source,
                         std::string_view where) {
  const Json& value = member(object, key, source, where);
  if (!value.is_array()) {
    throw source.error(
        fmt::format("expected \"{}\"{} to be a list, found {}", key, in(where), shown(value)));
  }
  return value;
}

std::string shown(const Json& value) {
  if (value.is_structured() && value.size() > 16) {
    return fmt::format("{} of {} entries", value.is_object() ? "an object" : "a list",
                       value.size());
  }
  return shown(std::string_view(value.dump(-1, ' ', true, Json::error_handler_t::replace)));
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  std::string line(text.substr(0, kLongest));
  line.resize(valid_utf8_prefix(line));
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return line.size() < text.size() ? line + "..." : line;
}

}  // namespace megascale::checkpoint
