#ifndef MEGASCALE_DATA_INDEXED_WRITER_H_
#define MEGASCALE_DATA_INDEXED_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <vector>

#include "megascale/base/files.h"
#include "megascale/data/indexed_dataset.h"

namespace megascale {

// Writes an indexed dataset, document by document. Tokens go to disk as they come; four bytes per
// sequence and eight per document stay in memory. Until finish() only PREFIX.bin.partial exists,
// which the destructor removes. Errors: Error (io) that names the file. Thread safety: one thread.
class IndexedDatasetWriter {
 public:
  // The format counts a sequence's tokens in an int32: a longer document becomes several sequences.
  IndexedDatasetWriter(std::filesystem::path prefix, TokenType type,
                       std::int64_t sequence_tokens_max = std::numeric_limits<std::int32_t>::max());
  ~IndexedDatasetWriter();
  IndexedDatasetWriter(const IndexedDatasetWriter&) = delete;
  IndexedDatasetWriter& operator=(const IndexedDatasetWriter&) = delete;

  // Adds tokens to the current document. Throws Error (bad_input) for an id that the token type
  // cannot hold.
  void append(std::span<const std::int32_t> ids);
  // Ends the current document, which may be empty.
  void end_document();
  // Puts both files in place: synced, then renamed, the index last. An old index is removed first,
  // so that a crash in between leaves a set that does not open and never an index beside another
  // set's tokens.
  void finish();

  [[nodiscard]] std::int64_t documents() const noexcept {
    return static_cast<std::int64_t>(marks_.size()) - 1;
  }
  [[nodiscard]] std::int64_t tokens() const noexcept { return tokens_; }

 private:
  void flush();
  void write_index(const std::filesystem::path& path) const;

  std::filesystem::path prefix_;
  std::filesystem::path partial_;
  TokenType type_;
  std::int64_t sequence_tokens_max_;
  FileHandle bin_;
  std::vector<std::byte> buffer_;
  std::vector<std::int32_t> lengths_;
  std::vector<std::int64_t> marks_{0};
  std::int64_t open_tokens_ = 0;  // of the sequence that is being written
  std::int64_t tokens_ = 0;
  bool finished_ = false;
};

}  // namespace megascale

#endif  // MEGASCALE_DATA_INDEXED_WRITER_H_
