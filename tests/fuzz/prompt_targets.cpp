#include <algorithm>
#include <string>

#include "fuzz/targets.h"
#include "megascale/base/error.h"
#include "megascale/base/utf8.h"
#include "megascale/generate/prompt_file.h"
#include "megascale/tasks/task_file.h"

namespace megascale::fuzz {
namespace {

std::size_t line_count(std::string_view text) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void require_named(const Error& error) {
  MEGASCALE_CHECK(
      error.code() == ErrorCode::bad_input && error.message().starts_with("fuzz.jsonl:"),
      error.message());
}

}  // namespace

bool prompt_file(std::span<const std::byte> input) {
  try {
    std::size_t last = 0;
    for (const generate::PromptLine& line : generate::parse_prompts(as_text(input), "fuzz.jsonl")) {
      MEGASCALE_CHECK(line.line > last && line.line <= line_count(as_text(input)), "lines rise");
      last = line.line;
      const auto* text = std::get_if<std::string>(&line.prompt);
      MEGASCALE_CHECK(text != nullptr ? valid_utf8_prefix(*text) == text->size()
                                      : !std::get<1>(line.prompt).empty(),
                      "a text, or ids");
    }
    return true;
  } catch (const Error& error) {
    require_named(error);
    return false;
  }
}

bool task_file(std::span<const std::byte> input) {
  try {
    const tasks::Task task = tasks::parse_task(as_text(input), "fuzz.jsonl");
    MEGASCALE_CHECK(!task.documents.empty() && task.documents.size() <= line_count(as_text(input)),
                    "no more documents than lines");
    for (const tasks::Document& document : task.documents) {
      MEGASCALE_CHECK(std::none_of(document.choices.begin(), document.choices.end(),
                                   [](const std::string& choice) { return choice.empty(); }),
                      "choices are not empty");
      const bool is_text = task.kind == tasks::TaskKind::perplexity;
      MEGASCALE_CHECK(is_text ? !document.context.empty() : document.gold < document.choices.size(),
                      "a right choice, or a text");
    }
    return true;
  } catch (const Error& error) {
    require_named(error);
    return false;
  }
}

}  // namespace megascale::fuzz
