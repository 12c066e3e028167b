// Reads Megatron's indexed dataset. The constructor of the index checks
// every number of the file once, so that reading tokens needs no checks: a wrong .idx file gives an
// error that names the wrong number, never a read outside of the mapping. Tokens are stored in six
// integer types; with_type() turns the code of the type into a C++ type.
#include "megascale/data/indexed_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "megascale/base/error.h"

namespace megascale {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the files are little-endian and are read in place");

constexpr std::size_t kLengthNbytes = 4, kOffsetNbytes = 8, kMarkNbytes = 8;

[[noreturn]] void malformed(std::string_view name, const std::string& what) {
  throw Error(ErrorCode::bad_input, fmt::format("{}: {}", name, what));
}

TokenType checked_type(std::uint8_t code, std::string_view name) {
  switch (code) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 8:
      return static_cast<TokenType>(code);
    case 6:
    case 7:
      throw Error(ErrorCode::unsupported,
                  fmt::format("{}: expected integer tokens, found dtype code {} ({})", name, code,
                              code == 6 ? "float64" : "float32"));
    default:
      malformed(name, fmt::format("expected a dtype code from 1 to 8, found {}", code));
  }
}

// The bytes at `from` need not be aligned. A value that int32 cannot hold becomes -1.
template <class T>
void copy_tokens(const std::byte* from, std::span<std::int32_t> ids) noexcept {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    if constexpr (sizeof(T) > sizeof(std::int32_t)) {
      ids[i] = value == static_cast<std::int32_t>(value) ? static_cast<std::int32_t>(value) : -1;
    } else {
      ids[i] = value;  // NOLINT(bugprone-signed-char-misuse): an int8 is a number here
    }
  }
}

template <class T>
std::int64_t one_token(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// Calls `visitor` with a zero of the C++ type that corresponds to `type`, and returns its result.
template <class Visitor>
auto with_type(TokenType type, Visitor visitor) noexcept {
  switch (type) {
    case TokenType::uint8:
      return visitor(std::uint8_t{});
    case TokenType::int8:
      return visitor(std::int8_t{});
    case TokenType::int16:
      return visitor(std::int16_t{});
    case TokenType::uint16:
      return visitor(std::uint16_t{});
    case TokenType::int64:
      return visitor(std::int64_t{});
    case TokenType::int32:
      break;
  }
  return visitor(std::int32_t{});
}

}  // namespace

std::string_view to_string(TokenType type) noexcept {
  switch (type) {
    case TokenType::uint8:
      return "uint8";
    case TokenType::int8:
      return "int8";
    case TokenType::int16:
      return "int16";
    case TokenType::int32:
      return "int32";
    case TokenType::int64:
      return "int64";
    case TokenType::uint16:
      return "uint16";
  }
  return "?";
}

std::size_t itemsize(TokenType type) noexcept {
  return with_type(type, [](auto value) { return sizeof value; });
}

TokenType token_type_for(std::int64_t vocab_size) noexcept {
  return vocab_size < 65'500 ? TokenType::uint16 : TokenType::int32;
}

