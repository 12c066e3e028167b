#ifndef MEGASCALE_GENERATE_PROMPT_FILE_H_
#define MEGASCALE_GENERATE_PROMPT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace megascale::generate {

// One prompt of a file: a text, or token ids.
struct PromptLine {
  std::size_t line = 0;  // from 1
  std::variant<std::string, std::vector<std::int64_t>> prompt;
};

// Reads the prompts of a file, in two forms. If the first line that is not blank begins with "{", each
// line is an object {"prompt": TEXT} or {"prompt": [ID, ...]}, whose other keys are ignored. Otherwise
// each line is a text. Blank lines are left out. Throws Error (bad_input), "NAME:LINE: ...", for a line
// that is not UTF-8, an object without such a prompt, an empty prompt, and a file without prompts.
[[nodiscard]] std::vector<PromptLine> parse_prompts(std::string_view text, const std::string& name);

}  // namespace megascale::generate

#endif  // MEGASCALE_GENERATE_PROMPT_FILE_H_
