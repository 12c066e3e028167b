// Stands in for sentencepiece.cpp in builds without the library.
#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/data/tokenizers/sentencepiece.h"

namespace megascale::tokenizers {

std::unique_ptr<const Tokenizer> read_sentencepiece(std::string_view /*file*/,
                                                    const std::string& name) {
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: this program was built without SentencePiece: install "
                          "libsentencepiece-dev and build again, or use the tokenizer.json",
                          name));
}

}  // namespace megascale::tokenizers
