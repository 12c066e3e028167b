#ifndef MEGASCALE_COMM_UCX_ENDPOINT_RECORD_H_
#define MEGASCALE_COMM_UCX_ENDPOINT_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// The record with which a rank tells other ranks how to reach it: the content of
// UcxWorker::address(). Internal to comm/ucx.
namespace megascale::comm {

struct EndpointRecord {
  std::uint32_t rank = 0;
  std::string host;             // the host's name, for messages only
  std::string boot;             // the boot id of the host: identifies the host
  std::uint64_t pid_space = 0;  // inode of the PID namespace in which `pid` is valid
  std::int32_t pid = 0;
  // Start time of the process, in clock ticks since boot. A later process with the same pid has
  // another one.
  std::uint64_t start_ticks = 0;
  bool shared_memory = true;  // false: ranks of the same host must not use its shared memory
  // File descriptors in that process: of its ValidMarks, and of its memory (UcxOptions::memory).
  std::int32_t marks_fd = -1, memory_fd = -1;
  std::uint64_t memory_nbytes = 0;  // 0: it exposes no memory
  std::vector<std::byte> ucx;       // the address of the UCX worker

  // Returns a record with host, boot, pid_space, pid and start_ticks of this process.
  [[nodiscard]] static EndpointRecord of_this_process();
  [[nodiscard]] std::vector<std::byte> encode() const;
  // Throws Error (bad_input) if the bytes are not a record of this version.
  [[nodiscard]] static EndpointRecord decode(std::span<const std::byte> bytes);
  // Returns true if the two ranks run on one host in one PID namespace and both allow shared
  // memory. Each can then watch the other's process and try to map its memory.
  [[nodiscard]] bool same_host(const EndpointRecord& other) const noexcept;
  // For messages: "rank 3 (process 1234 on host a7)".
  [[nodiscard]] std::string describe() const;
};

// Returns the start time of a process in clock ticks since boot, or 0 if there is no such process.
[[nodiscard]] std::uint64_t process_start_ticks(std::int32_t pid);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_ENDPOINT_RECORD_H_
