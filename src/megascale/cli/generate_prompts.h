#ifndef MEGASCALE_CLI_GENERATE_PROMPTS_H_
#define MEGASCALE_CLI_GENERATE_PROMPTS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "megascale/cli/command.h"
#include "megascale/cli/model_tokenizer.h"
#include "megascale/data/tokenizer.h"
#include "megascale/generate/prompt_file.h"

namespace megascale::cli {

// The arguments that say what `generate` continues.
struct PromptArguments {
  std::string prompt;             // --prompt; empty: the beginning of a document
  std::string file;               // --prompts; "-": stdin
  std::vector<std::int64_t> ids;  // --ids
  void add_to(Command& command);
};

// The prompts before they are encoded, and the name of their file, if they have one.
struct PromptLines {
  std::vector<generate::PromptLine> lines;  // line 0: from the command line
  std::string file;
};
// Throws the errors of the file, and Error (bad_usage) if several arguments are given.
[[nodiscard]] PromptLines read_prompts(const PromptArguments& arguments);

// The prompts that the command continues. The texts of prompts that were given as ids are empty.
struct Prompts {
  std::vector<std::string> texts;
  std::vector<std::vector<std::int32_t>> ids;
  std::unique_ptr<const Tokenizer> tokenizer;  // null if all prompts are ids and no text is wanted
};

// Encodes the prompts. Opens the tokenizer if a prompt is a text, or if `needs_text`. Throws Error: of
// the tokenizer, and bad_input, with the number of the line, for an id outside of the vocabulary and a
// line that is longer than the context of the model.
[[nodiscard]] Prompts encode_prompts(const PromptLines& prompts, const LoadedModel& model,
                                     const TokenizerChoice& tokenizer, bool needs_text);

// Throws Error (bad_input), "PLACE: ...", if an id is not of the model's vocabulary.
void require_ids_of(const LoadedModel& model, std::span<const std::int32_t> ids,
                    const std::string& place);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_GENERATE_PROMPTS_H_
