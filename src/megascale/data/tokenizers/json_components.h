#ifndef MEGASCALE_DATA_TOKENIZERS_JSON_COMPONENTS_H_
#define MEGASCALE_DATA_TOKENIZERS_JSON_COMPONENTS_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint/json_text.h"
#include "megascale/data/tokenizers/decoder.h"
#include "megascale/data/tokenizers/normalizer.h"
#include "megascale/data/tokenizers/pre_tokenizer.h"

// Reads the components of a tokenizer.json. Every function throws Error (bad_input) for a component
// or a value that is not known, and names it: a component that is left out would change ids.
namespace megascale::tokenizers {

// One member of a JSON document, with its place for messages.
struct JsonPlace {
  const nlohmann::json& value;
  const checkpoint::JsonSource& source;
  std::string where;  // such as "pre_tokenizer"

  // Returns the member `key`, which must exist.
  [[nodiscard]] JsonPlace at(const char* key) const;
  // Returns the members of the list `key`.
  [[nodiscard]] std::vector<JsonPlace> list(const char* key) const;
  [[nodiscard]] std::string text(const char* key) const;
  // Returns the value of `key`, or `otherwise` if it is absent or null.
  [[nodiscard]] bool flag(const char* key, bool otherwise) const;
  [[nodiscard]] std::size_t count(const char* key) const;
  // Throws the error "FILE: WHERE: expected EXPECTED, found FOUND".
  [[noreturn]] void refuse(std::string_view expected, std::string_view found) const;
};

void read_normalizer(const JsonPlace& place, std::vector<NormalizerStep>& steps);

struct PreTokenizerParts {
  std::vector<PreTokenizerStep> steps;
  std::vector<std::string> patterns;  // of the Split steps, as the file writes them
  bool byte_level = false;            // the model's tokens are written in the byte alphabet
};
void read_pre_tokenizer(const JsonPlace& place, PreTokenizerParts& parts);

void read_decoder(const JsonPlace& place, std::vector<DecoderStep>& steps);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_JSON_COMPONENTS_H_
