#include "megascale/comm/ucx/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "megascale/base/error.h"

namespace megascale::comm {
namespace {

static_assert(sizeof(ValidMarks) % 4096 == 0, "what follows the marks starts on a page");

std::span<std::byte> map(int fd, std::size_t nbytes, int protection) {
  void* address = ::mmap(nullptr, nbytes, protection, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) return {};
  return {static_cast<std::byte*>(address), nbytes};
}

}  // namespace

SharedMemory::SharedMemory(std::size_t nbytes) {
  const std::size_t total = sizeof(ValidMarks) + nbytes;
  fd_ = ::memfd_create("megascale-rank", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd_ < 0 || ::ftruncate(fd_, static_cast<off_t>(total)) != 0 ||
      ::fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
      (mapping_ = map(fd_, total, PROT_READ | PROT_WRITE)).empty()) {
    const int reason = errno;
    if (fd_ >= 0) ::close(fd_);
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("cannot make {:.2f} GiB of memory for the ranks of this host to share: {}",
                    static_cast<double>(total) / (1U << 30U), std::strerror(reason)));
  }
  ::madvise(mapping_.data(), mapping_.size(), MADV_HUGEPAGE);
}

SharedMemory::SharedMemory(const EndpointRecord& peer) {
  const std::string path = fmt::format("/proc/{}/fd/{}", peer.pid, peer.memory_fd);
  const auto refuse = [&](std::string_view what) {
    const int reason = errno;
    if (fd_ >= 0) ::close(fd_);
    throw Error(ErrorCode::io, fmt::format("cannot {} the memory of {} ({}): {}", what,
                                           peer.describe(), path, std::strerror(reason)));
  };
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) refuse("open");
  const std::size_t total = sizeof(ValidMarks) + peer.memory_nbytes;
  struct stat status {};
  // Reading behind the end would kill this process: it is where it was said to be, and stays there.
  errno = EINVAL;
  if (::fstat(fd_, &status) != 0 || static_cast<std::uint64_t>(status.st_size) != total ||
      (::fcntl(fd_, F_GET_SEALS) & F_SEAL_SHRINK) == 0)
    refuse("find the announced size of");
  if ((mapping_ = map(fd_, total, PROT_READ)).empty()) refuse("map");
}

SharedMemory::~SharedMemory() {
  ::munmap(mapping_.data(), mapping_.size());
  ::close(fd_);
}

}  // namespace megascale::comm
