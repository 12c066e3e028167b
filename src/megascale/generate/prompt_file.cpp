#include "megascale/generate/prompt_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/base/utf8.h"
#include "megascale/checkpoint/json_text.h"
#include "megascale/data/json_lines.h"
#include "megascale/data/text_checks.h"

namespace megascale::generate {
namespace {

using nlohmann::json;
using Prompt = std::variant<std::string, std::vector<std::int64_t>>;

Error bad(const std::string& what) { return {ErrorCode::bad_input, what}; }

Prompt prompt_of(const std::string& line) {
  const json object = parse_json_line(line);
  const auto found = object.find("prompt");
  if (found == object.end())
    throw bad(fmt::format("expected the key \"prompt\", found {}", keys_of(object)));
  if (found->is_string() && !found->get_ref<const std::string&>().empty())
    return found->get<std::string>();
  const bool is_ids = found->is_array() && !found->empty() &&
                      std::all_of(found->begin(), found->end(), [](const json& id) {
                        return id.is_number_integer() &&
                               (!id.is_number_unsigned() || id.get<std::uint64_t>() <= INT32_MAX);
                      });
  if (is_ids) return found->get<std::vector<std::int64_t>>();
  throw bad(fmt::format("\"prompt\": expected a text or a list of token ids, found {}",
                        found->is_string() ? "\"\"" : checkpoint::shown(*found)));
}

Prompt text_of(const std::string& line) {
  if (const std::size_t valid = valid_utf8_prefix(line); valid != line.size())
    throw bad(wrong_byte("in the line", valid, "UTF-8", line[valid]));
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

}  // namespace

std::vector<PromptLine> parse_prompts(std::string_view text, const std::string& name) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const bool is_json = text.substr(first).starts_with('{');
  std::vector<PromptLine> prompts;
  (void)for_each_json_line(
      text, [&](const std::string& line) { return is_json ? prompt_of(line) : text_of(line); },
      [&](std::int64_t line, Prompt prompt) {
        prompts.push_back({static_cast<std::size_t>(line) + 1, std::move(prompt)});
      },
      [&](std::int64_t line, const Error& error) -> bool {
        throw Error(error.code(), fmt::format("{}:{}: {}", name, line + 1, error.message()));
      });
  if (prompts.empty())
    throw bad(fmt::format("{}: expected a prompt on each line, found none", name));
  return prompts;
}

}  // namespace megascale::generate