DatasetIndex::DatasetIndex(std::span<const std::byte> idx, std::uint64_t bin_nbytes,
                           std::string_view name)
    : idx_(idx) {
  if (idx.size() < kIndexHeaderNbytes) {
    malformed(name, fmt::format("expected a header of {} bytes, found a file of {}",
                                kIndexHeaderNbytes, idx.size()));
  }
  if (std::memcmp(idx.data(), kIndexMagic.data(), kIndexMagic.size()) != 0) {
    malformed(name,
              "expected an indexed dataset, which begins with \"MMIDIDX\" and two zero bytes, "
              "found other bytes");
  }
  if (const auto version = load<std::uint64_t>(9); version != kIndexVersion) {
    malformed(name, fmt::format("expected version {}, found {}", kIndexVersion, version));
  }
  type_ = checked_type(load<std::uint8_t>(17), name);
  const auto sequences = load<std::uint64_t>(18), marks = load<std::uint64_t>(26);
  const std::uint64_t body = idx.size() - kIndexHeaderNbytes;
  const std::uint64_t per_sequence = kLengthNbytes + kOffsetNbytes;
  if (sequences > body / per_sequence || marks > (body - sequences * per_sequence) / kMarkNbytes) {
    malformed(name,
              fmt::format(
                  "expected room for {} sequences and {} document marks, found a file of {} bytes",
                  sequences, marks, idx.size()));
  }
  // Multimodal data sets have one more byte for each sequence, its mode. It is accepted and
  // ignored.
  const std::uint64_t rest = body - sequences * per_sequence - marks * kMarkNbytes;
  if (rest != 0 && rest != sequences) {
    malformed(name,
              fmt::format("expected {} bytes for {} sequences and {} document marks, found {}",
                          idx.size() - rest, sequences, marks, idx.size()));
  }
  sequences_ = static_cast<std::int64_t>(sequences);
  marks_ = static_cast<std::int64_t>(marks);
  check_sequences(bin_nbytes, name);
  check_documents(name);
}

void DatasetIndex::check_sequences(std::uint64_t bin_nbytes, std::string_view name) {
  const std::size_t size = itemsize(type_);
  const std::uint64_t limit = bin_nbytes / size;
  std::uint64_t tokens = 0;
  for (std::int64_t i = 0; i < sequences_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto length = load<std::int32_t>(kIndexHeaderNbytes + at * kLengthNbytes);
    const auto offset = load<std::int64_t>(kIndexHeaderNbytes +
                                           static_cast<std::size_t>(sequences_) * kLengthNbytes +
                                           at * kOffsetNbytes);
    if (length < 0) {
      malformed(name, fmt::format("sequence {}: expected a length >= 0, found {}", i, length));
    }
    if (offset < 0 || static_cast<std::uint64_t>(offset) != tokens * size) {
      malformed(
          name,
          fmt::format("sequence {}: expected byte offset {} (sequences lie back to back), found {}",
                      i, tokens * size, offset));
    }
    tokens += static_cast<std::uint64_t>(length);
    if (tokens > limit) {
      malformed(
          name,
          fmt::format(
              "sequence {}: ends at token {}, but the .bin file holds {} tokens of {} ({} bytes)",
              i, tokens, limit, to_string(type_), bin_nbytes));
    }
  }
  if (tokens * size != bin_nbytes) {
    malformed(name, fmt::format("expected a .bin file of {} bytes ({} tokens of {}), found {}: do "
                                "both files belong to one data set?",
                                tokens * size, tokens, to_string(type_), bin_nbytes));
  }
  tokens_ = static_cast<std::int64_t>(tokens);
}

void DatasetIndex::check_documents(std::string_view name) const {
  if (marks_ == 0) malformed(name, "expected at least one document mark, found none");
  if (mark(0) != 0) {
    malformed(name, fmt::format("expected the first document mark to be 0, found {}", mark(0)));
  }
  for (std::int64_t i = 1; i < marks_; ++i) {
    if (mark(i) < mark(i - 1)) {
      malformed(name, fmt::format("document mark {}: expected at least {} (marks rise), found {}",
                                  i, mark(i - 1), mark(i)));
    }
  }
  if (mark(marks_ - 1) != sequences_) {
    malformed(
        name,
        fmt::format("expected the last document mark to be {}, the number of sequences, found {}",
                    sequences_, mark(marks_ - 1)));
  }
}

template <class T>
T DatasetIndex::load(std::size_t offset) const noexcept {
  T value;
  std::memcpy(&value, idx_.data() + offset, sizeof(T));
  return value;
}

