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

// Memory that ranks of one host have in common, for whatever all of them want to have once. It has
// no name in the file system: nothing is left of it when they are gone, however they end.
//
// Every rank that may share makes a piece before the ranks meet, which costs nothing until it is
// written; the lowest rank's of each host is used. So nobody waits for anybody. Ranks are on one
// host if they say the same HostIdentity::host_id: two containers of one machine are two hosts.
class HostMemory {
 public:
  // The same on all ranks of `ranks`, which rise.
  struct Request {
    std::vector<std::uint32_t> ranks;  // who shares, as far as they are on one host
    std::uint64_t nbytes = 0;
  };
  // What a rank made for the others of its host, and tells them.
  struct Offer {
    std::int64_t process = 0;
    std::int32_t descriptor = -1;  // there
  };
  struct Member {
    RankRecord record;
    Offer offer;
  };

  // Those of `members` that are on the host of rank `self`, which is one of them; the order stays.
  [[nodiscard]] static std::vector<Member> on_host_of(std::uint32_t self,
                                                      std::span<const Member> members);

  // `members`: two or more ranks of this host, rising. `own`: what this rank offers. Throws Error:
  // peer_lost (its process has ended), io (the kernel does not let this process in).
  HostMemory(std::uint32_t self, std::span<const Member> members, SharedFile own);

  // Of this host, rising, this one among them.
  [[nodiscard]] std::span<const std::uint32_t> ranks() const noexcept { return ranks_; }
  // Zero before a rank writes; page-aligned, at least Request::nbytes.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return file_.bytes(); }
  // Whether the process of any of them has ended. One thread at a time.
  [[nodiscard]] bool has_lost_a_rank() noexcept;

 private:
  std::vector<std::uint32_t> ranks_;
  std::vector<FileHandle> processes_;  // pidfds of the others
  std::vector<::pollfd> looks_;        // at them
  SharedFile file_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_PROCESS_HOST_MEMORY_H_
