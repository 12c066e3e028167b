// `megascale tokenizer`: trains a tokenizer of own text, converts text to ids and back, and shows
// what a tokenizer file holds.
#include "megascale/data/tokenizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/cli/command.h"
#include "megascale/data/feed_trainer.h"
#include "megascale/data/tokenizers/bpe_trainer.h"
#include "megascale/data/tokenizers/tokenizer_json.h"

namespace megascale::cli {
namespace {

struct TrainTokenizerArguments {
  std::vector<std::filesystem::path> inputs;
  std::filesystem::path output;
  std::string json_key = "text";
  tokenizers::TrainerOptions options;
};

struct UseArguments {
  std::string tokenizer;
  std::filesystem::path text;
  std::vector<std::int64_t> ids;
};

Outcome train(const TrainTokenizerArguments& arguments) {
  tokenizers::BpeTrainer trainer(arguments.options);
  std::int64_t nbytes = 0;
  for (const auto& input : arguments.inputs)
    nbytes += feed_trainer(input, arguments.json_key, trainer);
  const auto merges = trainer.train();
  const std::string text = trainer.to_tokenizer_json(merges);
  write_text_atomically(arguments.output, text);
  const auto tokenizer = tokenizers::read_tokenizer_json(text, "", arguments.output.string());
  fmt::print("{}: {} tokens, {} merges from {} bytes with {} different words\n",
             arguments.output.string(), tokenizer->vocab_size(), merges.size(), nbytes,
             trainer.words());
  if (tokenizer->vocab_size() < arguments.options.vocab_size)
    say(fmt::format("The text has no more frequent pairs: the vocabulary is smaller than {}.",
                    arguments.options.vocab_size));
  return {.json = {{"output", arguments.output.string()},
                   {"vocab_size", tokenizer->vocab_size()},
                   {"merges", merges.size()},
                   {"fingerprint", tokenizer->fingerprint()}}};
}

std::string read_input(const std::filesystem::path& path) {
  if (!path.empty()) return read_text(path, OpenMode::read_stream);
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

Outcome encode(const UseArguments& arguments) {
  const auto tokenizer = open_tokenizer(arguments.tokenizer);
  std::vector<std::int32_t> ids;
  tokenizer->encode(read_input(arguments.text), ids);
  fmt::print("{}\n", fmt::join(ids, " "));
  return {.json = {{"tokens", ids.size()}, {"ids", ids}}};
}

Outcome decode(const UseArguments& arguments) {
  const auto tokenizer = open_tokenizer(arguments.tokenizer);
  std::vector<std::int32_t> ids;
  for (const std::int64_t id : arguments.ids) {
    if (id < 0 || id >= tokenizer->vocab_size()) {
      throw Error(ErrorCode::bad_usage, fmt::format("expected ids from 0 to {}, found {}",
                                                    tokenizer->vocab_size() - 1, id));
    }
    ids.push_back(static_cast<std::int32_t>(id));
  }
  const std::string text = tokenizer->decode(ids);
  fmt::print("{}\n", text);
  return {.json = {{"text", text}}};
}

Outcome inspect(const UseArguments& arguments) {
  const auto tokenizer = open_tokenizer(arguments.tokenizer);
  Outcome outcome{
      .json = {{"vocab_size", tokenizer->vocab_size()}, {"fingerprint", tokenizer->fingerprint()}}};
  fmt::print("vocabulary   {} ids (model.vocab_size must be at least this)\nfingerprint  {}\n",
             tokenizer->vocab_size(), tokenizer->fingerprint());
  try {
    const std::int32_t eod = tokenizer->eod();
    fmt::print("end of text  id {}, {}\n", eod, tokenizer->token_text(eod));
    outcome.json["eod"] = eod;
  } catch (const Error& error) {
    fmt::print("end of text  none: {}\n", error.message());
  }
  if (arguments.text.empty()) return outcome;
  const std::string text = read_text(arguments.text, OpenMode::read_stream);
  std::vector<std::int32_t> ids;
  tokenizer->encode(text, ids);
  const bool restored = tokenizer->decode(ids) == text;
  const double ratio =
      static_cast<double>(text.size()) / static_cast<double>(std::max<std::size_t>(ids.size(), 1));
  fmt::print("{}: {} tokens, {:.2f} bytes per token; decoded, the text is {}\n",
             arguments.text.string(), ids.size(), ratio, restored ? "the same" : "different");
  outcome.json["tokens"] = ids.size();
  outcome.json["bytes_per_token"] = ratio;
  outcome.json["restored"] = restored;
  return outcome;
}

constexpr const char* kNames = "byte, a tokenizer.json or its folder, *.tiktoken, or *.model";

}  // namespace

void add_tokenizer(Command& app) {
  Command command = app.subcommand("tokenizer", "trains, tries and inspects tokenizers");
  command.needs_subcommand();
  const auto training = std::make_shared<TrainTokenizerArguments>();
  Command sub = command.subcommand("train", "makes a tokenizer.json of text (byte-level BPE)");
  sub.option("INPUT", training->inputs, "text or JSONL files").required();
  sub.option("--output", training->output, "the tokenizer.json to write").required();
  sub.option("--vocab-size", training->options.vocab_size, "tokens").positive().shows_default();
  sub.option("--pattern", training->options.encoding, "whose pattern divides text into words")
      .shows_default();
  sub.option("--special-tokens", training->options.special_tokens,
             "with the ids 0, 1, ...; the first ends documents")
      .separated_by_commas()
      .shows_default();
  sub.option("--min-count", training->options.min_count, "a pair must occur so often")
      .positive()
      .shows_default();
  sub.option("--json-key", training->json_key, "key of a document's text").shows_default();
  sub.does([training] { return train(*training); });

  const auto use = std::make_shared<UseArguments>();
  const auto add = [&](const char* name, const char* what, Outcome (*action)(const UseArguments&)) {
    Command one = command.subcommand(name, what);
    one.option("TOKENIZER", use->tokenizer, kNames).required();
    one.does([use, action] { return action(*use); });
    return one;
  };
  add("encode", "prints the ids of a text", encode)
      .option("FILE", use->text, "the text; stdin if absent");
  add("decode", "prints the text of ids", decode).option("ID", use->ids, "ids").required();
  add("inspect", "prints size, end of documents and fingerprint", inspect)
      .option("--text", use->text, "also encode and decode this file");
}

}  // namespace megascale::cli
