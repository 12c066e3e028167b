// Turns TOML text and overrides into a configuration, or into one error that lists all problems.
// The loader first collects assignments (key, value, place) from the file and then from the
// overrides. finish() applies them in that order, model.type first, since it sets defaults of other
// keys. It then checks ranges and rules, and reports every violation at the place that set the key.
#include "megascale/config/load.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <list>
#include <map>
#include <type_traits>

#include "megascale/base/files.h"
#include "megascale/base/near_name.h"
#include "megascale/base/toml_nesting.h"
#include "megascale/base/utf8.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"
#include "megascale/config/rules.h"

namespace megascale {
namespace {

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

std::string shortened(std::string text) {
  constexpr std::size_t kLongest = 60;  // a message stays on one line
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  if (text.size() <= kLongest) return text;
  return text.substr(0, valid_utf8_prefix(std::string_view(text).substr(0, kLongest))) + "...";
}

std::string describe(const toml::node& node) {
  if (const auto* text = node.as_string()) {
    return shortened(fmt::format("the string \"{}\"", text->get()));
  }
  if (const auto* integer = node.as_integer()) return fmt::format("the integer {}", integer->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("the number {}", real->get());
  if (const auto* boolean = node.as_boolean()) return fmt::format("{}", boolean->get());
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  return "a date or time";
}

// The value that a file or an override gives to one key.
struct Assignment {
  const Field* field;
  std::string location;  // "file:line" or "--set model.lr=3"
  std::uint32_t order;   // for sorting: the line, or for overrides kOverrides + their number
  const toml::node* value;
};

struct Problem {
  std::uint32_t order;  // as in Assignment
  std::string text;
};

// ---- one value ---------------------------------------------------------------------------------

// Each stores the node's value in `config`. Returns false, and stores nothing, if the type is
// wrong.
bool set_value(const IntegerAccess& access, const toml::node& node, Config& config) {
  const auto* text = node.as_string();
  if (access.may_be_auto && text != nullptr && text->get() == "auto") {
    access.get(config) = CheckpointConfig::kAuto;
    return true;
  }
  const auto* integer = node.as_integer();
  // kAuto is no number that a file may hold.
  if (integer == nullptr || (access.may_be_auto && integer->get() == CheckpointConfig::kAuto))
    return false;
  access.get(config) = integer->get();
  return true;
}
bool set_value(const RealAccess& access, const toml::node& node, Config& config) {
  if (const auto* real = node.as_floating_point()) {
    access.get(config) = real->get();
    return true;
  }
  const auto* integer = node.as_integer();  // "lr = 1" is an integer in TOML
  if (integer != nullptr) access.get(config) = static_cast<double>(integer->get());
  return integer != nullptr;
}
bool set_value(const BooleanAccess& access, const toml::node& node, Config& config) {
  const auto* boolean = node.as_boolean();
  if (boolean != nullptr) access.get(config) = boolean->get();
  return boolean != nullptr;
}
bool set_value(const StringAccess& access, const toml::node& node, Config& config) {
  const auto* text = node.as_string();
  if (text != nullptr) access.get(config) = text->get();
  return text != nullptr;
}
bool set_value(const EnumAccess& access, const toml::node& node, Config& config) {
  const auto* text = node.as_string();
  return text != nullptr && access.set(config, text->get());
}
// "weights = [1, 2]" has integers in TOML, "weights = [0.5, 2]" has both types.
template <class Element>
std::optional<Element> element_of_list(const toml::node& node) {
  if constexpr (std::is_same_v<Element, double>) {
    if (const auto integer = node.value_exact<std::int64_t>()) return static_cast<double>(*integer);
  }
  return node.value_exact<Element>();
}
template <class Element>
bool set_list(std::vector<Element>& list, const toml::node& node) {
  if (const auto one = element_of_list<Element>(node)) {
    list = {*one};
    return true;
  }
  const toml::array* array = node.as_array();
  if (array == nullptr) return false;
  std::vector<Element> elements;
  for (const toml::node& element : *array) {
    const auto value = element_of_list<Element>(element);
    if (!value) return false;
    elements.push_back(*value);
  }
  list = std::move(elements);
  return true;
}
bool set_value(const StringListAccess& access, const toml::node& node, Config& config) {
  return set_list(access.get(config), node);
}
bool set_value(const IntegerListAccess& access, const toml::node& node, Config& config) {
  return set_list(access.get(config), node);
}
bool set_value(const RealListAccess& access, const toml::node& node, Config& config) {
  return set_list(access.get(config), node);
}

std::string type_error(const Field& field, const toml::node& node) {
  std::string text = fmt::format("expected {}, found {}", describe_type(field), describe(node));
  const auto* access = std::get_if<EnumAccess>(&field.access);
  if (access != nullptr && node.is_string()) {
    const std::string near = nearest_name(node.as_string()->get(), access->names());
    if (!near.empty()) text += fmt::format("; did you mean \"{}\"?", near);
  }
  return text;
}

// ---- names -------------------------------------------------------------------------------------

bool is_word_of(std::string_view word, std::string_view words) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t space = std::min(words.find(' ', at), words.size());
    if (words.substr(at, space - at) == word) return true;
    at = space + 1;
  }
  return false;
}

// Returns a hint such as "; did you mean train.seed?" for a key that does not exist, or an empty
// text. Candidates, in this order: the same key in another section; the key that other engines call
// so; the nearest spelling in this section; the nearest spelling in any section.
std::string key_hint(std::string_view section, const std::string& key) {
  for (const Field& field : config_fields()) {
    if (field.key == key) return fmt::format("; did you mean {}?", full_name(field));
  }
  std::vector<std::string> here, everywhere;
  const Field* foreign = nullptr;
  for (const Field& field : config_fields()) {
    if (is_word_of(key, field.also_known) && (foreign == nullptr || field.section == section)) {
      foreign = &field;
    }
    if (field.section == section) here.emplace_back(field.key);
    everywhere.emplace_back(field.key);
  }
  if (foreign != nullptr) return fmt::format("; here it is {}", full_name(*foreign));
  const std::string near_here = nearest_name(key, here);
  if (!near_here.empty()) return fmt::format("; did you mean {}.{}?", section, near_here);
  const std::string near = nearest_name(key, everywhere);
  for (const Field& field : config_fields()) {
    if (field.key == near) return fmt::format("; did you mean {}?", full_name(field));
  }
  return "";
}

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const Field& field : config_fields()) {
    if (names.empty() || names.back() != field.section) names.emplace_back(field.section);
  }
  return names;
}

