// Splits a stream of bytes into lines.
#include "megascale/control/line_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::control {
namespace {

// A writer that floods its pipe must not keep the reader from its other work.
constexpr int kMostReads = 16;

}  // namespace

void LineReader::read(const OnLine& on_line) {
  std::array<char, 1 << 14> buffer{};
  for (int i = 0; i < kMostReads && file_.get() >= 0; ++i) {
    const ssize_t count = ::read(file_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      file_ = FileHandle();
      if (!rest_.empty()) on_line(rest_);
      rest_.clear();
      return;
    }
    rest_.append(buffer.data(), static_cast<std::size_t>(count));
    hand_on(on_line);
  }
}

void LineReader::finish(const OnLine& on_line) {
  read(on_line);
  if (!rest_.empty()) on_line(rest_);
  rest_.clear();
  file_ = FileHandle();
}

void LineReader::hand_on(const OnLine& on_line) {
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = rest_.find('\n', begin);
    const std::size_t length = (end == std::string::npos ? rest_.size() : end) - begin;
    if (length > kMostBytes) {
      on_line(std::string_view(rest_).substr(begin, kMostBytes));
      begin += kMostBytes;
      continue;
    }
    if (end == std::string::npos) break;
    on_line(std::string_view(rest_).substr(begin, length));
    begin = end + 1;
  }
  rest_.erase(0, begin);
}

LinePipe make_line_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(ErrorCode::io, fmt::format("pipe2: {}", std::generic_category().message(errno)));
  FileHandle read_end(ends[0]), write_end(ends[1]);
  (void)::fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  return {.reader = LineReader(std::move(read_end)), .writer = std::move(write_end)};
}

}  // namespace megascale::control
