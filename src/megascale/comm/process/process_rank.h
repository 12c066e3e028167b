#ifndef MEGASCALE_COMM_PROCESS_PROCESS_RANK_H_
#define MEGASCALE_COMM_PROCESS_PROCESS_RANK_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/wakeup.h"
#include "megascale/comm/bootstrap/launch_environment.h"
#include "megascale/comm/bootstrap/rendezvous.h"
#include "megascale/comm/nccl/nccl_channel.h"
#include "megascale/comm/process/host_memory.h"
#include "megascale/comm/process/network.h"
#include "megascale/comm/ucx/ucx_coordination.h"
#include "megascale/comm/ucx/ucx_worker.h"

namespace megascale::comm {

// How this process was started as one rank of a job.
struct ProcessLaunch {
  LaunchEnvironment environment;
  JobSecret secret;
  Network network;

  // Absent: it was not, or is the only rank. Throws Error (bad_usage) where the environment is
  // incomplete, or names no secret.
  [[nodiscard]] static std::optional<ProcessLaunch> from_environment();
};

// A rank that is a process of its own: what the other ranks are to it. The counterpart of LocalJob
// and make_local_coordination for ranks that are threads.
//
// Threads: the rank's own; communicators and events() belong to the lane runner's progress thread
// as long as there is one.
class ProcessRank {
 public:
  struct Group {
    std::string key;
    std::vector<std::uint32_t> members;
    // On devices: all members pass equal offsets of their arenas to its transfers
    // (NcclChannel::register_window), so it may have windows.
    bool equal_offsets = false;
  };
  struct Options {
    LaunchDigest digest;              // what all ranks must agree on
    std::uint64_t memory_nbytes = 0;  // of the arena
    // All groups that this rank will ask for.
    std::vector<Group> groups;
    // end() gives NCCL's ends then, whose ids the first ranks of groups make and all others read
    // when they meet.
    bool on_device = false;
    NcclLibrary nccl;
    // On devices, above zero: memory() is of that size, and a window of all groups with equal
    // offsets whose members are on one host; without such a group that is an error.
    std::uint64_t window_nbytes = 0;
    // What ranks of this host have in common; none: nothing.
    HostMemory::Request host_memory;
    // Above zero: for each wait of coordination(), and, a minute at least, for the others to
    // arrive.
    std::chrono::nanoseconds timeout{0};
  };
  // Meets the other ranks; blocks until all are there. Throws Error: somebody is missing or
  // differs (the same on all ranks), the store or the network is not to be had, no memory, a record
  // in the store that is not what a rank leaves there.
  ProcessRank(const ProcessLaunch& launch, const Options& options);
  ProcessRank(const ProcessRank&) = delete;
  ProcessRank& operator=(const ProcessRank&) = delete;
  ~ProcessRank();

  [[nodiscard]] Coordination& coordination() noexcept { return *coordination_; }
  // As LocalJob::end(). Returns at once. Throws Error as UcxWorker::make_group and
  // open_nccl_channel.
  Communicator& end(const std::string& key, std::span<const std::uint32_t> members,
                    std::uint32_t my_index, CUstream_st* stream);
  // The place for the rank's arena, which peers on this host reach directly: of the host; on
  // devices that of the windows, empty without.
  [[nodiscard]] std::span<std::byte> memory() const noexcept;
  // What Options::host_memory asked for; null where no other of its ranks is on this host.
  [[nodiscard]] HostMemory* host_memory() noexcept {
    return host_memory_ ? &*host_memory_ : nullptr;
  }
  // What the communicators notify, and where their messages come from.
  [[nodiscard]] Wakeup& wakeup() noexcept { return wakeup_; }
  [[nodiscard]] EventSource& events() noexcept { return worker_; }
  // This rank gives up: makes the transfers of all groups fail, here and on their other members,
  // and waits a moment for these to hear of it. Once no lane runner uses the communicators any
  // more.
  void leave(const Error& error) noexcept;
  // Then, after a time-out: UcxCoordination::silent_ranks().
  [[nodiscard]] std::vector<std::uint32_t> silent_ranks() { return coordination_->silent_ranks(); }

 private:
  // What a rank tells the others: the addresses of its two workers, and its piece of HostMemory.
  struct Endpoint {
    std::vector<std::byte> data, coordination;
    HostMemory::Offer offer;
    std::map<std::string, NcclId> nccl;  // by key: of groups on devices that it is the first of
  };
  [[nodiscard]] std::string own_endpoint(const Options& options,
                                         const std::optional<SharedFile>& memory);
  // Throws Error (corrupt_data): the group's first rank has left none.
  [[nodiscard]] const NcclId& nccl_id(const Group& group) const;
  [[nodiscard]] const Endpoint& endpoint(std::uint32_t rank) const;

  // Throws Error (corrupt_data).
  [[nodiscard]] static Endpoint read_endpoint(const RankRecord& record);
  // Throws Error (unsupported) where none may have one.
  void choose_windows(const std::vector<Group>& groups, const Launch& launch);
  void share_host_memory(const HostMemory::Request& request, const Launch& launch, SharedFile own);

  std::uint32_t rank_;
  bool on_device_;
  NcclLibrary nccl_;
  std::unique_ptr<NcclMemory> window_;
  std::set<std::string> has_window_;  // groups, by key
  Wakeup wakeup_, coordination_wakeup_;
  UcxWorker worker_, coordination_worker_;
  std::map<std::uint32_t, Endpoint> endpoints_;  // of this rank's peers and itself
  std::optional<HostMemory> host_memory_;
  std::unique_ptr<UcxCoordination> coordination_;
  std::map<std::string, std::unique_ptr<Communicator>> groups_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_PROCESS_PROCESS_RANK_H_
