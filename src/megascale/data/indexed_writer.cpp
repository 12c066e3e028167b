// Writes the two files of an indexed dataset. While documents arrive, tokens go through a buffer to
// PREFIX.bin.partial, and the lengths of sequences to their place in PREFIX.idx.partial. The rest of
// the index follows from the lengths, and is written at the end. The files then get their names by
// renaming, in an order that is safe against crashes (see finish()).
#include "megascale/data/indexed_writer.h"

#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale {
namespace {

constexpr std::size_t kBufferNbytes = 1 << 20;
constexpr std::int64_t kTokensBuffered = 1 << 16;  // tokens that are converted at a time
constexpr std::size_t kSequenceNbytes = 4;         // of a sequence's length in the index
constexpr const char* kPartial = ".partial";

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

std::filesystem::path partial_of(const std::filesystem::path& file) {
  return std::filesystem::path(file).concat(kPartial);
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace

void IndexedDatasetWriter::Output::flush() {
  write_all(file, buffer, path);
  digest.update(buffer);
  buffer.clear();
}

bool IndexedDatasetWriter::Output::go_on(std::uint64_t begin, std::uint64_t nbytes,
                                         const std::string& expected) {
  buffer.resize(kBufferNbytes);
  for (std::uint64_t at = begin; at < nbytes;) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(nbytes - at, kBufferNbytes));
    const std::size_t count = read_at(file, at, std::span(buffer).first(wanted), path);
    if (count == 0) break;
    digest.update(std::span(buffer).first(count));
    at += count;
  }
  buffer.clear();
  if (digest.finish() != expected) return false;
  truncate_file(file, nbytes, path);
  return true;
}

IndexedDatasetWriter::IndexedDatasetWriter(std::filesystem::path prefix, TokenType type,
                                           WriterOptions options)
    : prefix_(std::move(prefix)), type_(type), options_(options) {
  if (prefix_.has_parent_path()) make_directories(prefix_.parent_path());
  open(bin_, bin_path(prefix_));
  open(idx_, idx_path(prefix_));
  mask_.target = replaceable_file(loss_mask_path(prefix_));  // an old one is removed
  if (options_.has_loss_mask) open(mask_, loss_mask_path(prefix_));
  info_path_ = replaceable_file(info_path(prefix_));
}

IndexedDatasetWriter::~IndexedDatasetWriter() {
  if (finished_ || keeps_) return;
  std::error_code ignored;  // a destructor cannot report it
  for (const Output* output : outputs()) std::filesystem::remove(output->path, ignored);
  std::filesystem::remove(partial_of(info_path_), ignored);
}

std::vector<IndexedDatasetWriter::Output*> IndexedDatasetWriter::outputs() {
  if (options_.has_loss_mask) return {&bin_, &idx_, &mask_};
  return {&bin_, &idx_};
}

void IndexedDatasetWriter::open(Output& output, const std::filesystem::path& target) {
  output.target = replaceable_file(target);
  output.path = partial_of(output.target);
  output.file = open_file(output.path, OpenMode::update);
  if (::flock(output.file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(ErrorCode::failed,
                fmt::format("{}: another process writes this data set now", output.path.string()));
  }
  output.buffer.reserve(kBufferNbytes + kTokensBuffered * 8);
}

void IndexedDatasetWriter::begin_anew() {
  state_ = {};
  for (Output* output : outputs()) {
    output->buffer.clear();
    output->digest = DigestStream();
    truncate_file(output->file, 0, output->path);
  }
  const std::vector<std::byte> header(kIndexHeaderNbytes);  // finish() fills it in
  write_all(idx_.file, header, idx_.path);
  is_open_ = true;
}

bool IndexedDatasetWriter::resume(const WriterState& state) {
  const std::uint64_t nbytes = static_cast<std::uint64_t>(state.tokens) * itemsize(type_);
  const std::uint64_t idx_nbytes =
      kIndexHeaderNbytes + static_cast<std::uint64_t>(state.sequences) * kSequenceNbytes;
  const bool is_whole =
      bin_.go_on(0, nbytes, state.tokens_digest) &&
      idx_.go_on(kIndexHeaderNbytes, idx_nbytes, state.lengths_digest) &&
      (!options_.has_loss_mask ||
       mask_.go_on(0, static_cast<std::uint64_t>(state.tokens), state.loss_mask_digest));
  if (is_whole) {
    state_ = state;
    is_open_ = true;
  } else {
    begin_anew();
  }
  return is_whole;
}

void IndexedDatasetWriter::append(std::span<const std::int32_t> ids,
                                  std::span<const std::uint8_t> loss_mask) {
  MEGASCALE_CHECK(loss_mask.size() == (options_.has_loss_mask ? ids.size() : 0),
                  "a loss mask for each token, or none");
  if (!is_open_) begin_anew();
  const Range range = range_of(type_);
  const auto misfit = std::find_if(
      ids.begin(), ids.end(), [&](std::int32_t id) { return id < range.min || id > range.max; });
  if (misfit != ids.end()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected token ids that fit {}, found {}",
                            bin_path(prefix_).string(), to_string(type_), *misfit));
  }
  const auto mask_bytes = std::as_bytes(loss_mask);
  mask_.buffer.insert(mask_.buffer.end(), mask_bytes.begin(), mask_bytes.end());
  if (mask_.buffer.size() >= kBufferNbytes) mask_.flush();
  while (!ids.empty()) {
    if (state_.open_tokens == 0 && state_.document_sequences > 0)
      state_.continued.push_back(state_.sequences - 1);
    const auto room =
        std::min<std::int64_t>(kTokensBuffered, options_.sequence_tokens_max - state_.open_tokens);
    const auto now = ids.first(std::min(ids.size(), static_cast<std::size_t>(room)));
    ids = ids.subspan(now.size());
    put_tokens(bin_.buffer, now, itemsize(type_));
    if (bin_.buffer.size() >= kBufferNbytes) bin_.flush();
    state_.tokens += static_cast<std::int64_t>(now.size());
    state_.open_tokens += static_cast<std::int64_t>(now.size());
    if (state_.open_tokens == options_.sequence_tokens_max) end_sequence();
  }
}

