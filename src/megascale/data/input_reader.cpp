#include "megascale/data/input_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "megascale/base/files.h"

namespace megascale {
namespace {

ItemLayout layout_of(const Input& input) {
  const FileHandle file = open_file(input.path, OpenMode::read);
  std::string head(kItemHeadNbytes, '\0');
  head.resize(read_at(file, 0, std::as_writable_bytes(std::span(head)), input.path));
  return item_layout(input.format, head, static_cast<std::uint64_t>(input.identity.nbytes),
                     input.path.string());
}

}  // namespace

Input inspect_input(const std::filesystem::path& path, InputFormat asked) {
  Input input{.path = path, .format = format_of(path, asked)};
  input.identity.path = std::filesystem::absolute(path).lexically_normal().string();
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return input;
  input.is_regular = true;
  input.identity.nbytes = status.st_size;
  input.identity.modified_ns =
      std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return input;
}

ByteSource open_source(const std::filesystem::path& input, std::uint64_t offset) {
  auto file = std::make_shared<FileHandle>(open_file(input, OpenMode::read_stream));
  if (offset > 0 && ::lseek(file->get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
    throw Error(ErrorCode::io, fmt::format("cannot read {} from byte {}: {}", input.string(),
                                           offset, std::generic_category().message(errno)));
  }
  return [file, input](std::span<char> buffer) -> std::size_t {
    for (;;) {
      const ssize_t count = ::read(file->get(), buffer.data(), buffer.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno == EINTR) continue;
      throw Error(ErrorCode::io, fmt::format("cannot read {}: {}", input.string(),
                                             std::generic_category().message(errno)));
    }
  };
}

void InputReader::start_at(const InputPlace& place) {
  input_ = place.input;
  start_ = {.offset = place.offset, .in_document = place.in_document};
}

std::optional<ReadPart> InputReader::read() {
  if (input_ < skipped_) go_to(skipped_);
  if (input_ == inputs_.size()) return std::nullopt;
  ReadPart read{.input = input_};
  try {
    if (!reader_) open();
    read.part = reader_->next();
    read.encode = encode_;
    if (read.part.is_last) go_to(input_ + 1);
  } catch (const Error& error) {
    read.failure = error;
    go_to(input_ + 1);
  }
  return read;
}

void InputReader::go_to(std::size_t input) {
  input_ = input;
  start_ = {};
  reader_.reset();
}

void InputReader::open() {
  const Input& input = inputs_[input_];
  auto encode = std::make_shared<EncodeOptions>(common_);
  encode->name = input.path.string();
  encode->format = input.format;
  if (is_binary(input.format)) {
    encode->items = layout_of(input);
    start_.offset = std::max(start_.offset, encode->items.begin);
  }
  ByteSource source = open_source(input.path, start_.offset);
  if (is_binary(input.format)) {
    reader_ = read_items(std::move(source), start_, encode->items.nbytes);
  } else if (input.format == InputFormat::text) {
    reader_ = read_texts(std::move(source), start_, separator_, *encode->tokenizer);
  } else {
    reader_ = read_lines(std::move(source), start_);
  }
  encode_ = std::move(encode);
}

}  // namespace megascale
