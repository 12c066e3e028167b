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

// Memory of one rank that the other ranks of its host map and read. Internal to comm/ucx.
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
  // (out_of_memory).
  explicit SharedMemory(std::size_t nbytes);
  // Maps a peer's. Throws Error (io).
  explicit SharedMemory(const EndpointRecord& peer);

  [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }
  [[nodiscard]] ValidMarks& marks() const noexcept {
    return *reinterpret_cast<ValidMarks*>(file_.bytes().data());
  }
  // Page-aligned.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept {
    return file_.bytes().subspan(sizeof(ValidMarks));
  }

 private:
  SharedFile file_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_SHARED_MEMORY_H_