std::string section_hint(const std::string& section) {
  const std::string near = nearest_name(section, section_names());
  return near.empty() ? "" : fmt::format("; did you mean [{}]?", near);
}

bool is_section(std::string_view name) {
  const auto names = section_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// ---- the whole configuration -------------------------------------------------------------------

class Loader {
 public:
  explicit Loader(std::string_view file_name) : file_(file_name) {}

  // Returns false if the text is no TOML. No value of it is used then.
  bool add_file(std::string_view text) {
    if (const std::string wrong = nesting_problem(text); !wrong.empty()) {
      problems_.push_back({0, fmt::format("{}: {}", file_, wrong)});
      return false;
    }
    try {
      file_table_ = toml::parse(text, std::string_view(file_));
    } catch (const toml::parse_error& error) {
      problem(error.source().begin.line, fmt::format("broken TOML: {}", error.description()));
      return false;
    }
    for (const auto& [name, node] : file_table_) add_section(name.str(), node);
    return true;
  }

  void add_override(const std::string& text);
  // Checks the values against ranges and rules, unless `checks` is false, and returns the resolved
  // configuration. `find_model` may be empty.
  LoadedConfig finish(bool complete, const FindModel& find_model = {}, bool checks = true);

 private:
  Config apply(const std::optional<CheckpointDefaults>& checkpoint);
  [[nodiscard]] ConfigPlaces places() const;
  void add_section(std::string_view given, const toml::node& node);
  void problem(std::uint32_t line, std::string_view text) {
    problems_.push_back({line, fmt::format("{}:{}: {}", file_, line, text)});
  }
  void assign(const Assignment& assignment, Config& config);
  const toml::node* override_value(const Field& field, std::string_view text);

  static constexpr std::uint32_t kOverrides = 1U << 31;  // larger than every line number

  std::string file_;
  toml::table file_table_;
  std::list<toml::table> override_tables_;  // a list, since assignments point to its elements
  std::uint32_t override_count_ = 0;
  std::vector<Assignment> assignments_;
  std::vector<Problem> problems_;
  std::vector<std::string> broken_;  // keys whose value could not be used
};

void Loader::add_section(std::string_view given, const toml::node& node) {
  const std::string section = with_underscores(given);
  const std::uint32_t line = node.source().begin.line;
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    const std::string hint =
        is_section(section) ? fmt::format("; [{}] is a section", section) : key_hint("", section);
    problem(line, fmt::format("{}: a key outside of any section{}", shortened(section), hint));
    return;
  }
  if (!is_section(section)) {
    problem(line,
            fmt::format("[{}]: unknown section{}", shortened(section), section_hint(section)));
    return;
  }
  for (const auto& [given_key, value] : *table) {
    const std::string key = with_underscores(given_key.str());
    const std::uint32_t key_line = value.source().begin.line;
    const Field* field = find_field(section, key);
    if (field == nullptr) {
      problem(key_line,
              fmt::format("{}.{}: unknown key{}", section, shortened(key), key_hint(section, key)));
      continue;
    }
    for (const Assignment& other : assignments_) {
      if (other.field != field) continue;
      problem(std::max(key_line, other.order),
              fmt::format("{}: given twice, on lines {} and {}", full_name(*field),
                          std::min(key_line, other.order), std::max(key_line, other.order)));
    }
    assignments_.push_back({field, fmt::format("{}:{}", file_, key_line), key_line, &value});
  }
}

