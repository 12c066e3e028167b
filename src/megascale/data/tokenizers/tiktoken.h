#ifndef MEGASCALE_DATA_TOKENIZERS_TIKTOKEN_H_
#define MEGASCALE_DATA_TOKENIZERS_TIKTOKEN_H_

#include <memory>
#include <string>
#include <string_view>

#include "megascale/data/tokenizer.h"

namespace megascale::tokenizers {

// Reads a rank file of tiktoken: a line is a token in base64 and its id, which is also its rank.
// `encoding` names the pattern and the special tokens (patterns.h). Texts that look like special
// tokens are encoded as ordinary text. Throws Error (bad_input), which names the file and the line.
[[nodiscard]] std::unique_ptr<const Tokenizer> read_tiktoken(std::string_view text,
                                                             std::string_view encoding,
                                                             const std::string& name);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_TIKTOKEN_H_
