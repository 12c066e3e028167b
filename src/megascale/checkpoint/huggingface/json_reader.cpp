// Typed access to config.json, with errors that name file and key.
#include "megascale/checkpoint/huggingface/json_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace megascale::checkpoint::huggingface {

JsonReader::JsonReader(std::string_view text, const std::string& file)
    : source_{file, ErrorCode::bad_input}, json_(parse_json(text, source_, 16)) {
  if (!json_.is_object())
    throw source_.error(fmt::format("expected an object, found {}", shown(json_)));
}

std::int64_t JsonReader::integer(const char* key) const {
  return integer_member(json_, key, source_, path_, 1);
}

std::int64_t JsonReader::count(const char* key, std::int64_t otherwise) const {
  return has(key) ? integer_member(json_, key, source_, path_, 0) : otherwise;
}

double JsonReader::number(const char* key) const {
  const nlohmann::json& value = member(json_, key, source_, path_);
  if (!value.is_number()) throw expected(key, "a number");
  return value.get<double>();
}

bool JsonReader::boolean(const char* key, bool otherwise) const {
  if (!has(key)) return otherwise;
  if (!json_[key].is_boolean()) throw expected(key, "true or false");
  return json_[key].get<bool>();
}

std::string JsonReader::text(const char* key) const {
  return string_member(json_, key, source_, path_);
}

std::vector<std::string> JsonReader::texts(const char* key) const {
  std::vector<std::string> all;
  for (const nlohmann::json& text : array_member(json_, key, source_, path_)) {
    if (!text.is_string()) throw expected(key, "a list of strings");
    all.push_back(text.get<std::string>());
  }
  return all;
}

std::vector<std::int64_t> JsonReader::counts(const char* key) const {
  std::vector<std::int64_t> all;
  if (!has(key)) return all;
  for (const nlohmann::json& count : array_member(json_, key, source_, path_)) {
    if (!count.is_number_unsigned() || count.get<std::uint64_t>() > INT64_MAX)
      throw expected(key, "a list of integers from 0 on");
    all.push_back(count.get<std::int64_t>());
  }
  return all;
}

std::vector<double> JsonReader::numbers(const char* key) const {
  std::vector<double> all;
  for (const nlohmann::json& number : array_member(json_, key, source_, path_)) {
    if (!number.is_number()) throw expected(key, "a list of numbers");
    all.push_back(number.get<double>());
  }
  return all;
}

JsonReader JsonReader::object(const char* key) const {
  const nlohmann::json& value = member(json_, key, source_, path_);
  if (!value.is_object()) throw expected(key, "an object");
  return {value, source_, full_name(key)};
}

void JsonReader::need(const char* key, const nlohmann::json& only, std::string_view reason) const {
  if (has(key) && json_[key] != only) throw unsupported(key, only.dump(), reason);
}

void JsonReader::need_one_of(const char* key, std::initializer_list<const char*> names) const {
  if (!has(key)) return;
  std::string wanted;
  for (const char* name : names) {
    if (json_[key] == name) return;
    wanted += fmt::format("{}\"{}\"", wanted.empty() ? "" : " or ", name);
  }
  throw unsupported(key, wanted);
}

Error JsonReader::unsupported(const char* key, std::string_view wanted,
                              std::string_view reason) const {
  return {ErrorCode::unsupported,
          fmt::format("{}: expected {} = {}, found {}: {}", source_.file, full_name(key), wanted,
                      json_.contains(key) ? shown(json_[key]) : "no such key", reason)};
}

Error JsonReader::expected(const char* key, std::string_view type) const {
  return source_.error(fmt::format("expected \"{}\" to be {}, found {}", full_name(key), type,
                                   shown(json_.at(key))));
}

std::string JsonReader::full_name(const char* key) const {
  return path_.empty() ? key : fmt::format("{}.{}", path_, key);
}

}  // namespace megascale::checkpoint::huggingface
