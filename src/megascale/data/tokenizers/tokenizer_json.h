#ifndef MEGASCALE_DATA_TOKENIZERS_TOKENIZER_JSON_H_
#define MEGASCALE_DATA_TOKENIZERS_TOKENIZER_JSON_H_

#include <memory>
#include <string>
#include <string_view>

#include "megascale/data/tokenizer.h"

namespace megascale::tokenizers {

// Reads the text of a tokenizer.json (Hugging Face). `config` is the text of the file
// tokenizer_config.json beside it, or empty; its eos_token names the end of a document. Without it
// an added token with a usual name is taken. `name` is the file, for messages. Truncation, padding
// and the post-processor, which adds tokens around a text, are not applied. Throws Error
// (bad_input).
[[nodiscard]] std::unique_ptr<const Tokenizer> read_tokenizer_json(std::string_view text,
                                                                   std::string_view config,
                                                                   const std::string& name);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_TOKENIZER_JSON_H_
