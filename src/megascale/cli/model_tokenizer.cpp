#include "megascale/cli/model_tokenizer.h"

#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/data/tokenizer_files.h"

namespace megascale::cli {
namespace {

constexpr const char* kAnyAdvice = "add --any-tokenizer if this is meant";

// Opens the tokenizer that the configuration names, for a checkpoint that holds none.
std::unique_ptr<const Tokenizer> open_unrecorded(const LoadedModel& model) {
  const std::string& name = model.config.data.tokenizer;
  const auto unknown = [&](const std::string& why) {
    return Error(ErrorCode::bad_input,
                 fmt::format("{}: expected a checkpoint that holds its tokenizer, found none, and "
                             "{}; name the tokenizer with --tokenizer",
                             model.path.string(), why));
  };
  try {
    auto tokenizer = open_tokenizer(name);
    if (name != "byte" || tokenizer->vocab_size() == model.config.model.vocab_size)
      return tokenizer;
  } catch (const Error& error) {
    throw unknown(error.message());
  }
  throw unknown(
      fmt::format("a vocabulary of {} tokens, which are no bytes", model.config.model.vocab_size));
}

}  // namespace

void TokenizerChoice::add_name_to(Command& command) {
  command.option("--tokenizer", name, "use this one instead of the checkpoint's own");
}

void TokenizerChoice::add_any_to(Command& command) {
  command.flag("--any-tokenizer", any, "accept another tokenizer than that of the checkpoint");
}

std::unique_ptr<const Tokenizer> open_model_tokenizer(const LoadedModel& model,
                                                      const TokenizerChoice& choice) {
  const auto& record = model.tokenizer;
  std::string name = choice.name;
  if (name.empty() && record && (!record->files.empty() || record->name == "byte"))
    name = record->files.empty() ? record->name : (model.path / record->name).string();
  const bool is_guessed = !record && name.empty();
  if (name.empty()) name = model.config.data.tokenizer;
  auto tokenizer = is_guessed ? open_unrecorded(model) : open_tokenizer(name);
  if (tokenizer->vocab_size() > model.config.model.vocab_size) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected a tokenizer of at most {} tokens, the vocabulary of the "
                            "model, found {} in {}; name another one with --tokenizer",
                            model.path.string(), model.config.model.vocab_size,
                            tokenizer->vocab_size(), name));
  }
  if (record && !choice.any) {
    const checkpoint::TokenizerRecord opened{.name = name,
                                             .fingerprint = tokenizer->fingerprint(),
                                             .vocab_size = tokenizer->vocab_size(),
                                             .eod = {},
                                             .files = {}};
    require_same_tokenizer(*record, model.path.string(), opened, "--tokenizer", kAnyAdvice);
  }
  return tokenizer;
}

void require_tokenizer_of_data(const LoadedModel& model, const TokenizerChoice& choice) {
  const DatasetTokenizer& of_data = model.data->tokenizer();
  if (!model.tokenizer || !of_data.record || choice.any) return;
  require_same_tokenizer(*model.tokenizer, model.path.string(), *of_data.record, of_data.prefix,
                         kAnyAdvice);
}

}  // namespace megascale::cli
