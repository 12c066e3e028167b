#ifndef MEGASCALE_DATA_TOKENIZERS_DECODER_H_
#define MEGASCALE_DATA_TOKENIZERS_DECODER_H_

#include <string>
#include <variant>
#include <vector>

#include "megascale/data/tokenizers/pre_tokenizer.h"
#include "megascale/data/tokenizers/regex.h"

// The steps that convert the texts of tokens to text. Each is a component of a tokenizer.json, and
// takes the texts of the step before.
namespace megascale::tokenizers {

struct DecodeBytes {};         // the characters of the byte alphabet become bytes
struct DecodeByteFallback {};  // <0x..> become bytes; bytes that are not UTF-8 become U+FFFD each
struct Fuse {};                // all texts become one
struct JoinWithSpaces {};      // all texts become one, with spaces between them
struct DecodeStrip {           // removes a character at the beginnings and ends of texts
  std::string content;
  std::size_t left = 0, right = 0;  // at most so many
};
struct DecodeReplace {
  Regex pattern;
  std::string content;
};
struct DecodeMetaspace {  // marks become spaces; the marks of the first text go if it has a prefix
  std::string mark;
  bool has_prefix = true;
};
using DecoderStep = std::variant<DecodeBytes, DecodeByteFallback, Fuse, JoinWithSpaces, DecodeStrip,
                                 DecodeReplace, DecodeMetaspace>;

// Returns the text of the tokens with these texts. With no step they are joined as they are.
[[nodiscard]] std::string decode(std::vector<std::string> tokens,
                                 const std::vector<DecoderStep>& steps);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_DECODER_H_
