#ifndef MEGASCALE_COMM_UCX_ENDPOINT_RECORD_H_
#define MEGASCALE_COMM_UCX_ENDPOINT_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// What a rank tells the others about how to reach it: the content of UcxWorker::address(). Internal
// to comm/ucx.
namespace megascale::comm {

struct EndpointRecord {
  std::uint32_t rank = 0;
  std::string host;             // for messages only
  std::string boot;             // of the host: its boot id
  std::uint64_t pid_space = 0;  // the namespace that `pid` is a number of
  std::int32_t pid = 0;
  std::uint64_t start_ticks = 0;  // when the process started: tells it from a later one of this pid
  bool shared_memory = true;      // peers on this host may read its memory
  std::int32_t memory_fd = -1;    // the descriptor of its SharedMemory, in that process
  std::uint64_t memory_nbytes = 0;
  std::vector<std::byte> ucx;  // the UCX worker's address

  // Fills in what the system says about this process.
  [[nodiscard]] static EndpointRecord of_this_process();
  [[nodiscard]] std::vector<std::byte> encode() const;
  // Throws Error (bad_input): the bytes are no record, or one of another version.
  [[nodiscard]] static EndpointRecord decode(std::span<const std::byte> bytes);
  // Both see each other's process and memory.
  [[nodiscard]] bool same_host(const EndpointRecord& other) const noexcept;
  // "rank 3 (process 1234 on host a7)"
  [[nodiscard]] std::string describe() const;
};

// The start time of a process in clock ticks since boot; 0: there is none.
[[nodiscard]] std::uint64_t process_start_ticks(std::int32_t pid);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_ENDPOINT_RECORD_H_
