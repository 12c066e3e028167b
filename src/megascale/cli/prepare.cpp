// `megascale prepare`: tokenizes text into an indexed dataset, Megatron's .bin and .idx files.
#include "megascale/data/prepare.h"

#include <fmt/format.h>

#include "megascale/cli/command.h"
#include "megascale/data/tokenizer.h"

namespace megascale::cli {

void add_prepare(Command& app) {
  struct Arguments {
    PrepareOptions options;
    std::string tokenizer = "byte";
    std::string format = "automatic";
    bool no_eod = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  Command command =
      app.subcommand("prepare", "converts text or JSONL to a Megatron-compatible .bin and .idx");
  command.option("INPUT", arguments->options.inputs, "text or JSONL files").required();
  command.option("--output", arguments->options.output, "prefix of the .bin and .idx").required();
  command
      .option("--tokenizer", arguments->tokenizer,
              "byte, a tokenizer.json or its folder, *.tiktoken, or *.model")
      .shows_default();
  command.option("--format", arguments->format, "automatic (by name), text or jsonl")
      .one_of({"automatic", "text", "jsonl"})
      .shows_default();
  command.option("--json-key", arguments->options.json_key, "key of a document's text")
      .shows_default();
  command.option("--separator", arguments->options.separator, "cut text files into documents here");
  command.flag("--no-eod", arguments->no_eod, "append no end-of-document token to documents");
  command.flag("--raw-bytes", arguments->options.raw_bytes, "accept text that is not UTF-8");
  command.does([arguments] {
    PrepareOptions options = arguments->options;
    if (arguments->format == "text") options.format = InputFormat::text;
    if (arguments->format == "jsonl") options.format = InputFormat::jsonl;
    options.append_eod = !arguments->no_eod;
    const auto tokenizer = open_tokenizer(arguments->tokenizer);
    const PrepareResult result = prepare(options, *tokenizer);
    fmt::print("{}: {} documents, {} tokens from {} bytes\n", options.output.string(),
               result.documents, result.tokens, result.input_nbytes);
    return Outcome{.json = {{"output", options.output.string()},
                            {"documents", result.documents},
                            {"tokens", result.tokens},
                            {"input_bytes", result.input_nbytes}}};
  });
}

}  // namespace megascale::cli
