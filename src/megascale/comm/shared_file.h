#ifndef MEGASCALE_COMM_SHARED_FILE_H_
#define MEGASCALE_COMM_SHARED_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "megascale/base/files.h"

namespace megascale::comm {

// Memory that several processes of one host map. It is a file without a name (memfd). Other
// processes open it through /proc. The kernel allows this to processes that may debug the owner:
// those of the same user, unless the owner forbids it (PR_SET_DUMPABLE). The memory is freed when
// the last process that maps it has ended, even after a crash.
class SharedFile {
 public:
  enum class Access { read, write };

  // Makes `nbytes` bytes (above 0) of zeroed, page-aligned memory, in huge pages if the system
  // provides them. Its size cannot be changed later. Throws Error (out_of_memory).
  explicit SharedFile(std::size_t nbytes);
  // Maps memory of `nbytes` bytes that another process of this host has made. `fd` is its file
  // descriptor in that process; `owner` names that process in errors. Throws Error (io) if the
  // kernel refuses, or if the size is not `nbytes`.
  SharedFile(pid_t process, int fd, std::size_t nbytes, Access access, std::string_view owner);
  SharedFile(SharedFile&& other) noexcept
      : file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})) {}
  SharedFile& operator=(SharedFile&& other) noexcept;
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile();

  [[nodiscard]] int descriptor() const noexcept { return file_.get(); }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  FileHandle file_;
  std::span<std::byte> bytes_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_SHARED_FILE_H_
