#ifndef MEGASCALE_DATA_TOKENIZER_H_
#define MEGASCALE_DATA_TOKENIZER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace megascale {

// Text to token ids and back. Ids are 0 to vocab_size() - 1.
// Thread safety: immutable after construction; share freely.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  [[nodiscard]] virtual std::int64_t vocab_size() const = 0;
  // The id that ends a document. encode() never gives it; who writes documents appends it.
  [[nodiscard]] virtual std::int32_t eod() const = 0;
  // Appends the ids of `text` to `ids`.
  virtual void encode(std::string_view text, std::vector<std::int32_t>& ids) const = 0;
  // Throws Error (bad_input) for an id outside of the vocabulary. The text may be cut inside a
  // UTF-8 sequence.
  [[nodiscard]] virtual std::string decode(std::span<const std::int32_t> ids) const = 0;

  // How many leading bytes of `text`, whose continuation is not known yet, can be encoded by
  // themselves without changing the ids of the whole. 0 = none: then a document is read as a whole
  // before it is encoded.
  [[nodiscard]] virtual std::size_t separable_prefix(std::string_view text) const;
  // Position of the first byte of `text` that this tokenizer keeps for itself, or npos.
  [[nodiscard]] virtual std::size_t reserved_at(std::string_view text) const;
};

// Bytes as ids: 256 of them, with no file to ship. Byte 0 occurs in no text (it is the one
// character that text files and C strings exclude), so it is the end of a document and the
// vocabulary stays 256.
class ByteTokenizer final : public Tokenizer {
 public:
  [[nodiscard]] std::int64_t vocab_size() const override { return 256; }
  [[nodiscard]] std::int32_t eod() const override { return 0; }
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override;
  [[nodiscard]] std::size_t separable_prefix(std::string_view text) const override {
    return text.size();
  }
  [[nodiscard]] std::size_t reserved_at(std::string_view text) const override {
    return text.find('\0');
  }
};

// The tokenizer of a configuration's data.tokenizer. Throws Error (unsupported) for a file: this
// version reads none.
[[nodiscard]] std::unique_ptr<const Tokenizer> open_tokenizer(const std::string& name);

}  // namespace megascale

#endif  // MEGASCALE_DATA_TOKENIZER_H_
