// Makes and maps memfds. Seals fix the size of the file: a process that reads a mapped file beyond
// its end is killed (SIGBUS), so no peer may shrink it.
#include "megascale/comm/shared_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::comm {
namespace {

std::span<std::byte> map(const FileHandle& file, std::size_t nbytes, int protection) {
  void* address = ::mmap(nullptr, nbytes, protection, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) return {};
  return {static_cast<std::byte*>(address), nbytes};
}

}  // namespace

SharedFile::SharedFile(std::size_t nbytes)
    : file_(::memfd_create("megascale", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (file_.get() < 0 || ::ftruncate(file_.get(), static_cast<off_t>(nbytes)) != 0 ||
      ::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
      (bytes_ = map(file_, nbytes, PROT_READ | PROT_WRITE)).empty()) {
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("cannot make {:.2f} GiB of memory for the ranks of this host to share: {}",
                    static_cast<double>(nbytes) / (1U << 30U),
                    std::generic_category().message(errno)));
  }
  ::madvise(bytes_.data(), bytes_.size(), MADV_HUGEPAGE);
}

SharedFile::SharedFile(pid_t process, int fd, std::size_t nbytes, Access access,
                       std::string_view owner) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, fd);
  const auto refuse = [&](std::string_view what) {
    throw Error(ErrorCode::io, fmt::format("cannot {} the memory of {} ({}): {}", what, owner, path,
                                           std::generic_category().message(errno)));
  };
  const bool writes = access == Access::write;
  file_ = FileHandle(::open(path.c_str(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC));
  if (file_.get() < 0) refuse("open");
  struct stat status {};
  // A read beyond the end of the file would kill this process. So the file must have the announced
  // size and be sealed against shrinking.
  errno = EINVAL;
  if (::fstat(file_.get(), &status) != 0 || static_cast<std::size_t>(status.st_size) != nbytes ||
      (::fcntl(file_.get(), F_GET_SEALS) & F_SEAL_SHRINK) == 0)
    refuse("find the announced size of");
  bytes_ = map(file_, nbytes, writes ? PROT_READ | PROT_WRITE : PROT_READ);
  if (bytes_.empty()) refuse("map");
}

SharedFile& SharedFile::operator=(SharedFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedFile::~SharedFile() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace megascale::comm
