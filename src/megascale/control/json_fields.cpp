// Checked access to JSON. A member that is missing reads as null, which no expectation accepts.
#include "megascale/control/json_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "megascale/base/error.h"
#include "megascale/checkpoint/json_text.h"

namespace megascale::control {
namespace {

constexpr int kDeepest = 16;  // levels of nesting

}  // namespace

Parsed parse_object(std::string_view text, std::string_view what) {
  const checkpoint::JsonSource source{.file = std::string(what), .code = ErrorCode::bad_input};
  Parsed object = checkpoint::parse_json(text, source, kDeepest);
  if (!object.is_object())
    throw source.error("expected a JSON object, found " + checkpoint::shown(object));
  return object;
}

std::string to_text(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Fields::Fields(const Parsed& object, std::string_view what) : object_(object), what_(what) {
  if (!object.is_object()) {
    throw Error(ErrorCode::bad_input, fmt::format("{}: expected a JSON object, found {}", what,
                                                  checkpoint::shown(object)));
  }
}

const Parsed& Fields::member(const char* key) const {
  static const Parsed kMissing;
  const auto found = object_.find(key);
  return found == object_.end() ? kMissing : *found;
}

void Fields::refuse(const char* key, std::string_view expected, const Parsed& found) const {
  throw Error(ErrorCode::bad_input, fmt::format("{}: {}: expected {}, found {}", what_, key,
                                                expected, checkpoint::shown(found)));
}

std::int64_t Fields::integer(const char* key, std::int64_t low, std::int64_t high) const {
  const Parsed& value = member(key);
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() &&
                      value.get<std::uint64_t>() >
                          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high)
    refuse(key, fmt::format("an integer from {} to {}", low, high), value);
  return value.get<std::int64_t>();
}

std::int64_t Fields::at_least(const char* key, std::int64_t low) const {
  return integer(key, low, std::int64_t{1} << 62);
}

double Fields::real(const char* key) const {
  const Parsed& value = member(key);
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
    refuse(key, "a number of at least 0", value);
  return value.get<double>();
}

bool Fields::boolean(const char* key) const {
  const Parsed& value = member(key);
  if (!value.is_boolean()) refuse(key, "true or false", value);
  return value.get<bool>();
}

std::string Fields::text(const char* key) const {
  const Parsed& value = member(key);
  if (!value.is_string() || value.get_ref<const std::string&>().size() > kMostTextBytes)
    refuse(key, fmt::format("a string of at most {} bytes", kMostTextBytes), value);
  return value.get<std::string>();
}

std::int64_t Fields::integer_or(const char* key, std::int64_t low, std::int64_t high,
                                std::int64_t otherwise) const {
  return has(key) ? integer(key, low, high) : otherwise;
}

std::string Fields::text_or(const char* key, std::string otherwise) const {
  return has(key) ? text(key) : std::move(otherwise);
}

const Parsed& Fields::list(const char* key) const {
  const Parsed& value = member(key);
  if (!value.is_array() || value.size() > kMostItems)
    refuse(key, fmt::format("a list of at most {} items", kMostItems), value);
  return value;
}

std::vector<std::int64_t> Fields::integers(const char* key, std::int64_t low) const {
  std::vector<std::int64_t> numbers;
  for (const Parsed& item : list(key))
    numbers.push_back(Fields(Parsed{{key, item}}, what_).at_least(key, low));
  return numbers;
}

std::vector<std::string> Fields::texts(const char* key) const {
  std::vector<std::string> found;
  for (const Parsed& item : list(key))
    found.push_back(Fields(Parsed{{key, item}}, what_).text(key));
  return found;
}

std::size_t Fields::word(const char* key, std::span<const std::string_view> words) const {
  const Parsed& value = member(key);
  const auto* found = words.data() + words.size();
  if (value.is_string())
    found = std::find(words.data(), found, std::string_view(value.get_ref<const std::string&>()));
  if (found == words.data() + words.size())
    refuse(key, fmt::format("one of: {}", fmt::join(words, ", ")), value);
  return static_cast<std::size_t>(found - words.data());
}

}  // namespace megascale::control
