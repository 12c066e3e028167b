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
#include "megascale/comm/ucx/segment_folder.h"
#include "megascale/comm/ucx/ucx_coordination.h"
#include "megascale/comm/ucx/ucx_worker.h"

namespace megascale::comm {

// The data with which a process starts as one rank of a job.
struct ProcessLaunch {
  LaunchEnvironment environment;
  JobSecret secret;
  Network network;
  std::shared_ptr<const SegmentFolder> segments{};  // for UCX's shared memory; may be null

  // Reads the environment of this process. Returns nothing if no launcher has given the process a
  // rank, or if it is the only rank. Throws Error: bad_usage if the environment is incomplete,
  // contradictory or has no secret; io if no network device leads to the store.
  [[nodiscard]] static std::optional<ProcessLaunch> from_environment();
};

// The connection of a rank that is its own process with the other ranks of the job: its
// communicators, its coordination, and the batches' memory that it shares with ranks of its host.
// The arena is the rank's own: it outlives this object, and another ProcessRank can be made over it.
// LocalJob and make_local_coordination are the counterparts for ranks that are threads.
//
// Threads: the rank's own thread uses this object. Communicators and events() belong to the lane
// runner's progress thread while there is one.
class ProcessRank {
 public:
  // A group of ranks, one for each communicator.
  struct Group {
    std::string key;                     // names the group; equal on all its members
    std::vector<std::uint32_t> members;  // in group order
    // On devices: all members pass the same offsets of their arenas to the group's transfers. The
    // group can then use windows (NcclChannel::register_window).
    bool equal_offsets = false;
  };
  struct Options {
    LaunchDigest digest;  // must be equal on all ranks
    // The rank's arena on the CPU, which ranks of this host can read directly; null: it has none.
    std::shared_ptr<const SharedFile> arena;
    // All groups for which this rank will call end().
    std::vector<Group> groups;
    // true: end() returns NCCL communicators. The first rank of each group makes the group's NCCL
    // id, and the other members read it from the store at the start.
    bool on_device = false;
    NcclLibrary nccl;
    // The rank's arena on a device, from allocate_nccl_memory(), or empty. It must outlive this
    // object. If it is not empty, it is registered as a window with every group of two or more
    // members that has equal offsets and all members on one host. If there is no such group, the
    // constructor throws Error (unsupported).
    std::span<std::byte> window;
    // The memory to share with ranks of this host; no ranks or 0 bytes: none.
    HostMemory::Request host_memory;
    bool has_copies = false;  // copies() will be used
    // UcxOptions::checksums. No rank reads the arena of another then: all bytes travel as messages.
    bool checksums = false;
    // Above 0. The time-out of the coordinations (UcxCoordination::Options), and the
    // longest wait for the other ranks at the start. The latter is at least one minute and at most
    // one day.
    std::chrono::nanoseconds timeout{0};
  };
  // Meets the other ranks and blocks until all have arrived. Throws Error if a rank is missing or
  // was started differently (the same error on all ranks), if the store or the network cannot be
  // reached, if no memory is left, or if a record in the store is malformed.
  ProcessRank(const ProcessLaunch& launch, const Options& options);
  ProcessRank(const ProcessRank&) = delete;
  ProcessRank& operator=(const ProcessRank&) = delete;
  ~ProcessRank();

