// A tokenizer that passes texts to the library SentencePiece.
#include "megascale/data/tokenizers/sentencepiece.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/base/utf8.h"
#include "megascale/data/tokenizers/unicode.h"

namespace megascale::tokenizers {
namespace {

class SentencePieceTokenizer final : public Tokenizer {
 public:
  SentencePieceTokenizer(std::string_view file, const std::string& name) : name_(name) {
    check(processor_.LoadFromSerializedProto(file));
    if (processor_.GetPieceSize() <= 0) {
      throw Error(ErrorCode::bad_input, fmt::format("{}: expected pieces, found none", name));
    }
    DigestStream digest;
    digest.update("sentencepiece\n");
    digest.update(file);
    fingerprint_ = digest.finish();
  }
  [[nodiscard]] std::int64_t vocab_size() const override { return processor_.GetPieceSize(); }
  [[nodiscard]] std::int32_t eod() const override {
    if (processor_.eos_id() >= 0) return processor_.eos_id();
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected a piece for the end of a document (eos_id), found none", name_));
  }
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    std::vector<int> pieces;
    // The library has a policy of its own for bytes that are not UTF-8.
    const bool is_valid = valid_utf8_prefix(text) == text.size();
    check(is_valid ? processor_.Encode(text, &pieces)
                   : processor_.Encode(replace_invalid_utf8(text), &pieces));
    ids.insert(ids.end(), pieces.begin(), pieces.end());
  }
  [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override {
    for (const std::int32_t id : ids) check_id(id);
    std::string text;
    check(processor_.Decode(std::vector<int>(ids.begin(), ids.end()), &text));
    return text;
  }
  [[nodiscard]] std::string fingerprint() const override { return fingerprint_; }
  [[nodiscard]] std::string token_text(std::int32_t id) const override {
    check_id(id);
    return processor_.IdToPiece(id);
  }
  [[nodiscard]] std::optional<std::int32_t> special_token(std::string_view text) const override {
    const int id = processor_.PieceToId(text);  // that of the unknown piece if there is none
    const bool is_piece = processor_.IdToPiece(id) == text;
    return is_piece ? std::optional<std::int32_t>(id) : std::nullopt;
  }

 private:
  void check(const sentencepiece::util::Status& status) const {
    if (!status.ok()) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("{}: SentencePiece: {}", name_, status.ToString()));
    }
  }
  void check_id(std::int32_t id) const {
    if (id >= 0 && id < processor_.GetPieceSize()) return;
    throw Error(ErrorCode::bad_input, fmt::format("expected the id of a token, from 0 to {}, found "
                                                  "{}",
                                                  processor_.GetPieceSize() - 1, id));
  }

  std::string name_, fingerprint_;
  sentencepiece::SentencePieceProcessor processor_;
};

}  // namespace

std::unique_ptr<const Tokenizer> read_sentencepiece(std::string_view file,
                                                    const std::string& name) {
  return std::make_unique<SentencePieceTokenizer>(file, name);
}

}  // namespace megascale::tokenizers
