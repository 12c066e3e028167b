#ifndef MEGASCALE_COMM_UCX_SHARED_MEMORY_H_
#define MEGASCALE_COMM_UCX_SHARED_MEMORY_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "megascale/comm/shared_file.h"
#include "megascale/comm/ucx/endpoint_record.h"

// Memory of one rank that the other ranks of its host map and read directly. Internal to comm/ucx.
namespace megascale::comm {

// Marks say which groups' data in the memory are still valid. A group has one mark on each member.
//
// Problem: after a failure, the owner uses its memory for other data while a peer may still be
// copying from it. The peer would take garbage for data.
// Rule: the owner clears the mark before it uses the memory again. A reader checks the mark after
// it has read, and discards the bytes if the mark is gone.
struct ValidMarks {
  static constexpr std::size_t kCount = 1024;
  std::array<std::atomic<std::uint64_t>, kCount> group;  // by mark: the group's id, or 0
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class SharedMemory {
 public:
  // Makes `nbytes` bytes of zeroed memory, in huge pages if the system provides them. Throws Error
  // (out_of_memory).
  explicit SharedMemory(std::size_t nbytes);
  // Maps the memory of a peer on this host, read only. Throws Error (io).
  explicit SharedMemory(const EndpointRecord& peer);

  [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }
  [[nodiscard]] ValidMarks& marks() const noexcept {
    return *reinterpret_cast<ValidMarks*>(file_.bytes().data());
  }
  // Returns the memory without the marks. Page-aligned.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept {
    return file_.bytes().subspan(sizeof(ValidMarks));
  }

 private:
  SharedFile file_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_SHARED_MEMORY_H_
