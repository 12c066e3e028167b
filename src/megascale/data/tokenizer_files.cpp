#include "megascale/data/tokenizer_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale {
namespace {

using checkpoint::TokenizerRecord;

// Files that lie beside a tokenizer.json and belong to it. The last four hold the same tokens for
// older programs.
constexpr const char* kFilesBeside[] = {"tokenizer_config.json",
                                        "special_tokens_map.json",
                                        "chat_template.jinja",
                                        "added_tokens.json",
                                        "vocab.json",
                                        "merges.txt",
                                        "tokenizer.model"};

void add_file(TokenizerRecord& record, const std::filesystem::path& path, const std::string& name) {
  const auto content = std::make_shared<const std::string>(read_text(path));
  record.files.push_back(
      {.name = name,
       .nbytes = content->size(),
       .digest = digest128(std::as_bytes(std::span(content->data(), content->size()))),
       .content = content});
}

void add_files(TokenizerRecord& record, const TokenizerName& name) {
  using Kind = TokenizerName::Kind;
  switch (name.kind) {
    case Kind::byte:
      record.name = "byte";
      return;
    case Kind::json:
      record.name = "tokenizer.json";
      add_file(record, name.path, record.name);
      for (const char* beside : kFilesBeside) {
        const std::filesystem::path path = name.path.parent_path() / beside;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(path, ignored)) add_file(record, path, beside);
      }
      return;
    case Kind::ranks:
    case Kind::sentencepiece: {
      const std::string file = "tokenizer" + name.path.extension().string();
      add_file(record, name.path, file);
      record.name = name.encoding.empty() ? file : file + "@" + name.encoding;
    }
  }
}

}  // namespace

RecordedTokenizer open_recorded_tokenizer(const std::string& name) {
  RecordedTokenizer opened{.tokenizer = open_tokenizer(name), .record = {}};
  add_files(opened.record, parse_tokenizer_name(name));
  opened.record.fingerprint = opened.tokenizer->fingerprint();
  opened.record.vocab_size = opened.tokenizer->vocab_size();
  try {
    opened.record.eod = opened.tokenizer->eod();
  } catch (const Error&) {  // it has none
  }
  return opened;
}

void require_same_tokenizer(const TokenizerRecord& a, const std::string& a_owner,
                            const TokenizerRecord& b, const std::string& b_owner,
                            const std::string& advice) {
  if (a.fingerprint == b.fingerprint) return;
  throw Error(
      ErrorCode::bad_input,
      fmt::format("expected ids of one tokenizer, found {} in {}, and {} in {}{}{}", describe(a),
                  a_owner, describe(b), b_owner, advice.empty() ? "" : ": ", advice));
}

TrainingTokenizer find_training_tokenizer(const Config& config, const Dataset& train,
                                          std::span<const NamedDataset> validation) {
  const DatasetTokenizer& of_data = train.tokenizer();
  for (const NamedDataset& set : validation) {
    const DatasetTokenizer& of_set = set.data.tokenizer();
    if (of_data.record && of_set.record)
      require_same_tokenizer(*of_data.record, of_data.prefix, *of_set.record, of_set.prefix, "");
  }
  const std::string& name = config.data.tokenizer;
  TrainingTokenizer found;
  try {
    found.record = open_recorded_tokenizer(name).record;
  } catch (const Error& error) {
    found.record = of_data.record;
    found.note =
        fmt::format("data.tokenizer = \"{}\": its files cannot be read: {}", name, error.message());
    return found;
  }
  if (of_data.record) {
    TokenizerRecord named = *found.record;
    named.name = name;
    require_same_tokenizer(*of_data.record, of_data.prefix, named, "data.tokenizer",
                           fmt::format("set data.tokenizer = \"{}\", or prepare the data again",
                                       of_data.record->name));
  } else if (name == "byte" && config.model.vocab_size != found.record->vocab_size) {
    // The default of data.tokenizer: ids of another program, whose tokenizer nobody has named.
    found.record.reset();
  }
  if (found.record && found.record->vocab_size > config.model.vocab_size) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("model.vocab_size = {}: expected at least the {} ids of data.tokenizer = {}",
                    config.model.vocab_size, found.record->vocab_size, name));
  }
  return found;
}

}  // namespace megascale