// Returns the text of an override as a TOML node, or null if it is no value. The node belongs to
// override_tables_.
const toml::node* Loader::override_value(const Field& field, std::string_view text) {
  toml::table table;
  const auto* integer = std::get_if<IntegerAccess>(&field.access);
  const bool is_text = std::holds_alternative<StringAccess>(field.access) ||
                       std::holds_alternative<EnumAccess>(field.access) ||
                       (integer != nullptr && integer->may_be_auto && text == "auto");
  const bool is_list = std::holds_alternative<StringListAccess>(field.access) ||
                       std::holds_alternative<IntegerListAccess>(field.access) ||
                       std::holds_alternative<RealListAccess>(field.access);
  const bool is_toml = !text.empty() && (text[0] == '"' || text[0] == '\'' || text[0] == '[');
  if (is_text && !is_toml) {
    table.insert("value", std::string(text));
  } else if (std::holds_alternative<StringListAccess>(field.access) && !is_toml) {
    toml::array array;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      array.push_back(std::string(text.substr(at, comma - at)));
      at = comma + 1;
    }
    table.insert("value", std::move(array));
  } else {
    if (text.find_first_of("\r\n") != std::string_view::npos || !nesting_problem(text).empty())
      return nullptr;
    try {
      table = toml::parse(is_list && !is_toml ? fmt::format("value = [{}]", text)
                                              : fmt::format("value = {}", text));
    } catch (const toml::parse_error&) {
      return nullptr;
    }
  }
  return override_tables_.emplace_back(std::move(table)).get("value");
}

void Loader::add_override(const std::string& text) {
  const std::uint32_t order = kOverrides + override_count_++;
  const std::string location = "--set " + shortened(text);
  const std::size_t equals = text.find('=');
  const std::string name = with_underscores(std::string_view(text).substr(0, equals));
  const std::size_t dot = name.find('.');
  if (equals == std::string::npos || dot == std::string::npos) {
    const std::string hint = equals == std::string::npos ? "" : key_hint("", name);
    problems_.push_back({order, fmt::format("{}: expected section.key=value{}", location, hint)});
    return;
  }
  const std::string section = name.substr(0, dot), key = name.substr(dot + 1);
  const Field* field = find_field(section, key);
  if (field == nullptr) {
    const std::string what = is_section(section)
                                 ? fmt::format("unknown key{}", key_hint(section, key))
                                 : fmt::format("unknown section{}", section_hint(section));
    problems_.push_back({order, fmt::format("{}: {}", location, what)});
    return;
  }
  const std::string_view value_text = std::string_view(text).substr(equals + 1);
  const toml::node* value = override_value(*field, value_text);
  if (value == nullptr) {
    problems_.push_back(
        {order, fmt::format("{}: expected {}, found {}", location, describe_type(*field),
                            shortened(std::string(value_text)))});
    broken_.push_back(full_name(*field));
    return;
  }
  assignments_.push_back({field, location, order, value});
}

void Loader::assign(const Assignment& assignment, Config& config) {
  const Field& field = *assignment.field;
  const bool fits =
      std::visit([&](const auto& access) { return set_value(access, *assignment.value, config); },
                 field.access);
  if (fits) return;
  broken_.push_back(full_name(field));
  problems_.push_back(
      {assignment.order, fmt::format("{}: {}: {}", assignment.location, full_name(field),
                                     type_error(field, *assignment.value))});
}

