#ifndef MEGASCALE_DATA_INDEXED_DATASET_H_
#define MEGASCALE_DATA_INDEXED_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "megascale/base/files.h"
#include "megascale/checkpoint/storage.h"

// Reads Megatron's indexed dataset. PREFIX.bin holds the tokens back to
// back. PREFIX.idx holds the lengths of the sequences and the first sequence of every document;
// these entries are called document marks. docs/formats/indexed-dataset.md describes the format.
// All numbers are little-endian and unaligned.
namespace megascale {

// Type of the tokens in a file, with the file format's codes. The codes 6 and 7 are float64 and
// float32, which no tokens have.
enum class TokenType : std::uint8_t {
  uint8 = 1,
  int8 = 2,
  int16 = 3,
  int32 = 4,
  int64 = 5,
  uint16 = 8
};
// Returns the name of the type, such as "uint16".
[[nodiscard]] std::string_view to_string(TokenType type) noexcept;
// Returns the bytes of one token.
[[nodiscard]] std::size_t itemsize(TokenType type) noexcept;
// Returns the type that Megatron's preprocessor chooses: uint16 for fewer than 65,500 ids,
// otherwise int32.
[[nodiscard]] TokenType token_type_for(std::int64_t vocab_size) noexcept;

inline constexpr std::string_view kIndexMagic{"MMIDIDX\0\0", 9};
inline constexpr std::uint64_t kIndexVersion = 1;
inline constexpr std::size_t kIndexHeaderNbytes = 34;

// A checked view of the bytes of an .idx file. The bytes must outlive the view. Thread safety:
// immutable after construction.
class DatasetIndex {
 public:
  // Reads and checks all of `idx`. `bin_nbytes` is the size of the .bin file; `name` is the file
  // name for messages. Throws Error: bad_input if a number of the index is wrong or does not agree
  // with `bin_nbytes`, unsupported for float tokens.
  DatasetIndex(std::span<const std::byte> idx, std::uint64_t bin_nbytes, std::string_view name);
  [[nodiscard]] TokenType token_type() const noexcept { return type_; }
  [[nodiscard]] std::int64_t sequences() const noexcept { return sequences_; }
  [[nodiscard]] std::int64_t documents() const noexcept { return marks_ - 1; }
  [[nodiscard]] std::int64_t tokens() const noexcept { return tokens_; }
  // Return the position of the first token of a sequence or document. For the index sequences() or
  // documents() the result is tokens().
  [[nodiscard]] std::int64_t sequence_start(std::int64_t sequence) const noexcept;
  [[nodiscard]] std::int64_t document_start(std::int64_t document) const noexcept;
  // Returns the first document that starts at position `token` or later, or documents() if there is
  // none. Binary search.
  [[nodiscard]] std::int64_t first_document_from(std::int64_t token) const noexcept;

 private:
  void check_sequences(std::uint64_t bin_nbytes, std::string_view name);
  void check_documents(std::string_view name) const;
  template <class T>
  [[nodiscard]] T load(std::size_t offset) const noexcept;
  [[nodiscard]] std::int64_t mark(std::int64_t document) const noexcept;

  std::span<const std::byte> idx_;
  TokenType type_{};
  std::int64_t sequences_ = 0;
  std::int64_t marks_ = 0;
  std::int64_t tokens_ = 0;
};

// The files of a data set: tokens, index, and the loss mask if there is one. Thread safety: immutable after construction. Tokens are read with
// pread(), and the size of the mapped index is checked before it is used, so a file that is
// truncated meanwhile is an Error that names it, not the end of the process (SIGBUS). Only an index
// that is truncated in the microseconds after the check still ends it. Never rewrite a data set in
// place; IndexedDatasetWriter writes new files and renames them.
class IndexedDataset {
 public:
  // `prefix` is the path without .bin and .idx. Throws Error (io) if a file cannot be mapped, the
  // errors of DatasetIndex, and Error (bad_input) if the loss mask is of another number of tokens.
  explicit IndexedDataset(const std::filesystem::path& prefix);
  // Throws Error (corrupt_data) if the file has become shorter than it was.
  [[nodiscard]] const DatasetIndex& index() const {
    idx_.require_whole();
    return index_;
  }
  [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
  // Sets ids[i] to token number first + i. All numbers must be in [0, index().tokens()). A 64-bit
  // token that int32 cannot hold is read as -1. Throws Error: io, or corrupt_data if the file has
  // become shorter than it was.
  void read(std::int64_t first, std::span<std::int32_t> ids) const;
  // Whether a file says which tokens the loss counts. Without it the loss counts all of them.
  [[nodiscard]] bool has_loss_mask() const noexcept { return loss_mask_.has_value(); }
  // Sets loss_mask[i] to 1 if the loss counts token number first + i, otherwise to another number.
  // Only with has_loss_mask(). Numbers and errors as read().
  void read_loss_mask(std::int64_t first, std::span<std::uint8_t> loss_mask) const;
  // Returns one token, also if int32 cannot hold it. Throws as read().
  [[nodiscard]] std::int64_t token(std::int64_t position) const;

 private:
  void read_bytes(std::int64_t first, std::span<std::byte> bytes) const;

  std::string prefix_;
  checkpoint::ReadFile bin_;
  MappedFile idx_;
  DatasetIndex index_;
  std::optional<checkpoint::ReadFile> loss_mask_;
};

// Return "PREFIX.bin", "PREFIX.idx", "PREFIX.loss_mask" and "PREFIX.info.json" (dataset_info.h).
[[nodiscard]] std::filesystem::path bin_path(const std::filesystem::path& prefix);
[[nodiscard]] std::filesystem::path idx_path(const std::filesystem::path& prefix);
[[nodiscard]] std::filesystem::path loss_mask_path(const std::filesystem::path& prefix);
[[nodiscard]] std::filesystem::path info_path(const std::filesystem::path& prefix);

}  // namespace megascale

#endif  // MEGASCALE_DATA_INDEXED_DATASET_H_
