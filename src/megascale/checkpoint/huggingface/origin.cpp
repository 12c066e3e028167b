// Keeps the form of an imported model, and plans the same files for an export.
#include "megascale/checkpoint/huggingface/origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "megascale/base/files.h"
#include "megascale/base/utf8.h"
#include "megascale/checkpoint/huggingface/runs.h"

namespace megascale::checkpoint::huggingface {
namespace {

using Json = nlohmann::json;

// The texts of a model directory that are kept. Tokenizers are no part of the form.
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr std::array kTexts{"config.json", "generation_config.json", kIndex};
// Larger texts are not kept. The index of a model with 100,000 tensors has about 10 MB.
constexpr std::uintmax_t kTextMax = std::uintmax_t{16} << 20;

// Checks that `name` is the name of a file and not a path out of the directory.
void check_name(const std::string& name, const JsonSource& source) {
  if (name.empty() || name.front() == '.' ||
      name.find_first_of(std::string_view("/\0", 2)) != std::string::npos) {
    throw source.error(fmt::format("expected the name of a file in the origin, found \"{}\"",
                                   shown(std::string_view(name))));
  }
}

constexpr std::size_t kLengthNbytes = 8;  // a file begins with the length of its header

std::string with_length(const std::string& header) {
  std::string bytes(kLengthNbytes, '\0');
  for (std::size_t i = 0; i < kLengthNbytes; ++i)
    bytes[i] = static_cast<char>(header.size() >> (8 * i));
  return bytes + header;
}

std::string_view without_prefix(std::string_view name, ModelType type) {
  if (name.starts_with(prefix_of(type))) name.remove_prefix(prefix_of(type).size());
  return name;
}

// Returns the mappings that say where the values of their tensor `name` are; none if it has none.
std::span<const TensorMapping> mappings_of(std::string_view name,
                                           std::span<const TensorMapping> map, ModelType type,
                                           bool tied) {
  if (tied && name == head_name(type)) return map.first(1);  // the word embedding
  name = without_prefix(name, type);
  const auto is_named = [&](const TensorMapping& mapping) { return mapping.theirs == name; };
  const auto first = std::find_if(map.begin(), map.end(), is_named);
  return {first, std::find_if_not(first, map.end(), is_named)};
}

// Removes the tensors `names` from a file. Returns whether tensors are left.
bool leave_out_of(Origin::Weights& weights, const std::set<std::string>& names) {
  const std::string head = with_length(weights.header);
  SafetensorsHeader header = parse_safetensors(std::as_bytes(std::span(head)), weights.nbytes, {});
  if (std::erase_if(header.tensors,
                    [&](const StoredTensor& t) { return names.contains(t.name); }) == 0)
    return true;
  if (header.tensors.empty()) return false;
  const std::string changed = make_safetensors_header(header.tensors, header.metadata);
  weights = {changed.substr(kLengthNbytes), changed.size() + header.tensors.back().end};
  return true;
}

std::uint64_t nbytes_of_tensors(const Origin& origin) {
  std::uint64_t nbytes = 0;
  for (const auto& [name, weights] : origin.weights)
    nbytes += weights.nbytes - kLengthNbytes - weights.header.size();
  return nbytes;
}

}  // namespace

Origin read_origin(const std::filesystem::path& directory, ModelType type,
                   const std::map<std::string, const SafetensorsFile*>& files) {
  Origin origin;
  for (const char* name : kTexts) {
    std::error_code error;
    const std::uintmax_t nbytes = std::filesystem::file_size(directory / name, error);
    if (error || nbytes > kTextMax) continue;
    std::string text = read_text(directory / name);
    // A manifest holds UTF-8 only. config.json and the index have been parsed, so they are.
    if (valid_utf8_prefix(text) == text.size()) origin.texts[name] = std::move(text);
  }
  for (const auto& [name, file] : files) {
    origin.weights[name] = {std::string(file->header_text()), file->nbytes()};
    for (const StoredTensor& tensor : file->header().tensors) {
      if (!is_buffer(type, without_prefix(tensor.name, type))) continue;
      if (auto runs = to_runs(file->bytes(tensor), itemsize(tensor.type)))
        origin.buffers[tensor.name] = std::move(*runs);
    }
  }
  return origin;
}

void leave_out(Origin& origin, const std::set<std::string>& names) {
  if (names.empty()) return;
  for (auto file = origin.weights.begin(); file != origin.weights.end();) {
    file = leave_out_of(file->second, names) ? std::next(file) : origin.weights.erase(file);
  }
  const auto text = origin.texts.find(kIndex);
  if (text == origin.texts.end()) return;
  auto index = nlohmann::ordered_json::parse(text->second);
  for (const std::string& name : names) index["weight_map"].erase(name);
  if (index.contains("metadata") && index["metadata"].contains("total_size"))
    index["metadata"]["total_size"] = nbytes_of_tensors(origin);
  text->second = index.dump(2) + "\n";
}

std::string to_text(const Origin& origin) {
  Json json{{"texts", origin.texts}, {"weights", Json::object()}};
  for (const auto& [name, weights] : origin.weights)
    json["weights"][name] = {{"header", weights.header}, {"nbytes", weights.nbytes}};
  // Buffers of all layers mostly have the same values, which are written once.
  std::map<std::string, std::size_t> numbers;
  for (const auto& [name, runs] : origin.buffers) {
    const auto [entry, is_new] = numbers.try_emplace(runs, numbers.size());
    if (is_new) json["runs"].push_back(runs);
    json["buffers"][name] = entry->second;
  }
  return json.dump();
}

Origin parse_origin(std::string_view text, const std::string& source_name) {
  const JsonSource source{source_name};
  const Json json = parse_json(text, source, 4);
  Origin origin;
  const auto object = [&](const char* key) -> const Json& {
    const Json& value = member(json, key, source, "the origin");
    if (!value.is_object())
      throw source.error(fmt::format("expected \"{}\" in the origin to be an object, found {}", key,
                                     shown(value)));
    return value;
  };
  const Json& texts = object("texts");
  for (const auto& [name, value] : texts.items()) {
    check_name(name, source);
    origin.texts[name] = string_member(texts, name.c_str(), source, "the origin");
  }
  for (const auto& [name, value] : object("weights").items()) {
    check_name(name, source);
    origin.weights[name] = {
        string_member(value, "header", source, name),
        static_cast<std::uint64_t>(integer_member(value, "nbytes", source, name))};
  }
  if (!json.contains("buffers")) return origin;
  const Json& runs = array_member(json, "runs", source, "the origin");
  const Json& buffers = object("buffers");
  for (const auto& [name, value] : buffers.items()) {
    const auto number = static_cast<std::size_t>(integer_member(buffers, name.c_str(), source));
    if (number >= runs.size() || !runs[number].is_string())
      throw source.error(fmt::format("expected text {} among the runs of the origin, found {}",
                                     number, shown(runs)));
    origin.buffers[name] = runs[number].get<std::string>();
  }
  return origin;
}

std::optional<std::vector<FilePlan>> plan_as_origin(const Origin& origin,
                                                    std::span<const TensorMapping> map,
                                                    ModelType type, bool tied) {
  std::vector<FilePlan> files;
  std::set<const TensorMapping*> written;
  for (const auto& [name, weights] : origin.weights) {
    FilePlan file{.name = name, .header = with_length(weights.header)};
    const auto header =
        parse_safetensors(std::as_bytes(std::span(file.header)), weights.nbytes, name);
    for (const StoredTensor& tensor : header.tensors) {
      const std::uint64_t nbytes = tensor.end - tensor.begin;
      if (origin.buffers.contains(tensor.name)) {
        file.parts.push_back({nullptr, tensor.type, tensor.name, nbytes});
        continue;
      }
      const auto mappings = mappings_of(tensor.name, map, type, tied);
      if (mappings.empty() || !can_write(tensor.type)) return std::nullopt;
      for (const TensorMapping& mapping : mappings) {
        if (tensor.shape != mapping.their_shape()) return std::nullopt;
        written.insert(&mapping);
        file.parts.push_back({&mapping,
                              tensor.type,
                              {},
                              *checked_numel(mapping.box().shape) * itemsize(tensor.type)});
      }
    }
    files.push_back(std::move(file));
  }
  if (files.empty() || written.size() != map.size()) return std::nullopt;
  return files;
}

}  // namespace megascale::checkpoint::huggingface