std::int64_t DatasetIndex::mark(std::int64_t document) const noexcept {
  const std::size_t marks_at =
      kIndexHeaderNbytes + static_cast<std::size_t>(sequences_) * (kLengthNbytes + kOffsetNbytes);
  return load<std::int64_t>(marks_at + static_cast<std::size_t>(document) * kMarkNbytes);
}

std::int64_t DatasetIndex::sequence_start(std::int64_t sequence) const noexcept {
  if (sequence == sequences_) return tokens_;
  const std::size_t offsets_at =
      kIndexHeaderNbytes + static_cast<std::size_t>(sequences_) * kLengthNbytes;
  return load<std::int64_t>(offsets_at + static_cast<std::size_t>(sequence) * kOffsetNbytes) /
         static_cast<std::int64_t>(itemsize(type_));
}

std::int64_t DatasetIndex::document_start(std::int64_t document) const noexcept {
  return sequence_start(mark(document));
}

std::int64_t DatasetIndex::first_document_from(std::int64_t token) const noexcept {
  std::int64_t low = 0, high = documents();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (document_start(middle) < token) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

IndexedDataset::IndexedDataset(const std::filesystem::path& prefix)
    : prefix_(prefix.string()),
      bin_(bin_path(prefix)),
      idx_(idx_path(prefix)),
      index_(idx_.bytes(), bin_.nbytes(), idx_path(prefix).string()) {
  const std::filesystem::path path = loss_mask_path(prefix);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  loss_mask_.emplace(path);
  if (static_cast<std::int64_t>(loss_mask_->nbytes()) != index_.tokens()) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected one byte for each of the {} tokens of {}, found {} bytes: "
                    "remove it if another program has written the data set",
                    path.string(), index_.tokens(), bin_path(prefix).string(),
                    loss_mask_->nbytes()));
  }
}

void IndexedDataset::read_loss_mask(std::int64_t first, std::span<std::uint8_t> loss_mask) const
    try {
  loss_mask_->read(static_cast<std::uint64_t>(first), std::as_writable_bytes(loss_mask));
} catch (Error& error) {
  error.add_context("reading the loss mask: the file must stay as it is while a run uses it");
  throw;
}

void IndexedDataset::read_bytes(std::int64_t first, std::span<std::byte> bytes) const try {
  bin_.read(static_cast<std::uint64_t>(first) * itemsize(index_.token_type()), bytes);
} catch (Error& error) {
  error.add_context("reading tokens: the file must stay as it is while a run uses it");
  throw;
}

void IndexedDataset::read(std::int64_t first, std::span<std::int32_t> ids) const {
  const TokenType type = index_.token_type();
  std::byte buffer[1 << 14];
  while (!ids.empty()) {
    const auto now = ids.first(std::min(ids.size(), sizeof buffer / itemsize(type)));
    read_bytes(first, std::span(buffer).first(now.size() * itemsize(type)));
    with_type(type, [&](auto value) { copy_tokens<decltype(value)>(buffer, now); });
    first += static_cast<std::int64_t>(now.size());
    ids = ids.subspan(now.size());
  }
}

std::int64_t IndexedDataset::token(std::int64_t position) const {
  std::array<std::byte, sizeof(std::int64_t)> bytes{};
  read_bytes(position, std::span(bytes).first(itemsize(index_.token_type())));
  return with_type(index_.token_type(),
                   [&](auto value) { return one_token<decltype(value)>(bytes.data()); });
}

std::filesystem::path bin_path(const std::filesystem::path& prefix) {
  return std::filesystem::path(prefix).concat(".bin");
}

std::filesystem::path idx_path(const std::filesystem::path& prefix) {
  return std::filesystem::path(prefix).concat(".idx");
}

std::filesystem::path loss_mask_path(const std::filesystem::path& prefix) {
  return std::filesystem::path(prefix).concat(".loss_mask");
}

std::filesystem::path info_path(const std::filesystem::path& prefix) {
  return std::filesystem::path(prefix).concat(".info.json");
}

}  // namespace megascale
