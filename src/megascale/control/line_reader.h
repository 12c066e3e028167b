#ifndef MEGASCALE_CONTROL_LINE_READER_H_
#define MEGASCALE_CONTROL_LINE_READER_H_

#include <functional>
#include <string>
#include <string_view>

#include "megascale/base/files.h"

namespace megascale::control {

// Reads a pipe without waiting, and hands on whole lines. A line that is longer than kMostBytes is
// handed on in pieces. One thread may use it.
class LineReader {
 public:
  static constexpr std::size_t kMostBytes = 4000;
  using OnLine = std::function<void(std::string_view line)>;  // without its line end

  LineReader() = default;
  // `file` must not block.
  explicit LineReader(FileHandle file) : file_(std::move(file)) {}
  // -1: the pipe has been closed.
  [[nodiscard]] int descriptor() const noexcept { return file_.get(); }
  // Reads what there is now. Closes the file at its end, and then hands on a last line without end.
  void read(const OnLine& on_line);
  // Reads what there is now and closes the file, also if another process holds its other end.
  void finish(const OnLine& on_line);

 private:
  void hand_on(const OnLine& on_line);
  FileHandle file_;
  std::string rest_;
};

// Makes a pipe whose reading end does not block. Both ends are closed by execve(). Throws Error (io).
struct LinePipe {
  LineReader reader;
  FileHandle writer;
};
[[nodiscard]] LinePipe make_line_pipe();

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_LINE_READER_H_
