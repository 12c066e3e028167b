// The formats of inputs, and the headers of files with binary token ids.
// Sources: numpy.lib.format (the .npy format, versions 1 to 3); llm.c, dev/data/data_common.py (256
// int32: magic number, version, number of tokens).
#include "megascale/data/input_format.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

#include "megascale/base/error.h"

namespace megascale {
namespace {

constexpr std::array<std::string_view, 9> kNames{
    "automatic", "text", "jsonl", "chat", "preference", "ids", "uint16", "uint32", "npy"};
constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kLlmcHeaderNbytes = 1024;

template <class T>
T load(std::string_view bytes, std::size_t at) noexcept {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

Error bad(const std::string& name, const std::string& what) {
  return {ErrorCode::bad_input, fmt::format("{}: {}", name, what)};
}

// Returns what stands after 'KEY': in the dictionary of an .npy header, up to the next comma that
// is not inside of parentheses; without quotes and spaces around it.
std::string_view npy_value(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size() + 2);
  rest.remove_prefix(std::min(rest.find_first_not_of(": "), rest.size()));
  const char close = !rest.empty() && rest.front() == '(' ? ')' : ',';
  rest = rest.substr(0, rest.find(close));
  constexpr std::string_view kAround = "( ',";
  const std::size_t begin = std::min(rest.find_first_not_of(kAround), rest.size());
  return rest.substr(begin, rest.find_last_not_of(kAround) + 1 - begin);
}

ItemLayout npy_layout(std::string_view head, std::uint64_t nbytes, const std::string& name) {
  if (!head.starts_with(kNpyMagic) || head.size() < 12) {
    throw bad(name, "expected an array of numpy, whose file begins with 0x93 and NUMPY");
  }
  const bool is_short = head[6] == 1;  // version 1 has a length of two bytes
  const std::size_t begin = is_short ? 10 : 12;
  const std::size_t size =
      is_short ? load<std::uint16_t>(head, 8) : std::size_t{load<std::uint32_t>(head, 8)};
  if (begin + size > head.size()) {
    throw bad(name, fmt::format("expected a header of at most {} bytes, found {}",
                                head.size() - begin, size));
  }
  const std::string_view header = head.substr(begin, size);
  const std::string_view type = npy_value(header, "descr"), shape = npy_value(header, "shape");
  ItemLayout layout{.begin = begin + size};
  const bool is_integer = type.size() == 3 && (type[0] == '<' || type[0] == '|') &&
                          (type[1] == 'u' || type[1] == 'i') &&
                          std::string_view("1248").find(type[2]) != std::string_view::npos;
  if (!is_integer) {
    throw bad(name,
              fmt::format("expected little-endian integers, for instance '<u2', found '{}'", type));
  }
  layout.nbytes = static_cast<std::size_t>(type[2] - '0');
  layout.is_signed = type[1] == 'i';
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), count);
  if (error != std::errc() || end != shape.data() + shape.size()) {
    throw bad(name, fmt::format("expected an array of one dimension, found the shape ({})", shape));
  }
  if (count > nbytes || layout.begin + count * layout.nbytes != nbytes) {
    throw bad(name, fmt::format("expected {} items of {} bytes after a header of {}, found a file "
                                "of {} bytes",
                                count, layout.nbytes, layout.begin, nbytes));
  }
  return layout;
}

// Returns the size of llm.c's header for tokens of this size, or 0 if there is none.
std::uint64_t llmc_header(std::string_view head, std::uint64_t nbytes, std::size_t item) {
  if (head.size() < kLlmcHeaderNbytes) return 0;
  const auto magic = load<std::uint32_t>(head, 0), count = load<std::uint32_t>(head, 8);
  const std::uint32_t expected = item == 2 ? 20240520 : 20240801;
  return magic == expected && kLlmcHeaderNbytes + std::uint64_t{count} * item == nbytes
             ? kLlmcHeaderNbytes
             : 0;
}

}  // namespace

std::string_view to_string(InputFormat format) noexcept {
  return kNames[static_cast<std::size_t>(format)];
}

InputFormat format_of(const std::filesystem::path& input, InputFormat asked) {
  if (asked != InputFormat::automatic) return asked;
  const std::string extension = input.extension().string();
  if (extension == ".jsonl" || extension == ".ndjson" || extension == ".json")
    return InputFormat::jsonl;
  return extension == ".npy" ? InputFormat::npy : InputFormat::text;
}

ItemLayout item_layout(InputFormat format, std::string_view head, std::uint64_t nbytes,
                       const std::string& name) {
  if (format == InputFormat::npy) return npy_layout(head, nbytes, name);
  ItemLayout layout{.nbytes = format == InputFormat::uint16 ? std::size_t{2} : std::size_t{4}};
  if (head.starts_with(kNpyMagic)) throw bad(name, "this is an array of numpy: use --format npy");
  layout.begin = llmc_header(head, nbytes, layout.nbytes);
  if (nbytes % layout.nbytes != 0) {
    throw bad(name, fmt::format("expected ids of {} bytes each, found a file of {} bytes",
                                layout.nbytes, nbytes));
  }
  return layout;
}

}  // namespace megascale
