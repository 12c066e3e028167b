#ifndef MEGASCALE_COMM_PROCESS_HOST_MEMORY_H_
#define MEGASCALE_COMM_PROCESS_HOST_MEMORY_H_

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/base/files.h"
#include "megascale/comm/bootstrap/rank_record.h"
#include "megascale/comm/shared_file.h"

namespace megascale::comm {

// Memory that the ranks of one host share, for data that each host needs only once, such as a batch
// that several ranks read. It has no name in the file system, so nothing is left of it when the
// processes have ended, even after a crash.
//
// Every rank makes a piece of memory before the ranks meet; unwritten memory costs nothing. The
// piece of the lowest rank of each host is used. So no rank has to wait until another one has made
// the memory. Ranks are on the same host if their HostIdentity::host_id is equal; two containers on
// one machine count as two hosts.
class HostMemory {
 public:
  // A request for shared memory, equal on all ranks that it names.
  struct Request {
    std::vector<std::uint32_t> ranks;  // ascending; those on the same host share memory
    std::uint64_t nbytes = 0;
  };
  // The piece of memory that a rank has made. Other processes open it by these numbers.
  struct Offer {
    std::int64_t process = 0;      // process id of the rank
    std::int32_t descriptor = -1;  // file descriptor in that process
  };
  struct Member {
    RankRecord record;
    Offer offer;
  };

  // Returns the members on the same host as rank `self`, itself included, in the order of
  // `members`. `self` must be the rank of a member.
  [[nodiscard]] static std::vector<Member> on_host_of(std::uint32_t self,
                                                      std::span<const Member> members);

  // `self` is this rank. `members` are two or more ranks of this host in ascending order, `self`
  // included. `own` is the piece that this rank has made. Throws Error: peer_lost if a member's
  // process has ended, io if the kernel refuses access to it.
  HostMemory(std::uint32_t self, std::span<const Member> members, SharedFile own);

  // Returns the ranks that share the memory, ascending, including this one.
  [[nodiscard]] std::span<const std::uint32_t> ranks() const noexcept { return ranks_; }
  // Returns the memory: page-aligned, at least Request::nbytes, zero until a rank writes.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return file_.bytes(); }
  // Returns true if the process of any of the other ranks has ended. One thread at a time.
  [[nodiscard]] bool has_lost_a_rank() noexcept;

 private:
  std::vector<std::uint32_t> ranks_;
  std::vector<FileHandle> processes_;  // pidfds of the other ranks' processes
  std::vector<::pollfd> looks_;        // poll() entries of these pidfds
  SharedFile file_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_PROCESS_HOST_MEMORY_H_
