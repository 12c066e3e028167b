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

// The safetensors format, as read by Hugging Face's libraries:
//   8 bytes    N, unsigned, little-endian
//   N bytes    JSON object: name -> {"dtype", "shape", "data_offsets": [begin, end)},
//   "__metadata__" -> strings;
//              padded at its end with spaces
//   the rest   the tensors, row-major, little-endian; offsets count from here; no holes, no
//   overlaps
// Reading refuses everything else with an Error that names the file, what was expected and what was
// found: a header that is longer than the file or than kHeaderMax, duplicate keys, sizes that
// disagree with shapes, holes, overlaps, bytes left over.
namespace megascale::checkpoint {

// Every element type of the format. Types that this program has no DType for can be listed and
// skipped.
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
[[nodiscard]] std::string_view to_string(StoredType type) noexcept;  // "F32", "BF16", ...
[[nodiscard]] std::optional<StoredType> parse_stored_type(std::string_view name) noexcept;
[[nodiscard]] std::size_t itemsize(StoredType type) noexcept;
[[nodiscard]] StoredType stored_type(DType dtype) noexcept;
[[nodiscard]] std::optional<DType> dtype_of(StoredType type) noexcept;

using Metadata = std::map<std::string, std::string>;

// One tensor of a file. Offsets are bytes from the start of the data.
struct StoredTensor {
  std::string name;
  StoredType type = StoredType::float32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // in the order of the data
  Metadata metadata;
  std::uint64_t data_begin = 0;  // bytes from the start of the file
};

// The same bound as Hugging Face's reader has: about 100 MB, half a million tensors.
inline constexpr std::uint64_t kHeaderMax = 100'000'000;

// Bytes of the header with its length prefix, from the first 8 bytes of a file of `file_nbytes`.
// Throws Error (corrupt_data).
[[nodiscard]] std::uint64_t safetensors_header_nbytes(std::span<const std::byte> first8,
                                                      std::uint64_t file_nbytes,
                                                      const std::string& file);
// Parses and checks the header. `head` begins at the start of the file and holds at least the
// header; `file` is for messages. Throws Error (corrupt_data).
[[nodiscard]] SafetensorsHeader parse_safetensors(std::span<const std::byte> head,
                                                  std::uint64_t file_nbytes,
                                                  const std::string& file);

// The header of a new file for `tensors` in this order: fills in their begin and end; the data is
// then written behind it without gaps. The result is padded so that data begins on a multiple of 64
// bytes. Throws Error (failed): a name twice, not UTF-8 or "__metadata__"; a header above
// kHeaderMax.
[[nodiscard]] std::string make_safetensors_header(std::vector<StoredTensor>& tensors,
                                                  const Metadata& metadata);

// A file mapped read-only. Views stay valid for as long as the object (also when moved). A disk
// that fails, or a file that is cut while it is mapped, raises SIGBUS: checkpoints are therefore
// read with pread instead, this is for files of users.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  [[nodiscard]] const SafetensorsHeader& header() const noexcept { return header_; }
  [[nodiscard]] const StoredTensor* find(std::string_view name) const noexcept;  // null when absent
  [[nodiscard]] std::span<const std::byte> bytes(const StoredTensor& tensor) const noexcept;

 private:
  MappedFile file_;
  SafetensorsHeader header_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_SAFETENSORS_H_
