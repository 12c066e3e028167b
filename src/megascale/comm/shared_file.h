#ifndef MEGASCALE_COMM_SHARED_FILE_H_
#define MEGASCALE_COMM_SHARED_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "megascale/base/files.h"

namespace megascale::comm {

// Memory that processes of one host map. It has no name: others reach it through /proc, which lets
// in whom the kernel lets debug the process (the same user, a process that may be dumped), and it
// is gone with the last process that maps it, however that ends.
class SharedFile {
 public:
  enum class Access { read, write };

  // Makes `nbytes` of zeroed memory, page-aligned, of a size that stays. Throws Error
  // (out_of_memory).
  explicit SharedFile(std::size_t nbytes);
  // Maps what another process of this host made with that size, under its descriptor `fd` there;
  // `owner` says whose it is in errors. Throws Error (io).
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
