#ifndef MEGASCALE_DATA_TOKENIZER_H_
#define MEGASCALE_DATA_TOKENIZER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace megascale {

// The interface of tokenizers, which convert text to token ids and back. Ids are 0 to vocab_size()
// - 1. Thread safety: immutable after construction; threads may share it.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  [[nodiscard]] virtual std::int64_t vocab_size() const = 0;
  // Returns the id that marks the end of a document, which the writer of documents appends. encode()
  // produces it only if the text spells this token and the tokenizer recognizes added tokens in
  // texts. Throws Error (bad_input) if the tokenizer's file names no such token.
  [[nodiscard]] virtual std::int32_t eod() const = 0;
  // Appends the ids of `text` to `ids`. Throws Error (bad_input) if the tokenizer cannot encode it.
  virtual void encode(std::string_view text, std::vector<std::int32_t>& ids) const = 0;
  // The same for a text that continues a document after a part of separable_prefix() bytes. Some
  // tokenizers put a space before a document.
  virtual void encode_rest(std::string_view text, std::vector<std::int32_t>& ids) const {
    encode(text, ids);
  }
  // Returns the text of `ids`. It may end inside a UTF-8 character if `ids` do. Throws Error
  // (bad_input) for an id outside of the vocabulary.
  [[nodiscard]] virtual std::string decode(std::span<const std::int32_t> ids) const = 0;

  // `text` is the beginning of a document whose rest is not known yet. Returns how many of its
  // first bytes can be encoded now without a change of the document's ids, if encode_rest() takes
  // what follows. 0 means none: the document must be read as a whole before it is encoded.
  [[nodiscard]] virtual std::size_t separable_prefix(std::string_view text) const;
  // Returns the position of the first reserved byte of `text`, or npos. Text must not contain
  // reserved bytes, because the tokenizer uses their ids for other purposes.
  [[nodiscard]] virtual std::size_t reserved_at(std::string_view text) const;
  // Returns a digest of all that decides the ids, to find out whether data, checkpoints and a
  // tokenizer belong together.
  [[nodiscard]] virtual std::string fingerprint() const = 0;
  // Returns the text of one token as the vocabulary writes it. Throws Error (bad_input) for an id
  // without a token.
  [[nodiscard]] virtual std::string token_text(std::int32_t id) const;
  // Returns the id of the token that the vocabulary writes as `text`, such as "<|im_end|>", or
  // nothing. Used for tokens that stand between texts and are no text themselves.
  [[nodiscard]] virtual std::optional<std::int32_t> special_token(std::string_view text) const;
};

// A tokenizer whose ids are the 256 byte values. It needs no file. Byte 0 does not occur in text
// files, so its id marks the end of a document, and the vocabulary has exactly 256 ids.
class ByteTokenizer final : public Tokenizer {
 public:
  [[nodiscard]] std::int64_t vocab_size() const override { return 256; }
  [[nodiscard]] std::int32_t eod() const override { return 0; }
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override;
  // All complete characters.
  [[nodiscard]] std::size_t separable_prefix(std::string_view text) const override;
  [[nodiscard]] std::size_t reserved_at(std::string_view text) const override {
    return text.find('\0');
  }
  [[nodiscard]] std::string fingerprint() const override { return "byte"; }
};

// The ids of a tokenizer of which nothing is known but their number. It can neither encode nor
// decode, and has no fingerprint.
class IdVocabulary final : public Tokenizer {
 public:
  explicit IdVocabulary(std::int64_t size, std::optional<std::int32_t> eod = std::nullopt)
      : size_(size), eod_(eod) {}
  [[nodiscard]] std::int64_t vocab_size() const override { return size_; }
  [[nodiscard]] std::int32_t eod() const override;
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override;
  [[nodiscard]] std::string fingerprint() const override { return {}; }

 private:
  std::int64_t size_;
  std::optional<std::int32_t> eod_;
};

// The parts of a name that data.tokenizer accepts.
struct TokenizerName {
  enum class Kind : std::uint8_t { byte, json, ranks, sentencepiece };
  Kind kind = Kind::byte;
  std::filesystem::path path;  // of the file; a folder's tokenizer.json
  std::string encoding;        // of a rank file
};
// Throws Error (bad_usage) for a name that is none of those below.
[[nodiscard]] TokenizerName parse_tokenizer_name(const std::string& name);

// Returns the tokenizer that data.tokenizer names:
//   byte                    the bytes of UTF-8
//   PATH.json, or a folder  a tokenizer.json (Hugging Face); the tokenizer_config.json beside it
//                           names the end of a document
//   PATH.tiktoken@ENCODING  a rank file (tiktoken); without @ENCODING the file's name is it
//   PATH.model              a model of SentencePiece; "PATH.model@llama3" is a rank file
// Throws Error (io) for a file that cannot be read, Error (bad_input) for wrong content, which names
// file and place, and Error (bad_usage) for another name.
[[nodiscard]] std::unique_ptr<const Tokenizer> open_tokenizer(const std::string& name);

}  // namespace megascale

#endif  // MEGASCALE_DATA_TOKENIZER_H_
