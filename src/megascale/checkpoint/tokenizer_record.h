#ifndef MEGASCALE_CHECKPOINT_TOKENIZER_RECORD_H_
#define MEGASCALE_CHECKPOINT_TOKENIZER_RECORD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint/json_text.h"

// Says which tokenizer made the ids of a data set or of a model. Data sets and checkpoints hold such
// records, so that ids of different tokenizers are not mixed.
namespace megascale::checkpoint {

// A file of a tokenizer that lies in a checkpoint.
struct TokenizerFile {
  std::string name;  // without directories
  std::uint64_t nbytes = 0;
  std::string digest;  // XXH3-128 of its bytes
  // The bytes, for writing the file. Null in a record that was parsed.
  std::shared_ptr<const std::string> content;
  // Compares what a record says; not the bytes.
  friend bool operator==(const TokenizerFile& a, const TokenizerFile& b) noexcept {
    return a.name == b.name && a.nbytes == b.nbytes && a.digest == b.digest;
  }
};

struct TokenizerRecord {
  std::string name;  // as data.tokenizer names it; in a checkpoint: relative to its directory
  std::string fingerprint;  // of all that decides the ids (Tokenizer::fingerprint())
  std::int64_t vocab_size = 0;
  std::optional<std::int64_t> eod;   // id of the end of a document
  std::vector<TokenizerFile> files;  // in the directory of the checkpoint; empty in a data set
  bool operator==(const TokenizerRecord&) const = default;
};

// Returns "NAME (fingerprint F)", for messages.
[[nodiscard]] std::string describe(const TokenizerRecord& record);

// Returns the record as a JSON object.
[[nodiscard]] std::string to_text(const TokenizerRecord& record);
// Parses such an object. `where` names it in messages. Throws the errors of `source`.
[[nodiscard]] TokenizerRecord parse_tokenizer_record(const nlohmann::json& json,
                                                     const JsonSource& source,
                                                     std::string_view where);

// True for the name of a file without directories that does not begin with a dot.
[[nodiscard]] bool is_plain_file_name(std::string_view name) noexcept;

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_TOKENIZER_RECORD_H_
