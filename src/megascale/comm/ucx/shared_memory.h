#ifndef MEGASCALE_COMM_UCX_SHARED_MEMORY_H_
#define MEGASCALE_COMM_UCX_SHARED_MEMORY_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "megascale/comm/ucx/endpoint_record.h"

// Memory of one rank that the other ranks of its host map and read. It has no name: it is reached
// through /proc, which lets in whom the kernel lets debug the process (the same user, a process
// that may be dumped), and it is gone with the last process that maps it. Internal to comm/ucx.
namespace megascale::comm {

// Which groups' memory may be relied on. A member that reads a peer's memory looks here afterwards:
// the owner takes the mark away before it uses the memory for anything else after a failure, so a
// reader that slept in the middle of a copy does not take garbage for data.
struct ValidMarks {
  static constexpr std::size_t kCount = 1024;
  std::array<std::atomic<std::uint64_t>, kCount> group;  // by mark: the group's id, or 0
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class SharedMemory {
 public:
  // Makes `nbytes` of zeroed memory, in huge pages where the system gives them. Throws Error
  // (out_of_memory, io).
  explicit SharedMemory(std::size_t nbytes);
  // Maps a peer's. Throws Error (io).
  explicit SharedMemory(const EndpointRecord& peer);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  [[nodiscard]] ValidMarks& marks() const noexcept {
    return *reinterpret_cast<ValidMarks*>(mapping_.data());
  }
  // Page-aligned.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept {
    return mapping_.subspan(sizeof(ValidMarks));
  }

 private:
  int fd_ = -1;
  std::span<std::byte> mapping_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_SHARED_MEMORY_H_
