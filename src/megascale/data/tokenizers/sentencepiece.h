#ifndef MEGASCALE_DATA_TOKENIZERS_SENTENCEPIECE_H_
#define MEGASCALE_DATA_TOKENIZERS_SENTENCEPIECE_H_

#include <memory>
#include <string>
#include <string_view>

#include "megascale/data/tokenizer.h"

namespace megascale::tokenizers {

// Reads a .model file of SentencePiece with the library of that name. Throws Error (bad_input) for
// a damaged file, and Error (unsupported) in a build that did not find the library.
[[nodiscard]] std::unique_ptr<const Tokenizer> read_sentencepiece(std::string_view file,
                                                                  const std::string& name);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_SENTENCEPIECE_H_
