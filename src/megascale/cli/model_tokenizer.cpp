#include "megascale/cli/model_tokenizer.h"

#include "megascale/data/tokenizer_files.h"

namespace megascale::cli {
namespace {

constexpr const char* kAnyAdvice = "add --any-tokenizer if this is meant";

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
  if (name.empty()) name = model.config.data.tokenizer;
  auto tokenizer = open_tokenizer(name);
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
