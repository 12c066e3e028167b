#ifndef MEGASCALE_DATA_DATASET_INFO_H_
#define MEGASCALE_DATA_DATASET_INFO_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "megascale/checkpoint/tokenizer_record.h"

namespace megascale {

// The file PREFIX.info.json beside an indexed dataset. It says what the .bin and .idx cannot:
// docs/formats/indexed-dataset.md. Other programs ignore it, and sets of other programs lack it.
struct DatasetInfo {
  std::optional<checkpoint::TokenizerRecord> tokenizer;  // absent if only its size was known
  std::int64_t documents = 0;
  std::int64_t tokens = 0;
  std::optional<std::int64_t> text_nbytes;  // of all documents; absent if the input was ids
  // Of conversations: the chat template (chat/chat_template.h). Their data set has a loss mask.
  std::string chat_template;
  // Documents 2i and 2i + 1 are a pair for a training on preferences: the conversation with the answer that
  // was chosen, and with the one that was rejected. Only with a chat template.
  bool has_pairs = false;
  bool operator==(const DatasetInfo&) const = default;
};

[[nodiscard]] std::string to_text(const DatasetInfo& info);
// `file` is named in messages. Throws Error: bad_input, or unsupported for another version.
[[nodiscard]] DatasetInfo parse_dataset_info(std::string_view text, const std::string& file);
// Reads the file beside a data set that has `tokens` tokens. Returns nothing if there is none.
// Throws Error: bad_input if it is malformed or belongs to other tokens, io.
[[nodiscard]] std::optional<DatasetInfo> read_dataset_info(const std::filesystem::path& prefix,
                                                           std::int64_t tokens);

}  // namespace megascale

#endif  // MEGASCALE_DATA_DATASET_INFO_H_
