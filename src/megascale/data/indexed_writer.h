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

// Writes an indexed dataset, document by document. Tokens are written to the disk as they arrive;
// memory holds four bytes for each sequence and eight for each document. Before finish() only
// PREFIX.bin.partial exists; the destructor removes it if finish() has not succeeded. If PREFIX.bin
// or PREFIX.idx is a symbolic link, the file that it names is written. All functions
// throw Error (io), which names the file. Thread safety: one thread.
class IndexedDatasetWriter {
 public:
  // `sequence_tokens_max` bounds the tokens of one sequence; a longer document becomes several
  // sequences. The file format stores the length in an int32.
  IndexedDatasetWriter(std::filesystem::path prefix, TokenType type,
                       std::int64_t sequence_tokens_max = std::numeric_limits<std::int32_t>::max());
  ~IndexedDatasetWriter();
  IndexedDatasetWriter(const IndexedDatasetWriter&) = delete;
  IndexedDatasetWriter& operator=(const IndexedDatasetWriter&) = delete;

  // Adds tokens to the current document. Also throws Error (bad_input) for an id that the token
  // type cannot hold.
  void append(std::span<const std::int32_t> ids);
  // Ends the current document, which may be empty.
  void end_document();
  // Syncs both files and renames them to PREFIX.bin and PREFIX.idx, the index last. An old index is
  // removed before. If the process crashes in between, the data set has no index and cannot be
  // opened; an index never stands beside the tokens of another data set. Call it once, after
  // end_document().
  void finish();

  [[nodiscard]] std::int64_t documents() const noexcept {
    return static_cast<std::int64_t>(marks_.size()) - 1;
  }
  [[nodiscard]] std::int64_t tokens() const noexcept { return tokens_; }

 private:
  void flush();
  void write_index(const std::filesystem::path& path) const;

  std::filesystem::path prefix_;
  std::filesystem::path bin_path_, idx_path_;  // behind symbolic links
  std::filesystem::path partial_;
  TokenType type_;
  std::int64_t sequence_tokens_max_;
  FileHandle bin_;
  std::vector<std::byte> buffer_;       // tokens that are not written to the file yet
  std::vector<std::int32_t> lengths_;   // tokens of each finished sequence
  std::vector<std::int64_t> marks_{0};  // number of the first sequence of each document
  std::int64_t open_tokens_ = 0;        // tokens of the sequence that is not finished yet
  std::int64_t tokens_ = 0;
  bool finished_ = false;
};

}  // namespace megascale

#endif  // MEGASCALE_DATA_INDEXED_WRITER_H_
