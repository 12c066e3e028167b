#ifndef MEGASCALE_CHECKPOINT_SAFETENSORS_H_
#define MEGASCALE_CHECKPOINT_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/base/files.h"

// The safetensors format (https://huggingface.co/docs/safetensors), with strict reading. A file is:
//   8 bytes    N, unsigned, little-endian
//   N bytes    JSON object: name -> {"dtype", "shape", "data_offsets": [begin, end)},
//              "__metadata__" -> an object of strings; padded at its end with spaces
//   the rest   the tensors, row-major, little-endian; offsets count from here;
//              no gaps, no overlaps
// The reader refuses everything else with an Error that names the file, what was expected and what
// was found. Examples: a header longer than the file or than kHeaderMax, duplicate keys, sizes that
// disagree with shapes, gaps, overlaps, bytes after the last tensor. All free functions may be
// called from any thread.
namespace megascale::checkpoint {

// All element types of the format. Tensors of types without a DType of ours can be listed and
// skipped, but not read.
enum class StoredType : std::uint8_t {
  bool8,
  uint8,
  int8,
  float8_e5m2,
  float8_e4m3,
  int16,
  uint16,
  float16,
  bfloat16,
  int32,
  uint32,
  float32,
  float64,
  int64,
  uint64
};
// The name of the type in a file: "F32", "BF16", ...
[[nodiscard]] std::string_view to_string(StoredType type) noexcept;
// Returns nothing if the format has no type of this name.
[[nodiscard]] std::optional<StoredType> parse_stored_type(std::string_view name) noexcept;
// Bytes of one element.
[[nodiscard]] std::size_t itemsize(StoredType type) noexcept;
[[nodiscard]] StoredType stored_type(DType dtype) noexcept;
// Returns nothing if there is no DType for it.
[[nodiscard]] std::optional<DType> dtype_of(StoredType type) noexcept;

using Metadata = std::map<std::string, std::string>;

// One tensor of a file. `begin` and `end` are bytes from the start of the data.
struct StoredTensor {
  std::string name;
  StoredType type = StoredType::float32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // in the order of their data
  Metadata metadata;
  std::uint64_t data_begin = 0;  // start of the data: bytes from the start of the file
};

// Largest header in bytes: the bound of Hugging Face's reader. It suffices for about half a million
// tensors.
inline constexpr std::uint64_t kHeaderMax = 100'000'000;

// Returns the bytes of the header, the 8 bytes of its length included. `first8` holds the first 8
// bytes of a file of `file_nbytes` bytes; `file` is named in messages. Throws Error (corrupt_data)
// if the file is too short for its header, or the header too long.
[[nodiscard]] std::uint64_t safetensors_header_nbytes(std::span<const std::byte> first8,
                                                      std::uint64_t file_nbytes,
                                                      const std::string& file);
// Parses and checks the header. `head` begins at the start of the file and holds at least the whole
// header. `file` is named in messages. Throws Error (corrupt_data).
[[nodiscard]] SafetensorsHeader parse_safetensors(std::span<const std::byte> head,
                                                  std::uint64_t file_nbytes,
                                                  const std::string& file);

// Returns the header of a new file with `tensors` in this order, and sets their `begin` and `end`.
// The caller writes the data behind it without gaps. The header is padded so that the data begins
// at a multiple of 64 bytes. Throws Error (failed) if a name occurs twice, is not UTF-8 or is
// "__metadata__", or if the header would exceed kHeaderMax.
[[nodiscard]] std::string make_safetensors_header(std::vector<StoredTensor>& tensors,
                                                  const Metadata& metadata);

// A safetensors file that is mapped read-only. Views of its bytes stay valid as long as the object
// lives, also after it was moved. If the disk fails, or another process shortens the file, an
// access raises SIGBUS. Checkpoints are therefore read with pread() instead; this class serves
// model files of users.
class SafetensorsFile {
 public:
  // Throws Error: io, or corrupt_data if the file is not a valid safetensors file.
  explicit SafetensorsFile(const std::filesystem::path& path);
  [[nodiscard]] const SafetensorsHeader& header() const noexcept { return header_; }
  // Returns the JSON text of the header, with its padding, and the size of the file in bytes.
  [[nodiscard]] std::string_view header_text() const noexcept;
  [[nodiscard]] std::uint64_t nbytes() const noexcept { return file_.bytes().size(); }
  // Returns null if there is no tensor of this name.
  [[nodiscard]] const StoredTensor* find(std::string_view name) const noexcept;
  // Returns a view of the tensor's bytes. They may lie at any alignment.
  [[nodiscard]] std::span<const std::byte> bytes(const StoredTensor& tensor) const noexcept;

 private:
  MappedFile file_;
  SafetensorsHeader header_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_SAFETENSORS_H_
