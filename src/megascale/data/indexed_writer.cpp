// Writes the two files of an indexed dataset. Tokens go through a buffer to PREFIX.bin.partial
// while documents arrive. The index is written at the end, from the lengths that were collected in
// memory. Both files then get their names by renaming, in an order that is safe against crashes
// (see finish()).
#include "megascale/data/indexed_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale {
namespace {

constexpr std::size_t kBufferNbytes = 1 << 20;
constexpr std::int64_t kTokensBuffered = 1 << 16;  // tokens that are converted at a time

template <class T>
void put(std::vector<std::byte>& buffer, T value) {
  const std::size_t at = buffer.size();
  buffer.resize(at + sizeof(T));
  std::memcpy(buffer.data() + at, &value, sizeof(T));
}

template <class T>
void put_all(std::vector<std::byte>& buffer, std::span<const std::int32_t> ids) {
  const std::size_t at = buffer.size();
  buffer.resize(at + ids.size() * sizeof(T));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const T value = static_cast<T>(ids[i]);
    std::memcpy(buffer.data() + at + i * sizeof(T), &value, sizeof(T));
  }
}

// A signed type has the same bytes as the unsigned type of its size, so the size decides alone.
void put_tokens(std::vector<std::byte>& buffer, std::span<const std::int32_t> ids,
                std::size_t size) {
  if (size == 1) return put_all<std::int8_t>(buffer, ids);
  if (size == 2) return put_all<std::int16_t>(buffer, ids);
  if (size == 4) return put_all<std::int32_t>(buffer, ids);
  put_all<std::int64_t>(buffer, ids);
}

struct Range {  // of token ids that a type can hold
  std::int64_t min;
  std::int64_t max;
};
Range range_of(TokenType type) noexcept {
  switch (type) {
    case TokenType::uint8:
      return {0, 255};
    case TokenType::int8:
      return {-128, 127};
    case TokenType::int16:
      return {-32'768, 32'767};
    case TokenType::uint16:
      return {0, 65'535};
    case TokenType::int32:
    case TokenType::int64:
      break;
  }
  return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
}

void rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) {
    throw Error(ErrorCode::io,
                fmt::format("cannot rename to {}: {}", to.string(), error.message()));
  }
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace

IndexedDatasetWriter::IndexedDatasetWriter(std::filesystem::path prefix, TokenType type,
                                           std::int64_t sequence_tokens_max)
    : prefix_(std::move(prefix)), type_(type), sequence_tokens_max_(sequence_tokens_max) {
  if (prefix_.has_parent_path()) make_directories(prefix_.parent_path());
  bin_path_ = replaceable_file(bin_path(prefix_));
  idx_path_ = replaceable_file(idx_path(prefix_));
  partial_ = std::filesystem::path(bin_path_).concat(".partial");
  bin_ = open_file(partial_, OpenMode::create);
  buffer_.reserve(kBufferNbytes + kTokensBuffered * 8);
}

IndexedDatasetWriter::~IndexedDatasetWriter() {
  std::error_code ignored;  // a destructor cannot report it
  if (!finished_) {
    std::filesystem::remove(partial_, ignored);
    std::filesystem::remove(std::filesystem::path(idx_path_).concat(".partial"), ignored);
  }
}

void IndexedDatasetWriter::append(std::span<const std::int32_t> ids) {
  const Range range = range_of(type_);
  const auto misfit = std::find_if(
      ids.begin(), ids.end(), [&](std::int32_t id) { return id < range.min || id > range.max; });
  if (misfit != ids.end()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected token ids that fit {}, found {}",
                            bin_path(prefix_).string(), to_string(type_), *misfit));
  }
  while (!ids.empty()) {
    const auto room = std::min<std::int64_t>(kTokensBuffered, sequence_tokens_max_ - open_tokens_);
    const auto now = ids.first(std::min(ids.size(), static_cast<std::size_t>(room)));
    ids = ids.subspan(now.size());
    put_tokens(buffer_, now, itemsize(type_));
    if (buffer_.size() >= kBufferNbytes) flush();
    tokens_ += static_cast<std::int64_t>(now.size());
    open_tokens_ += static_cast<std::int64_t>(now.size());
    if (open_tokens_ == sequence_tokens_max_) {
      lengths_.push_back(static_cast<std::int32_t>(open_tokens_));
      open_tokens_ = 0;
    }
  }
}

void IndexedDatasetWriter::end_document() {
  // An empty document gets an empty sequence: some readers expect at least one sequence per
  // document.
  if (open_tokens_ > 0 || static_cast<std::int64_t>(lengths_.size()) == marks_.back()) {
    lengths_.push_back(static_cast<std::int32_t>(open_tokens_));
    open_tokens_ = 0;
  }
  marks_.push_back(static_cast<std::int64_t>(lengths_.size()));
}

void IndexedDatasetWriter::flush() {
  write_all(bin_, buffer_, partial_);
  buffer_.clear();
}

void IndexedDatasetWriter::write_index(const std::filesystem::path& path) const {
  const FileHandle file = open_file(path, OpenMode::create);
  std::vector<std::byte> buffer;
  for (const char c : kIndexMagic) put(buffer, c);
  put(buffer, kIndexVersion);
  put(buffer, static_cast<std::uint8_t>(type_));
  put(buffer, std::uint64_t{lengths_.size()});
  put(buffer, std::uint64_t{marks_.size()});
  write_all(file, buffer, path);
  write_all(file, std::as_bytes(std::span(lengths_)), path);
  buffer.clear();
  std::int64_t offset = 0;
  for (const std::int32_t length : lengths_) {
    put(buffer, offset);
    offset += length * static_cast<std::int64_t>(itemsize(type_));
    if (buffer.size() < kBufferNbytes) continue;
    write_all(file, buffer, path);
    buffer.clear();
  }
  write_all(file, buffer, path);
  write_all(file, std::as_bytes(std::span(marks_)), path);
  sync_file(file, path);
}

void IndexedDatasetWriter::finish() {
  const bool ended =
      open_tokens_ == 0 && marks_.back() == static_cast<std::int64_t>(lengths_.size());
  MEGASCALE_CHECK(ended && !finished_, "finish() comes once, after end_document()");
  flush();
  sync_file(bin_, partial_);
  const std::filesystem::path idx_partial = std::filesystem::path(idx_path_).concat(".partial");
  write_index(idx_partial);
  std::error_code error;
  std::filesystem::remove(idx_path_, error);
  if (error) {
    throw Error(ErrorCode::io,
                fmt::format("cannot remove {}: {}", idx_path_.string(), error.message()));
  }
  sync_directory(directory_of(idx_path_));
  rename_file(partial_, bin_path_);
  sync_directory(directory_of(bin_path_));
  rename_file(idx_partial, idx_path_);
  finished_ = true;
  sync_directory(directory_of(idx_path_));
}

}  // namespace megascale
