// Reads the prompts of `megascale generate`. A single prompt may be longer than the context: the model
// then sees its end, and a message says so. In a file this is an error, since nobody would see it.
#include "megascale/cli/generate_prompts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale::cli {
namespace {

std::vector<std::int32_t> narrowed(const std::vector<std::int64_t>& ids) {
  std::vector<std::int32_t> narrow;
  for (const std::int64_t id : ids) {
    const bool fits = id >= 0 && id <= std::numeric_limits<std::int32_t>::max();
    narrow.push_back(fits ? static_cast<std::int32_t>(id) : -1);
  }
  return narrow;
}

void require_fit(const LoadedModel& model, std::size_t tokens, const std::string& file,
                 std::size_t line) {
  const std::size_t most = model.model->capacity();
  if (tokens <= most) return;
  if (line == 0) {
    return say(
        fmt::format("the prompt has {} tokens, of which the model sees the last {}; --context {} "
                    "lets it see all, if it allows so many",
                    tokens, most, tokens));
  }
  throw Error(
      ErrorCode::bad_input,
      fmt::format("{}:{}: expected a prompt of at most {} tokens, the context of the model, "
                  "found {}; --context {} lets it see all, if it allows so many",
                  file, line, most, tokens, tokens));
}

}  // namespace

void PromptArguments::add_to(Command& command) {
  command.option("--prompt", prompt, "beginning of the text");
  command.option("--prompts", file,
                 "a file of prompts, or - for stdin: one on each line, or JSONL with \"prompt\"");
  command.option("--ids", ids, "the prompt as token ids; the text is then printed as ids too")
      .separated_by_commas();
}

PromptLines read_prompts(const PromptArguments& arguments) {
  const int given = (arguments.prompt.empty() ? 0 : 1) + (arguments.file.empty() ? 0 : 1) +
                    (arguments.ids.empty() ? 0 : 1);
  if (given > 1)
    throw Error(ErrorCode::bad_usage,
                "expected one of --prompt, --prompts and --ids, found several");
  if (!arguments.ids.empty()) return {.lines = {{.line = 0, .prompt = arguments.ids}}, .file = {}};
  if (arguments.file.empty())
    return {.lines = {{.line = 0, .prompt = arguments.prompt}}, .file = {}};
  const bool is_stdin = arguments.file == "-";
  const std::string name = is_stdin ? "stdin" : arguments.file;
  const std::string text =
      read_text(is_stdin ? "/dev/stdin" : arguments.file, OpenMode::read_stream);
  return {.lines = generate::parse_prompts(text, name), .file = name};
}

void require_ids_of(const LoadedModel& model, std::span<const std::int32_t> ids,
                    const std::string& place) {
  const std::int64_t size = model.config.model.vocab_size;
  const auto wrong =
      std::find_if(ids.begin(), ids.end(), [&](std::int32_t id) { return id < 0 || id >= size; });
  if (wrong == ids.end()) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: expected token ids from 0 to {}, the vocabulary of the model; found "
                          "another one as number {}",
                          place, size - 1, wrong - ids.begin()));
}

Prompts encode_prompts(const PromptLines& given, const LoadedModel& model,
                       const TokenizerChoice& tokenizer, bool needs_text) {
  const bool has_text = std::any_of(given.lines.begin(), given.lines.end(), [](const auto& line) {
    return std::holds_alternative<std::string>(line.prompt);
  });
  Prompts prompts;
  if (has_text || needs_text) prompts.tokenizer = open_model_tokenizer(model, tokenizer);
  for (const generate::PromptLine& line : given.lines) {
    std::vector<std::int32_t> ids;
    std::string text;
    if (const auto* words = std::get_if<std::string>(&line.prompt)) {
      text = *words;
      prompts.tokenizer->encode(text, ids);
      // The model needs a first token: in training, a text follows the end of another document.
      if (ids.empty()) ids.push_back(prompts.tokenizer->eod());
    } else {
      ids = narrowed(std::get<std::vector<std::int64_t>>(line.prompt));
    }
    require_ids_of(model, ids,
                   line.line == 0 ? "the prompt" : fmt::format("{}:{}", given.file, line.line));
    require_fit(model, ids.size(), given.file, line.line);
    prompts.texts.push_back(std::move(text));
    prompts.ids.push_back(std::move(ids));
  }
  return prompts;
}

}  // namespace megascale::cli
