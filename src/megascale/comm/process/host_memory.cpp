// Maps the shared file that the lowest rank of the host has made, and watches the processes of the
// other ranks with pidfds, which become readable when a process ends.
#include "megascale/comm/process/host_memory.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::comm {
namespace {

std::string describe(const HostMemory::Member& member) {
  return fmt::format("rank {} (process {} on host {})", member.record.rank, member.offer.process,
                     member.record.host.hostname);
}

// Returns a pidfd of the member's process.
FileHandle watch(const HostMemory::Member& member) {
  const auto pid = static_cast<pid_t>(member.offer.process);
  FileHandle process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
  if (process.get() >= 0) return process;
  if (errno == ESRCH)
    throw Error(ErrorCode::peer_lost,
                fmt::format("{} is lost: its process has ended", describe(member)));
  throw Error(ErrorCode::io, fmt::format("cannot watch the process of {}: {}", describe(member),
                                         std::generic_category().message(errno)));
}

// Maps the file that the member has made.
SharedFile open(const HostMemory::Member& member, std::size_t nbytes) try {
  return {static_cast<pid_t>(member.offer.process), member.offer.descriptor, nbytes,
          SharedFile::Access::write, describe(member)};
} catch (Error& error) {
  error.add_context(
      "sharing memory with the ranks of this host (all of them must run as the same user)");
  throw;
}

}  // namespace

std::vector<HostMemory::Member> HostMemory::on_host_of(std::uint32_t self,
                                                       std::span<const Member> members) {
  const auto own = std::find_if(members.begin(), members.end(), [self](const Member& member) {
    return member.record.rank == self;
  });
  MEGASCALE_CHECK(own != members.end(), "this rank must be one of the members");
  std::vector<Member> here;
  std::copy_if(members.begin(), members.end(), std::back_inserter(here), [own](const Member& one) {
    return one.record.host.host_id == own->record.host.host_id;
  });
  return here;
}

HostMemory::HostMemory(std::uint32_t self, std::span<const Member> members, SharedFile own)
    : file_(std::move(own)) {
  const std::size_t nbytes = file_.bytes().size();
  for (const Member& member : members) {
    ranks_.push_back(member.record.rank);
    if (member.record.rank == self) continue;
    processes_.push_back(watch(member));
    looks_.push_back({.fd = processes_.back().get(), .events = POLLIN, .revents = 0});
  }
  if (ranks_.front() != self) file_ = open(members.front(), nbytes);
}

bool HostMemory::has_lost_a_rank() noexcept { return ::poll(looks_.data(), looks_.size(), 0) > 0; }

}  // namespace megascale::comm
