#ifndef MEGASCALE_DATA_INPUT_PARTS_H_
#define MEGASCALE_DATA_INPUT_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/data/tokenizer.h"

// Divides an input into parts that threads can encode independently. The borders depend on the
// bytes of the input alone: a reader that starts at a border gives the same parts from there on.
namespace megascale {

// Writes the next bytes of an input to the front of the span. Returns their number; 0 means the
// end. May throw Error (io).
using ByteSource = std::function<std::size_t(std::span<char>)>;

// Where a reader begins, and how large its parts are.
struct PartStart {
  std::uint64_t offset = 0;  // the place in the input at which the source begins
  bool in_document = false;  // a text is open there
  std::size_t part_nbytes = std::size_t{1} << 19;  // of a part at least, unless the input ends
};

struct InputPart {
  // A piece of a document, bytes [begin, end) of the part. An empty piece may end a document.
  struct Piece {
    std::size_t begin = 0, end = 0;
    bool begins_document = false, ends_document = false;
  };
  std::string bytes;
  std::vector<Piece> pieces;  // of texts; lines and items are found by those who encode them
  std::uint64_t offset = 0;   // of the first byte in the input
  bool in_document = false;   // a text goes on in the next part
  bool is_last = false;       // of its input
};

// Reads an input part by part. One thread at a time.
class PartReader {
 public:
  PartReader(ByteSource source, const PartStart& start)
      : source_(std::move(source)), offset_(start.offset), part_nbytes_(start.part_nbytes) {}
  virtual ~PartReader() = default;
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;
  // Returns the next part. Must not be called after the last one.
  [[nodiscard]] InputPart next();

 private:
  // Returns how many of the first bytes of `pending` are a part, and describes them in `part`. 0:
  // more bytes are needed, and nothing may have changed. `at_end`: all bytes are the part.
  virtual std::size_t cut(std::string_view pending, bool at_end, InputPart& part) = 0;
  void fill(std::size_t nbytes);

  ByteSource source_;
  std::string pending_;  // bytes that no part holds yet
  std::uint64_t offset_;
  std::size_t part_nbytes_;
  bool at_end_ = false;
};

// Returns a reader of whole lines.
[[nodiscard]] std::unique_ptr<PartReader> read_lines(ByteSource source, const PartStart& start);
// Returns a reader of whole items of `nbytes` bytes each.
[[nodiscard]] std::unique_ptr<PartReader> read_items(ByteSource source, const PartStart& start,
                                                     std::size_t nbytes);
// Returns a reader of texts, in pieces that the tokenizer can encode by themselves
// (Tokenizer::separable_prefix()). If `separator` is not empty, documents lie between its
// occurrences, and those of white space only are left out. `tokenizer` must outlive the reader.
[[nodiscard]] std::unique_ptr<PartReader> read_texts(ByteSource source, const PartStart& start,
                                                     std::string separator,
                                                     const Tokenizer& tokenizer);

// True for text without other characters than white space.
[[nodiscard]] bool is_blank(std::string_view text) noexcept;

}  // namespace megascale

#endif  // MEGASCALE_DATA_INPUT_PARTS_H_
