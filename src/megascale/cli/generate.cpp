#include "megascale/generate/generate.h"

#include <fmt/format.h>

#include <cstdio>

#include "megascale/base/clock.h"
#include "megascale/cli/command.h"
#include "megascale/cli/model_arguments.h"
#include "megascale/data/tokenizer.h"

namespace megascale::cli {
namespace {

struct Arguments {
  ModelArguments model;
  generate::GenerateOptions options;
  std::string prompt;
  bool no_cache = false, to_the_end = false;
};

Outcome run(const Arguments& arguments) {
  const LoadedModel loaded = load_model(arguments.model);
  const auto tokenizer = open_tokenizer(loaded.config.data.tokenizer);
  std::vector<std::int32_t> prompt;
  tokenizer->encode(arguments.prompt, prompt);
  if (prompt.empty()) prompt.push_back(tokenizer->eod());  // a text begins where another has ended
  generate::GenerateOptions options = arguments.options;
  options.use_cache = !arguments.no_cache;
  if (!arguments.to_the_end) options.stop_token = tokenizer->eod();
  fmt::print("{}", arguments.prompt);
  const std::int64_t begin = monotonic_ns();
  const auto text = generate::generate(*loaded.model, prompt, options, [&](std::int32_t token) {
    fmt::print("{}", tokenizer->decode({&token, 1}));
    std::fflush(stdout);
  });
  const double seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9;
  fmt::print("\n");
  return {.json = {{"step", loaded.step},
                   {"tokens", text},
                   // May be cut in a character, or no UTF-8 at all: what is not is replaced when it
                   // is printed.
                   {"text", tokenizer->decode(text)},
                   {"tokens_per_second", static_cast<double>(text.size()) / seconds}}};
}

}  // namespace

void add_generate(Command& app) {
  const auto arguments = std::make_shared<Arguments>();
  Command command = app.subcommand("generate", "samples text from a checkpoint");
  arguments->model.add_to(command);
  auto& sampler = arguments->options.sampler;
  command.option("--prompt", arguments->prompt, "what the text begins with");
  command.option("--max-tokens", arguments->options.max_tokens, "at most this many tokens")
      .at_least_zero()
      .shows_default();
  command.option("--temperature", sampler.temperature, "0: always the most likely token")
      .at_least_zero()
      .shows_default();
  command.option("--top-k", sampler.top_k, "of the most likely tokens only (0: all)")
      .at_least_zero()
      .shows_default();
  command.option("--top-p", sampler.top_p, "of the most likely tokens with this probability")
      .from_0_to_1()
      .shows_default();
  command.option("--seed", sampler.seed, "of the random draws").shows_default();
  command.flag("--no-cache", arguments->no_cache, "compute every token from the start (slow)");
  command.flag("--ignore-end", arguments->to_the_end, "go on after the end of a document");
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