void IndexedDatasetWriter::end_sequence() {
  put(idx_.buffer, static_cast<std::int32_t>(state_.open_tokens));
  if (idx_.buffer.size() >= kBufferNbytes) idx_.flush();
  ++state_.sequences;
  ++state_.document_sequences;
  state_.open_tokens = 0;
}

void IndexedDatasetWriter::end_document() {
  if (!is_open_) begin_anew();
  // An empty document gets an empty sequence: some readers expect at least one sequence per
  // document.
  if (state_.open_tokens > 0 || state_.document_sequences == 0) end_sequence();
  state_.document_sequences = 0;
  ++state_.documents;
}

WriterState IndexedDatasetWriter::flush() {
  if (!is_open_) begin_anew();
  bin_.flush();
  idx_.flush();
  state_.tokens_digest = bin_.digest.finish();
  state_.lengths_digest = idx_.digest.finish();
  if (options_.has_loss_mask) {
    mask_.flush();
    state_.loss_mask_digest = mask_.digest.finish();
  }
  return state_;
}

// The partial index holds the lengths behind the place of the header. Adds the arrays that follow
// from them: offsets and document marks.
void IndexedDatasetWriter::write_index() {
  std::vector<std::byte>& buffer = idx_.buffer;  // empty after flush()
  const auto write_when = [&](std::size_t nbytes) {
    if (buffer.size() < nbytes) return;
    write_all(idx_.file, buffer, idx_.path);
    buffer.clear();
  };
  std::vector<std::int32_t> lengths(kBufferNbytes / kSequenceNbytes);
  std::int64_t offset = 0;
  for (std::int64_t first = 0; first < state_.sequences;) {
    const auto wanted = static_cast<std::size_t>(
        std::min<std::int64_t>(state_.sequences - first, std::ssize(lengths)));
    const auto bytes = std::as_writable_bytes(std::span(lengths).first(wanted));
    const auto at = kIndexHeaderNbytes + static_cast<std::uint64_t>(first) * kSequenceNbytes;
    if (read_at(idx_.file, at, bytes, idx_.path) != bytes.size()) {
      throw Error(ErrorCode::io, fmt::format("{}: cannot be read back", idx_.path.string()));
    }
    for (const std::int32_t length : std::span(lengths).first(wanted)) {
      put(buffer, offset);
      offset += length * static_cast<std::int64_t>(itemsize(type_));
    }
    write_when(kBufferNbytes);
    first += static_cast<std::int64_t>(wanted);
  }
  auto continued = state_.continued.begin();
  for (std::int64_t sequence = 0; sequence < state_.sequences; ++sequence) {
    if (continued != state_.continued.end() && *continued == sequence - 1) {
      ++continued;
      continue;
    }
    put(buffer, sequence);
    write_when(kBufferNbytes);
  }
  put(buffer, state_.sequences);
  write_when(0);
  std::vector<std::byte> header;
  for (const char c : kIndexMagic) put(header, c);
  put(header, kIndexVersion);
  put(header, static_cast<std::uint8_t>(type_));
  put(header, static_cast<std::uint64_t>(state_.sequences));
  put(header, static_cast<std::uint64_t>(state_.documents) + 1);
  write_at(idx_.file, 0, header, idx_.path);
}

void IndexedDatasetWriter::finish(std::string_view info) {
  MEGASCALE_CHECK(!in_document() && !finished_, "finish() comes once, after end_document()");
  (void)flush();
  write_index();
  for (const Output* output : outputs()) sync_file(output->file, output->path);
  if (!info.empty()) {
    const FileHandle file = open_file(partial_of(info_path_), OpenMode::create);
    write_all(file, info, partial_of(info_path_));
    sync_file(file, partial_of(info_path_));
  }
  for (const auto& old : {idx_.target, info_path_, mask_.target}) {
    std::error_code error;
    std::filesystem::remove(old, error);
    if (error) {
      throw Error(ErrorCode::io,
                  fmt::format("cannot remove {}: {}", old.string(), error.message()));
    }
    sync_directory(directory_of(old));
  }
  rename_file(bin_.path, bin_.target);
  if (options_.has_loss_mask) rename_file(mask_.path, mask_.target);
  sync_directory(directory_of(bin_.target));
  if (!info.empty()) rename_file(partial_of(info_path_), info_path_);
  rename_file(idx_.path, idx_.target);
  finished_ = true;
  sync_directory(directory_of(idx_.target));
}

}  // namespace megascale
