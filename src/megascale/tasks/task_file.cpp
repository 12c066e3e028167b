// Every mistake of a file is an error: a document that is left out silently would change the result.
#include "megascale/tasks/task_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/checkpoint/json_text.h"
#include "megascale/data/json_lines.h"

namespace megascale::tasks {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kKindNames{"multiple choice", "continuation",
                                                     "perplexity"};

Error bad(const std::string& what) { return {ErrorCode::bad_input, what}; }

// Returns the value under the first of two keys that the object has. `other` may be empty.
const json& value_under(const json& object, std::string_view key, std::string_view other) {
  for (const std::string_view name : {key, other}) {
    const auto found = object.find(name);
    if (!name.empty() && found != object.end()) return *found;
  }
  throw bad(fmt::format("expected the key \"{}\"{}, found {}", key,
                        other.empty() ? "" : fmt::format(" or \"{}\"", other), keys_of(object)));
}

std::string text_of(const json& value, const std::string& place, bool may_be_empty) {
  if (!value.is_string())
    throw bad(fmt::format("{}: expected text, found {}", place, checkpoint::shown(value)));
  auto text = value.get<std::string>();
  if (text.empty() && !may_be_empty) throw bad(fmt::format("{}: expected text, found \"\"", place));
  return text;
}

std::string text_under(const json& object, std::string_view key, std::string_view other,
                       bool may_be_empty) {
  return text_of(value_under(object, key, other), fmt::format("\"{}\"", key), may_be_empty);
}

// Returns the index of the right choice.
std::size_t gold_of(const json& object, const std::vector<std::string>& choices) {
  const json& value = value_under(object, "answer", "gold");
  if (value.is_string()) {
    const auto found = std::find(choices.begin(), choices.end(), value.get<std::string>());
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
    throw bad(fmt::format("\"answer\": expected one of the choices or its index, found {}",
                          checkpoint::shown(value)));
  }
  const bool fits = value.is_number_integer() &&
                    (value.is_number_unsigned() || value.get<std::int64_t>() >= 0) &&
                    value.get<std::uint64_t>() < choices.size();
  if (fits) return value.get<std::size_t>();
  throw bad(fmt::format("\"answer\": expected the index of a choice, 0 to {}, found {}",
                        choices.size() - 1, checkpoint::shown(value)));
}

Document choices_of(const json& object) {
  Document document{.context = text_under(object, "context", "query", true)};
  const json& list = value_under(object, "choices", {});
  if (!list.is_array() || list.size() < 2) {
    throw bad(fmt::format("\"choices\": expected a list of at least two texts, found {}",
                          checkpoint::shown(list)));
  }
  for (std::size_t i = 0; i < list.size(); ++i)
    document.choices.push_back(text_of(list[i], fmt::format("\"choices\"[{}]", i), false));
  document.gold = gold_of(object, document.choices);
  return document;
}

Document document_of(const json& object, TaskKind kind) {
  switch (kind) {
    case TaskKind::multiple_choice:
      return choices_of(object);
    case TaskKind::continuation:
      return {.context = text_under(object, "context", "query", true),
              .choices = {text_under(object, "continuation", "target", false)}};
    case TaskKind::perplexity:
      break;
  }
  return {.context = text_under(object, "text", {}, false)};
}

TaskKind kind_of(const json& object) {
  if (object.contains("choices")) return TaskKind::multiple_choice;
  if (object.contains("continuation") || object.contains("target")) return TaskKind::continuation;
  if (object.contains("text")) return TaskKind::perplexity;
  throw bad(
      fmt::format("expected \"choices\" (multiple choice), \"continuation\" or \"text\" "
                  "(perplexity), found {}",
                  keys_of(object)));
}

}  // namespace

std::string_view to_string(TaskKind kind) noexcept {
  return kKindNames[static_cast<std::size_t>(kind)];
}

Task parse_task(std::string_view text, const std::string& file) {
  Task task{.name = std::filesystem::path(file).stem().string(), .file = file};
  std::optional<TaskKind> kind;
  (void)for_each_json_line(
      text,
      [&](const std::string& line) {
        const json object = parse_json_line(line);
        if (!kind) kind = kind_of(object);
        return document_of(object, *kind);
      },
      [&](std::int64_t line, Document document) {
        document.line = static_cast<std::size_t>(line) + 1;
        task.documents.push_back(std::move(document));
      },
      [&](std::int64_t line, const Error& error) -> bool {
        throw Error(error.code(), fmt::format("{}:{}: {}", file, line + 1, error.message()));
      });
  if (!kind) throw bad(fmt::format("{}: expected a document on each line, found none", file));
  task.kind = *kind;
  return task;
}

}  // namespace megascale::tasks
