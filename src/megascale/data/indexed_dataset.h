#ifndef MEGASCALE_DATA_INDEXED_DATASET_H_
#define MEGASCALE_DATA_INDEXED_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "megascale/base/files.h"

// Megatron's indexed dataset, memory mapped: PREFIX.bin holds tokens back to back, PREFIX.idx says
// where sequences and documents begin (docs/formats/indexed-dataset.md). Everything is
// little-endian and unaligned.
namespace megascale {

// Codes of the file format; the integer types of it. (6 and 7 are float64 and float32.)
enum class TokenType : std::uint8_t {
  uint8 = 1,
  int8 = 2,
  int16 = 3,
  int32 = 4,
  int64 = 5,
  uint16 = 8
};
[[nodiscard]] std::string_view to_string(TokenType type) noexcept;
[[nodiscard]] std::size_t itemsize(TokenType type) noexcept;
// As Megatron's preprocessor chooses: uint16 for fewer than 65,500 ids, else int32.
[[nodiscard]] TokenType token_type_for(std::int64_t vocab_size) noexcept;

inline constexpr std::string_view kIndexMagic{"MMIDIDX\0\0", 9};
inline constexpr std::uint64_t kIndexVersion = 1;
inline constexpr std::size_t kIndexHeaderNbytes = 34;

// A checked view of the bytes of an .idx file, which must outlive it. The constructor reads all of
// it once and throws Error (bad_input; unsupported for float tokens) that names the file, what was
// expected and what was found.
class DatasetIndex {
 public:
  // `bin_nbytes` is the size of the .bin file; `name` is for messages.
  DatasetIndex(std::span<const std::byte> idx, std::uint64_t bin_nbytes, std::string_view name);
  [[nodiscard]] TokenType token_type() const noexcept { return type_; }
  [[nodiscard]] std::int64_t sequences() const noexcept { return sequences_; }
  [[nodiscard]] std::int64_t documents() const noexcept { return marks_ - 1; }
  [[nodiscard]] std::int64_t tokens() const noexcept { return tokens_; }
  // The first token of a sequence or document; for index == count the number of tokens.
  [[nodiscard]] std::int64_t sequence_start(std::int64_t sequence) const noexcept;
  [[nodiscard]] std::int64_t document_start(std::int64_t document) const noexcept;
  // The first document that starts at `token` or later, documents() when none does.
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

// Both files of a prefix. Thread safety: immutable after construction. A file that is truncated
// while it is mapped kills the process with SIGBUS: do not rewrite data sets in place
// (IndexedDatasetWriter renames).
class IndexedDataset {
 public:
  // Throws Error (io) when a file cannot be mapped, and what DatasetIndex throws.
  explicit IndexedDataset(const std::filesystem::path& prefix);
  [[nodiscard]] const DatasetIndex& index() const noexcept { return index_; }
  [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
  // ids[i] = token number first + i, for 0 <= first and first + ids.size() <= tokens. A 64-bit
  // token that int32 cannot hold reads as -1; token() has its value.
  void read(std::int64_t first, std::span<std::int32_t> ids) const noexcept;
  [[nodiscard]] std::int64_t token(std::int64_t position) const noexcept;

 private:
  std::string prefix_;
  MappedFile bin_;
  MappedFile idx_;
  DatasetIndex index_;
};

// "PREFIX.bin", "PREFIX.idx"
[[nodiscard]] std::filesystem::path bin_path(const std::filesystem::path& prefix);
[[nodiscard]] std::filesystem::path idx_path(const std::filesystem::path& prefix);

}  // namespace megascale

#endif  // MEGASCALE_DATA_INDEXED_DATASET_H_
