#ifndef MEGASCALE_DATA_TOKENIZERS_PIPELINE_H_
#define MEGASCALE_DATA_TOKENIZERS_PIPELINE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/data/tokenizer.h"
#include "megascale/data/tokenizers/added_tokens.h"
#include "megascale/data/tokenizers/decoder.h"
#include "megascale/data/tokenizers/model.h"
#include "megascale/data/tokenizers/normalizer.h"
#include "megascale/data/tokenizers/pre_tokenizer.h"

namespace megascale::tokenizers {

// Where a text may be cut without a change of its ids.
enum class Cuts : std::uint8_t {
  none,           // nowhere
  before_spaces,  // between an ASCII letter or digit and a space
  after_ascii,    // between an ASCII letter or digit and white space
  after_letters,  // between any letter or digit and white space, and after single ends of lines
};

// The content of a tokenizer file, as the parts of a pipeline.
struct PipelineParts {
  std::string name;                      // the file, for messages
  std::vector<AddedToken> added_tokens;  // those with `normalized` are found after normalizing
  std::vector<NormalizerStep> normalizer;
  std::vector<PreTokenizerStep> pre_tokenizer;
  std::unique_ptr<const Model> model;
  std::vector<DecoderStep> decoder;
  std::vector<std::string> token_texts;  // by id; empty where no token has the id
  std::int32_t eod = TokenTable::kNone;  // kNone: the file names no token for it
  std::string fingerprint;
  Cuts cuts = Cuts::none;
};

// A tokenizer that is described by components: added tokens are found, the text between them is
// normalized, divided into pieces, and each piece is encoded by the model. Bytes that are not UTF-8
// are encoded as U+FFFD (replace_invalid_utf8()).
class Pipeline final : public Tokenizer {
 public:
  explicit Pipeline(PipelineParts parts);
  [[nodiscard]] std::int64_t vocab_size() const override {
    return static_cast<std::int64_t>(parts_.token_texts.size());
  }
  [[nodiscard]] std::int32_t eod() const override;
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    encode_part(text, true, ids);
  }
  void encode_rest(std::string_view text, std::vector<std::int32_t>& ids) const override {
    encode_part(text, false, ids);
  }
  [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override;
  [[nodiscard]] std::size_t separable_prefix(std::string_view text) const override;
  [[nodiscard]] std::string fingerprint() const override { return parts_.fingerprint; }
  [[nodiscard]] std::string token_text(std::int32_t id) const override;
  [[nodiscard]] std::optional<std::int32_t> special_token(std::string_view text) const override;

 private:
  // `begins`: the text is at the beginning of its document.
  void encode_part(std::string_view text, bool begins, std::vector<std::int32_t>& ids) const;
  void encode_between_tokens(std::string_view text, bool is_first, bool continues,
                             std::vector<std::int32_t>& ids) const;

  PipelineParts parts_;
  AddedTokenFinder raw_tokens_, normalized_tokens_;
  PreTokenizer pre_tokenizer_;
};

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_PIPELINE_H_
