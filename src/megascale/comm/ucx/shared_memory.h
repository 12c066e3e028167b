#ifndef MEGASCALE_COMM_UCX_SHARED_MEMORY_H_
#define MEGASCALE_COMM_UCX_SHARED_MEMORY_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "megascale/comm/shared_file.h"
#include "megascale/comm/ucx/endpoint_record.h"

// How a rank reads the memory of another rank of its host directly. Internal to comm/ucx.
namespace megascale::comm {

// Marks say of which groups the data in a rank's memory are still valid. Every member of a group has
// one mark for it. The marks lie in a file of their own, because the memory belongs to the rank and
// outlives its connections (UcxOptions::memory).
//
// Problem: after a failure, the owner uses its memory for other data while a peer may still be
// copying from it. The peer would take garbage for data.
// Rule: the owner clears the mark before it uses the memory again. A reader checks the mark after
// it has read, and discards the bytes if the mark is gone.
struct ValidMarks {
  static constexpr std::size_t kCount = 1024;
  // By index of the mark: the id of the group while its data are valid, otherwise 0.
  std::array<std::atomic<std::uint64_t>, kCount> group;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// The marks of this process's rank. Zeroed: no group is valid.
class OwnMarks {
 public:
  // Throws Error (out_of_memory).
  OwnMarks() : file_(sizeof(ValidMarks)) {}
  [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }
  [[nodiscard]] std::atomic<std::uint64_t>& operator[](std::uint16_t mark) const noexcept {
    return reinterpret_cast<ValidMarks*>(file_.bytes().data())->group[mark];
  }

 private:
  SharedFile file_;
};

// Memory and marks of a peer on this host, mapped read only.
class PeerMemory {
 public:
  // Throws Error (io) if the kernel refuses, or if a file does not have the announced size.
  explicit PeerMemory(const EndpointRecord& peer);
  [[nodiscard]] const ValidMarks& marks() const noexcept {
    return *reinterpret_cast<const ValidMarks*>(marks_.bytes().data());
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return memory_.bytes(); }

 private:
  SharedFile marks_, memory_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_SHARED_MEMORY_H_
