// `megascale generate`: samples text from a checkpoint and prints it token by token.
#include "megascale/generate/generate.h"

#include <fmt/format.h>

#include <cstdio>

#include "megascale/base/clock.h"
#include "megascale/cli/command.h"
#include "megascale/cli/model_arguments.h"
#include "megascale/cli/model_tokenizer.h"
#include "megascale/data/text_stream.h"

namespace megascale::cli {
namespace {

struct Arguments {
  ModelArguments model;
  TokenizerChoice tokenizer;
  generate::GenerateOptions options;
  std::string prompt;
  bool no_cache = false, to_the_end = false;
};

Outcome run(const Arguments& arguments) {
  const LoadedModel loaded = load_model(arguments.model);
  const auto tokenizer = open_model_tokenizer(loaded, arguments.tokenizer);
  std::vector<std::int32_t> prompt;
  tokenizer->encode(arguments.prompt, prompt);
  // The model needs a first token: in training, a text follows the end of another document.
  if (prompt.empty()) prompt.push_back(tokenizer->eod());
  generate::GenerateOptions options = arguments.options;
  options.use_cache = !arguments.no_cache;
  if (!arguments.to_the_end) options.stop_token = tokenizer->eod();
  if (static_cast<std::int64_t>(prompt.size()) > arguments.model.context &&
      prompt.size() > loaded.model->capacity()) {
    say(
        fmt::format("the prompt has {} tokens, of which the model sees the last {}; --context {} "
                    "lets it see all, if it allows so many",
                    prompt.size(), loaded.model->capacity(), prompt.size()));
  }
  fmt::print("{}", arguments.prompt);
  TextStream stream(*tokenizer, prompt);
  const std::int64_t begin = monotonic_ns();
  const auto text = generate::generate(*loaded.model, prompt, options, [&](std::int32_t token) {
    fmt::print("{}", stream.push(token));
    std::fflush(stdout);
  });
  const double seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9;
  fmt::print("{}\n", stream.finish());
  return {.json = {{"step", loaded.step},
                   {"tokens", text},
                   // The last character may be incomplete, and byte tokens need not be UTF-8.
                   // Printing the JSON replaces invalid bytes.
                   {"text", tokenizer->decode(text)},
                   {"tokens_per_second", static_cast<double>(text.size()) / seconds}}};
}

}  // namespace

void add_generate(Command& app) {
  const auto arguments = std::make_shared<Arguments>();
  Command command = app.subcommand("generate", "samples text from a checkpoint");
  arguments->model.add_to(command);
  arguments->tokenizer.add_name_to(command);
  arguments->tokenizer.add_any_to(command);
  auto& sampler = arguments->options.sampler;
  command.option("--prompt", arguments->prompt, "beginning of the text");
  command.option("--max-tokens", arguments->options.max_tokens, "most tokens to generate")
      .at_least_zero()
      .shows_default();
  arguments->model.context = 4096;
  command
      .option(
          "--context", arguments->model.context,
          "most tokens that the model sees at once, if its positions are rotary; more need more "
          "memory")
      .positive()
      .shows_default();
  command.option("--temperature", sampler.temperature, "0: always the most likely token")
      .at_least_zero()
      .shows_default();
  command.option("--top-k", sampler.top_k, "sample only from this many most likely tokens (0: all)")
      .at_least_zero()
      .shows_default();
  command
      .option("--top-p", sampler.top_p,
              "sample from the most likely tokens that have this probability together")
      .from_0_to_1()
      .shows_default();
  command.option("--seed", sampler.seed, "seed of the sampling").shows_default();
  command.flag("--no-cache", arguments->no_cache,
               "recompute the whole text for every token (slow)");
  command.flag("--ignore-end", arguments->to_the_end, "continue after an end-of-document token");
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
