// `megascale prepare`: converts texts and token ids into an indexed dataset, Megatron's .bin and
// .idx files.
#include "megascale/data/prepare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/prepare_progress.h"
#include "megascale/data/tokenizer.h"

namespace megascale::cli {
namespace {

struct PrepareArguments {
  PrepareOptions options;
  std::string tokenizer, format = "automatic", chat_template;
  std::int64_t vocab_size = 0, eod = -1;
  bool no_eod = false;
};

InputFormat format_named(const std::string& name) {
  auto format = InputFormat::automatic;
  while (to_string(format) != name)
    format = static_cast<InputFormat>(static_cast<std::uint8_t>(format) + 1);
  return format;
}

// The tokenizer that the arguments name, or only its number of ids.
std::unique_ptr<const Tokenizer> tokenizer_of(const PrepareArguments& arguments,
                                              PrepareOptions& options) {
  const bool has_size = arguments.vocab_size > 0;
  if (has_size && !arguments.tokenizer.empty()) {
    throw Error(ErrorCode::bad_usage,
                "expected --tokenizer or --vocab-size, found both: the tokenizer says its size");
  }
  if (arguments.eod >= 0 && !has_size) {
    throw Error(ErrorCode::bad_usage,
                "--eod belongs to --vocab-size: the tokenizer says its end-of-document id");
  }
  if (has_size) {
    options.tokenizer_name.clear();
    if (arguments.eod >= arguments.vocab_size) {
      throw Error(ErrorCode::bad_usage, fmt::format("--eod: expected an id below {}, found {}",
                                                    arguments.vocab_size, arguments.eod));
    }
    return std::make_unique<IdVocabulary>(
        arguments.vocab_size,
        arguments.eod < 0 ? std::nullopt : std::optional(static_cast<std::int32_t>(arguments.eod)));
  }
  const bool has_ids =
      std::any_of(options.inputs.begin(), options.inputs.end(),
                  [&](const auto& input) { return holds_ids(format_of(input, options.format)); });
  if (has_ids && arguments.tokenizer.empty()) {
    throw Error(ErrorCode::bad_usage,
                "token ids need a vocabulary: name the tokenizer that made them with --tokenizer, "
                "or the number of its ids with --vocab-size");
  }
  options.tokenizer_name = arguments.tokenizer.empty() ? "byte" : arguments.tokenizer;
  return open_tokenizer(options.tokenizer_name);
}

Outcome run(const PrepareArguments& arguments) {
  PrepareOptions options = arguments.options;
  options.format = format_named(arguments.format);
  options.append_eod = !arguments.no_eod;
  options.chat_template = chat::chat_template_named(arguments.chat_template);
  const auto tokenizer = tokenizer_of(arguments, options);
  PrepareProgressLine line(::isatty(STDERR_FILENO) != 0);
  options.on_progress = [&](const PrepareProgress& progress) { line.show(progress); };
  options.on_message = [&](const std::string& message) { line.message(message); };
  const PrepareResult result = prepare(options, *tokenizer);
  line.finish();
  fmt::print("{}: {} documents, {} tokens from {} bytes\n", options.output.string(),
             result.documents, result.tokens, result.input_nbytes);
  if (options.chat_template)
    fmt::print("the loss counts {} tokens: those of the assistant\n", result.learned_tokens);
  Outcome outcome{.json = {{"output", options.output.string()},
                           {"documents", result.documents},
                           {"tokens", result.tokens},
                           {"input_bytes", result.input_nbytes},
                           {"resumed_bytes", result.resumed_nbytes}}};
  if (options.chat_template) outcome.json["learned_tokens"] = result.learned_tokens;
  if (result.text_nbytes >= 0) outcome.json["text_bytes"] = result.text_nbytes;
  return outcome;
}

}  // namespace

void add_prepare(Command& app) {
  const auto arguments = std::make_shared<PrepareArguments>();
  PrepareOptions& options = arguments->options;
  Command command = app.subcommand(
      "prepare", "converts text or token ids to a Megatron-compatible .bin and .idx");
  command.option("INPUT", options.inputs, "files with text or token ids").required();
  command.option("--output", options.output, "prefix of the .bin and .idx").required();
  command.option("--tokenizer", arguments->tokenizer,
                 "byte (the default), a tokenizer.json or its folder, *.tiktoken, or *.model");
  command
      .option(
          "--format", arguments->format,
          "automatic (by name), text, jsonl, chat (JSONL with conversations), preference (JSONL "
          "with "
          "chosen and rejected answers), or token ids: ids (a document a line, decimal), uint16, "
          "uint32 (binary), npy")
      .one_of(
          {"automatic", "text", "jsonl", "chat", "preference", "ids", "uint16", "uint32", "npy"})
      .shows_default();
  command
      .option("--chat-template", arguments->chat_template,
              "with --format chat or preference: chatml, llama-3, mistral, gemma, or plain (a "
              "prompt and its "
              "completion)")
      .one_of({chat::kChatTemplateNames.begin(), chat::kChatTemplateNames.end()});
  command.option("--json-key", options.json_key, "key of a document's text or token ids")
      .shows_default();
  command.option("--separator", options.separator, "cut text files into documents here");
  command.flag("--no-eod", arguments->no_eod, "append no end-of-document token to documents");
  command.flag("--raw-bytes", options.raw_bytes, "accept text that is not UTF-8");
  command
      .option("--vocab-size", arguments->vocab_size,
              "for token ids without --tokenizer: they are below this number")
      .positive();
  command.option("--eod", arguments->eod, "with --vocab-size: the id that ends documents")
      .at_least_zero();
  command.option("--threads", options.threads, "0: one for each core").shows_default();
  command.flag("--restart", options.begin_anew, "begin anew instead of resuming");
  command
      .option("--save-every", options.record_nbytes,
              "bytes of input after which the state is saved; an interrupted run resumes from it")
      .in_bytes();
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