  // Coordinations of the same ranks: for the training loop, for commits of checkpoints, and for
  // copies of the state in memory. Each has its own order of calls and its own failures, so several
  // threads may use one each at the same time. copies() is null unless Options::has_copies.
  [[nodiscard]] Coordination& coordination() noexcept { return *loop_.coordination; }
  [[nodiscard]] Coordination& commits() noexcept { return *commits_.coordination; }
  [[nodiscard]] Coordination* copies() noexcept {
    return copies_ ? copies_->coordination.get() : nullptr;
  }
  // Returns this rank's end of a group, as LocalJob::end() does: a communicator that belongs to
  // this object. The group must be one of Options::groups. `stream` is the stream of the group's
  // lane on a device, and null on the CPU. The call does not wait for other members. Throws the
  // errors of UcxWorker::make_group and open_nccl_channel.
  Communicator& end(const std::string& key, std::span<const std::uint32_t> members,
                    std::uint32_t my_index, CUstream_st* stream);
  // Returns the memory that Options::host_memory requested, or null if none of the other ranks is
  // on this host.
  [[nodiscard]] HostMemory* host_memory() noexcept {
    return host_memory_ ? &*host_memory_ : nullptr;
  }
  // The wakeup that the communicators notify, and the source of the messages of those over UCX.
  [[nodiscard]] Wakeup& wakeup() noexcept { return wakeup_; }
  [[nodiscard]] EventSource& events() noexcept { return worker_; }
  // Call it when this rank gives up, once no lane runner uses the communicators any more. It aborts
  // all communicators and coordinations. Over UCX, their calls fail on the other members too,
  // and leave() waits a moment, so that these members learn of the error. Over NCCL only this
  // rank's end fails (NcclCommunicator).
  void leave(const Error& error) noexcept;
  // Call it after leave(), if the error was a timeout: see UcxCoordination::silent_ranks().
  [[nodiscard]] std::vector<std::uint32_t> silent_ranks() {
    return loop_.coordination->silent_ranks();
  }

 private:
  // The content of RankRecord::endpoint: the addresses of the rank's workers, its piece of
  // HostMemory, and NCCL ids.
  struct Endpoint {
    std::vector<std::byte> data, coordination, commits, copies;  // copies may be empty
    std::vector<std::string> addresses;  // of the rank's host, each 4 or 16 bytes
    HostMemory::Offer offer;
    std::map<std::string, NcclId> nccl;  // by group key: of the groups whose first rank this is
  };
  // A coordination with the worker and the wakeup that serve it alone.
  struct CoordinationEnd {
    explicit CoordinationEnd(const UcxOptions& options) : worker(wakeup, options) {}
    Wakeup wakeup;
    UcxWorker worker;
    std::unique_ptr<UcxCoordination> coordination;
  };
  // Returns this rank's Endpoint as bytes.
  [[nodiscard]] std::string own_endpoint(const Options& options,
                                         const std::optional<SharedFile>& memory);
  // Returns the NCCL id of a group. Throws Error (corrupt_data) if the group's first rank has not
  // published one.
  [[nodiscard]] const NcclId& nccl_id(const Group& group) const;
  // Returns the endpoint of this rank or of a peer.
  [[nodiscard]] const Endpoint& endpoint(std::uint32_t rank) const;

  // Decodes RankRecord::endpoint. Throws Error (corrupt_data).
  [[nodiscard]] static Endpoint read_endpoint(const RankRecord& record);
  // Decides which groups have windows. Throws Error (unsupported) if none can have one.
  void choose_windows(const std::vector<Group>& groups, const Launch& launch);
  // Lets only the hosts of this rank's peers reach the TCP ports of its workers.
  void keep_strangers_out(const Launch& launch);
  // Sets host_memory_, if another rank of the request is on this host.
  void share_host_memory(const HostMemory::Request& request, const Launch& launch, SharedFile own);

  std::uint32_t rank_;
  bool on_device_;
  NcclLibrary nccl_;
  std::span<std::byte> window_;
  std::set<std::string> has_window_;  // keys of the groups with windows
  Wakeup wakeup_;
  UcxWorker worker_;
  CoordinationEnd loop_, commits_;
  std::optional<CoordinationEnd> copies_;
  std::map<std::uint32_t, Endpoint> endpoints_;  // of this rank and its peers, by rank
  std::optional<HostMemory> host_memory_;
  std::map<std::string, std::unique_ptr<Communicator>> groups_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_PROCESS_PROCESS_RANK_H_
