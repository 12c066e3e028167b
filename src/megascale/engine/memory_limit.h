#ifndef MEGASCALE_ENGINE_MEMORY_LIMIT_H_
#define MEGASCALE_ENGINE_MEMORY_LIMIT_H_

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

// How much host memory this process can get. Linux promises more memory than it has and kills a
// process without a message when it runs out, so sizes are checked before they are allocated.
namespace megascale::engine {

// The limits of memory that the system reports now. All sizes are in bytes. A size that the system
// does not report is kUnknown.
struct MemoryLimit {
  static constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
  // The smallest limit of the process's control group and the groups above it (memory.max of
  // version 2, memory.limit_in_bytes of version 1), and the file that it was read from.
  std::uint64_t group_nbytes = kUnknown;
  std::string group_file;
  std::uint64_t total_nbytes = kUnknown;  // MemTotal of /proc/meminfo
  // The most that MemTotal can become. Virtual machines can start with little memory and grow as
  // it is used:
  //   - a memory balloon: up to the pages that are present (/proc/zoneinfo);
  //   - virtio-mem, Hyper-V's and Xen's balloons, and gVisor: the system does not say how far, so
  //     kUnknown;
  //   - all other machines: total_nbytes.
  std::uint64_t most_nbytes = kUnknown;
};

// Reads the files of /proc and /sys below `root`. Files that are absent or that cannot be read
// count as saying nothing. Any thread.
[[nodiscard]] MemoryLimit read_memory_limit(const std::filesystem::path& root = "/");

// Whether an allocation can succeed.
enum class MemoryFit : std::uint8_t {
  yes,
  if_it_grows,  // more than the machine has now, but not more than it can become
  no            // more than the control group allows, or than the machine can become
};
struct MemoryVerdict {
  MemoryFit fit = MemoryFit::yes;
  // The limit that `nbytes` exceeds, such as "this machine has 2.00 GiB of memory". Empty for yes.
  std::string why;
};
[[nodiscard]] MemoryVerdict judge_memory(std::uint64_t nbytes, const MemoryLimit& limit);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_MEMORY_LIMIT_H_
