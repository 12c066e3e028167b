#ifndef MEGASCALE_DATA_ENCODE_PART_H_
#define MEGASCALE_DATA_ENCODE_PART_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/data/chat/conversation_encoder.h"
#include "megascale/data/input_format.h"
#include "megascale/data/input_parts.h"
#include "megascale/data/tokenizer.h"

namespace megascale {

// What the encoding of an input's parts depends on, beside their bytes.
struct EncodeOptions {
  InputFormat format = InputFormat::text;  // not automatic
  std::string name;                        // of the input, for messages
  std::string json_key;
  ItemLayout items;                 // of binary ids
  std::optional<std::int32_t> eod;  // the tokenizer's end-of-document id, if it has one
  bool append_eod = true;  // a text, or a document of ids that does not end with it, gets it
  bool raw_bytes = false;  // texts need not be UTF-8
  const Tokenizer* tokenizer = nullptr;
  const chat::ConversationEncoder* conversations = nullptr;  // of formats with conversations
};

// The ids of a part.
struct EncodedPart {
  // A problem of the input. `line` counts from 0 in the part; -1: `message` says the place.
  struct Problem {
    std::int64_t line = -1;
    Error error;
  };
  std::vector<std::int32_t> ids;
  std::vector<std::uint8_t> loss_mask;  // of the ids; of formats with conversations
  std::vector<std::size_t> ends;        // the numbers of ids before which documents end
  std::int64_t text_nbytes = 0;         // of the documents, if they are texts
  std::int64_t lines = 0;
  bool has_content = false;  // a document or a problem
  bool has_ids = false;      // a document that was no text
  bool ends_input = false;   // its last problem makes the rest of the input useless
  std::vector<Problem> problems;
};

// Encodes a part; the result depends on the arguments alone. Any thread may call it. Throws Error
// (bad_input) only for a text that the tokenizer cannot encode, and std::bad_alloc.
[[nodiscard]] EncodedPart encode_part(const InputPart& part, const EncodeOptions& options);

}  // namespace megascale

#endif  // MEGASCALE_DATA_ENCODE_PART_H_