// Returns the configuration that the assignments make of the checkpoint's values, or of the defaults
// of model.type.
Config Loader::apply(const std::optional<CheckpointDefaults>& checkpoint) {
  Config config;
  const Field* type = find_field("model", "type");
  bool gives_positions = false;
  if (checkpoint) {
    config.model = checkpoint->model;
    config.data.split_each_set = checkpoint->split_each_set;
  }
  for (const Assignment& assignment : assignments_) {
    if (assignment.field == type) assign(assignment, config);
  }
  if (!checkpoint) apply_model_type_defaults(config.model);
  for (const Assignment& assignment : assignments_) {
    if (assignment.field != type) assign(assignment, config);
    gives_positions |= assignment.field->key == "max_position_embeddings";
  }
  // Rotary positions have no table, so a checkpoint's number of positions is no limit for training.
  if (checkpoint && !gives_positions &&
      config.model.position_embedding == PositionEmbedding::rope &&
      config.model.max_position_embeddings < config.model.seq_length)
    config.model.max_position_embeddings = 0;
  return config;
}

ConfigPlaces Loader::places() const {
  ConfigPlaces places;
  for (const Assignment& assignment : assignments_)
    places[full_name(*assignment.field)] = assignment.location;
  return places;
}

LoadedConfig Loader::finish(bool complete, const FindModel& find_model, bool checks) {
  const auto problems = problems_;
  const auto broken = broken_;
  Config config = apply(std::nullopt);
  if (complete && find_model) {
    if (const auto checkpoint = find_model(resolve(config))) {
      problems_ = problems;
      broken_ = broken;
      config = apply(checkpoint);
    }
  }
  std::map<std::string, const Assignment*> last;  // the assignment that decided each key's value
  for (const Assignment& assignment : assignments_)
    last[full_name(*assignment.field)] = &assignment;
  // If the file could not be parsed, most values are mere defaults. Rules between keys would then
  // report errors that the user did not make.
  if (complete && checks) {
    for (const Violation& violation : find_violations(config, broken_)) {
      const auto key = std::find_if(violation.keys.begin(), violation.keys.end(),
                                    [&](const std::string& name) { return last.contains(name); });
      const Assignment* source = key == violation.keys.end() ? nullptr : last.at(*key);
      const std::string& name = source == nullptr ? violation.keys.front() : *key;
      problems_.push_back({source == nullptr ? 0 : source->order,
                           fmt::format("{}: {}: {}", source == nullptr ? file_ : source->location,
                                       name, violation.message)});
    }
  }
  if (problems_.empty()) return {.config = resolve(std::move(config)), .places = places()};
  std::stable_sort(problems_.begin(), problems_.end(),
                   [](const Problem& a, const Problem& b) { return a.order < b.order; });
  std::vector<Error> errors;
  for (Problem& found : problems_) errors.emplace_back(ErrorCode::bad_usage, std::move(found.text));
  throw join_errors(errors);
}

std::string read_file(const std::filesystem::path& file) try {
  return read_text(file);
} catch (const Error& error) {
  throw Error(ErrorCode::bad_usage, fmt::format("configuration: {}", error.message()));
}

}  // namespace

LoadedConfig parse_config_on_model(std::string_view text, std::string_view file_name,
                                   std::span<const std::string> overrides,
                                   const FindModel& find_model) {
  Loader loader(file_name);
  const bool complete = loader.add_file(text);
  for (const std::string& text_of_one : overrides) loader.add_override(text_of_one);
  return loader.finish(complete, find_model);
}

LoadedConfig load_config_on_model(const std::filesystem::path& file,
                                  std::span<const std::string> overrides,
                                  const FindModel& find_model) {
  return parse_config_on_model(read_file(file), file.string(), overrides, find_model);
}

Config parse_config(std::string_view text, std::string_view file_name,
                    std::span<const std::string> overrides) {
  return parse_config_on_model(text, file_name, overrides).config;
}

Config load_config(const std::filesystem::path& file, std::span<const std::string> overrides) {
  return parse_config(read_file(file), file.string(), overrides);
}

LoadedConfig read_values(std::string_view text, std::string_view file_name) {
  Loader loader(file_name);
  const bool complete = loader.add_file(text);
  return loader.finish(complete, {}, /*checks=*/false);
}

}  // namespace megascale
