#ifndef MEGASCALE_DATA_INPUT_READER_H_
#define MEGASCALE_DATA_INPUT_READER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/data/encode_part.h"
#include "megascale/data/input_format.h"
#include "megascale/data/input_parts.h"
#include "megascale/data/prepare_record.h"
#include "megascale/data/tokenizer.h"

namespace megascale {

// An input, and what is known of it before it is read.
struct Input {
  std::filesystem::path path;
  InputFormat format = InputFormat::text;
  bool is_regular = false;  // it can be read from any place, and read again
  InputIdentity identity;
};

// `asked` may be automatic.
[[nodiscard]] Input inspect_input(const std::filesystem::path& path, InputFormat asked);

// Returns a source that reads the file `input` from the byte `offset` on. Throws Error (io) if it
// cannot be opened.
[[nodiscard]] ByteSource open_source(const std::filesystem::path& input, std::uint64_t offset = 0);

// A part that is read, or the reason why its input cannot be read on.
struct ReadPart {
  std::size_t input = 0;
  InputPart part;
  std::shared_ptr<const EncodeOptions> encode;
  std::optional<Error> failure;
};

// Opens the inputs one after the other and reads their parts. One thread at a time, but for
// skip_to().
class InputReader {
 public:
  // `encode` is copied for each input; its name, format and items are those of the input then. The
  // inputs, and the tokenizer of `encode`, must outlive the object.
  InputReader(const std::vector<Input>& inputs, EncodeOptions encode, std::string separator)
      : inputs_(inputs), common_(std::move(encode)), separator_(std::move(separator)) {}

  // Where the reading begins. Call it before the first read().
  void start_at(const InputPlace& place);
  // Returns the next part, or nothing after the last one.
  std::optional<ReadPart> read();
  // The inputs before number `input` need not be read on. Any thread may call it.
  void skip_to(std::size_t input) noexcept { skipped_ = input; }

 private:
  void go_to(std::size_t input);
  void open();

  const std::vector<Input>& inputs_;
  EncodeOptions common_;
  std::string separator_;
  std::size_t input_ = 0;  // that is read now
  PartStart start_;        // where its reading begins
  std::unique_ptr<PartReader> reader_;
  std::shared_ptr<const EncodeOptions> encode_;
  std::atomic<std::size_t> skipped_ = 0;
};

}  // namespace megascale

#endif  // MEGASCALE_DATA_INPUT_READER_H_
