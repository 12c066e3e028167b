#ifndef MEGASCALE_DATA_INDEXED_WRITER_H_
#define MEGASCALE_DATA_INDEXED_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/digest.h"
#include "megascale/base/files.h"
#include "megascale/data/indexed_dataset.h"

namespace megascale {

// Where a writer stands: another writer can go on from there, also in another process.
struct WriterState {
  std::int64_t tokens = 0;
  std::int64_t documents = 0;           // that are finished
  std::int64_t sequences = 0;           // that are finished
  std::int64_t open_tokens = 0;         // tokens of the sequence that is not finished
  std::int64_t document_sequences = 0;  // finished sequences of the document that is not finished
  // Numbers of the sequences whose document goes on in the next one, rising. They are rare, since a
  // sequence ends in a document only at its largest length.
  std::vector<std::int64_t> continued;
  // Digests (DigestStream) of what is written for tokens and for sequences.
  std::string tokens_digest, lengths_digest;
  std::string loss_mask_digest;  // of the loss mask; empty without one
  bool operator==(const WriterState&) const = default;
};

struct WriterOptions {
  // Tokens of one sequence; a longer document becomes several sequences. The file format stores the
  // length in an int32.
  std::int64_t sequence_tokens_max = std::numeric_limits<std::int32_t>::max();
  bool has_loss_mask = false;  // PREFIX.loss_mask is written too
};

// Writes an indexed dataset, document by document. Tokens and lengths of sequences are written to
// the disk as they arrive; memory does not grow. Before finish() only PREFIX.bin.partial,
// PREFIX.idx.partial and, with a loss mask, PREFIX.loss_mask.partial exist. The destructor removes them if finish() has not succeeded, unless
// keep(true) was called. If PREFIX.bin or PREFIX.idx is a symbolic link, the file that it names is
// written. All functions throw Error (io), which names the file. Thread safety: one
// thread. One process: the constructor throws Error (failed) if another one writes to PREFIX.
class IndexedDatasetWriter {
 public:
  IndexedDatasetWriter(std::filesystem::path prefix, TokenType type, WriterOptions options = {});
  ~IndexedDatasetWriter();
  IndexedDatasetWriter(const IndexedDatasetWriter&) = delete;
  IndexedDatasetWriter& operator=(const IndexedDatasetWriter&) = delete;

  // Goes on where another writer of the same prefix, type and options stood. Must come before
  // anything else. Returns false, and begins with nothing, if the partial files do not hold what
  // that writer wrote.
  [[nodiscard]] bool resume(const WriterState& state);

  // Adds tokens to the current document. With has_loss_mask, `loss_mask` has 1 for each token that
  // the loss counts and 0 for each other one; otherwise it is empty. Also throws Error (bad_input)
  // for an id that the token type cannot hold.
  void append(std::span<const std::int32_t> ids, std::span<const std::uint8_t> loss_mask = {});
  // Ends the current document, which may be empty.
  void end_document();
  // Writes all that was added to the partial files, without syncing them, and returns the state.
  [[nodiscard]] WriterState flush();
  // Whether the destructor leaves the partial files, for a later resume().
  void keep(bool keeps) noexcept { keeps_ = keeps; }
  // Syncs the files and renames them to PREFIX.bin, PREFIX.loss_mask and PREFIX.idx, the index last.
  // Old files are removed before, also a loss mask that the new data set does not have. If the
  // process crashes in between, the data set has no index and cannot be opened; an index never
  // stands beside the tokens of another data set. `info`, if it is not empty, becomes the content of
  // PREFIX.info.json (dataset_info.h). Call it once, after end_document().
  void finish(std::string_view info = {});

  [[nodiscard]] std::int64_t documents() const noexcept { return state_.documents; }
  [[nodiscard]] std::int64_t tokens() const noexcept { return state_.tokens; }
  // True if the current document has tokens.
  [[nodiscard]] bool in_document() const noexcept {
    return state_.open_tokens > 0 || state_.document_sequences > 0;
  }

 private:
  // A file that grows at its end, through a buffer.
  struct Output {
    std::filesystem::path target,
        path;  // the name at the end, behind symbolic links; and until then
    FileHandle file;
    std::vector<std::byte> buffer;
    DigestStream digest;
    void flush();
    // Cuts the file to its first `nbytes` bytes, and goes on there. Returns false if it is shorter,
    // or if the bytes from `begin` on have another digest.
    bool go_on(std::uint64_t begin, std::uint64_t nbytes, const std::string& expected);
  };
  void open(Output& output, const std::filesystem::path& target);
  // The files that this writer writes.
  [[nodiscard]] std::vector<Output*> outputs();
  void begin_anew();
  void end_sequence();
  void write_index();

  std::filesystem::path prefix_;
  TokenType type_;
  WriterOptions options_;
  Output bin_, idx_, mask_;          // mask_ has no file without a loss mask
  std::filesystem::path info_path_;  // behind symbolic links
  WriterState state_;                // its digests are set by flush()
  bool is_open_ = false;             // the partial files are as the state says
  bool finished_ = false, keeps_ = false;
};

}  // namespace megascale

#endif  // MEGASCALE_DATA_INDEXED_WRITER_H_
