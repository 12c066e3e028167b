#ifndef MEGASCALE_DATA_TOKENIZERS_JSON_MODEL_H_
#define MEGASCALE_DATA_TOKENIZERS_JSON_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "megascale/data/tokenizers/json_components.h"
#include "megascale/data/tokenizers/model.h"

namespace megascale::tokenizers {

// Ids of tokens are below this number: no published vocabulary has more than 2^20, and a list of
// all ids must fit into memory.
inline constexpr std::int64_t kIdsMax = std::int64_t{1} << 24;

// Reads the member "model" of a tokenizer.json: BPE or Unigram. Stores the text of each token in
// `texts` at its id. Throws Error (bad_input) for other models, and for options that change ids and
// are not known.
[[nodiscard]] std::unique_ptr<const Model> read_model(const JsonPlace& place, bool byte_level,
                                                      std::vector<std::string>& texts);
// Stores `text` at `id`, and checks that the id is allowed.
void put_token_text(const JsonPlace& place, std::int64_t id, std::string_view text,
                    std::vector<std::string>& texts);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_JSON_MODEL_H_
