#ifndef MEGASCALE_COMM_UCX_UCX_WORKER_H_
#define MEGASCALE_COMM_UCX_UCX_WORKER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/wakeup.h"
#include "megascale/comm/communicator.h"
#include "megascale/comm/shared_file.h"

namespace megascale::comm {

class Port;

struct UcxOptions {
  std::uint32_t rank = 0;  // in the job, for errors
  // The rank's memory (its arena), which ranks of the same host can read directly. It belongs to
  // the rank: several workers may be given it, one after the other. Transfers of other memory work
  // too, but their bytes are copied several times. Null: none.
  std::shared_ptr<const SharedFile> memory;
  // A number that only the ranks of this job know. Messages without it are dropped.
  std::uint64_t token = 0;
  // The transports for messages, by UCX's names (UCX_TLS). "posix,self" never leaves the host and
  // opens no port. Between hosts: "posix,self,tcp", or "posix,self,rc,tcp" with RDMA.
  std::string transports = "posix,self,tcp";
  // The network devices, by UCX's names (UCX_NET_DEVICES). TCP listens on these devices only, on a
  // free port.
  std::string devices = "lo";
  // false: ranks on this host are reached over the network, as if they were on another host.
  bool shared_memory = true;
  // Every message carries a digest, which its receiver compares. If they differ, transfers fail with
  // ErrorCode::corrupt_data, which names sender and receiver. Equal on all ranks of a job. Bytes that
  // a peer reads from `memory` directly have no digest.
  bool checksums = false;
};

// A rank's connection to the other ranks of a job that are processes, on one host or several. A
// worker makes communicators, which it serves. A rank has one worker for the transfers of its plan
// and one for each coordination (ProcessRank). In tests, ranks may also be threads with workers of
// their own.
//
//   UcxWorker worker(wakeup, {.rank = rank, .memory = arena});
//   addresses = <exchange worker.address() through the rendezvous store>
//   auto data = worker.make_group(<addresses of the members>, my_index, "data/0");
//
// Threads: progress(), arm(), descriptor() and the communicators' start() and poll() belong to the
//   rank's progress thread (LaneRunner::Options::events); any thread may call the rest.
// Ownership: communicators keep the connections and the memory alive.
// Loss: a peer is lost for good if its process ends or its connection breaks. Transfers that need
//   it fail with ErrorCode::peer_lost and name its rank. A stopped process (SIGSTOP) is not lost.
//   Known defect of UCX 1.13 over TCP: if a peer ends while the two connect, an assertion of UCX
//   may stop this process too.
// Security: whoever holds an address can send messages, so exchange addresses only through the
//   authenticated store. TCP accepts connections on `devices` from the hosts of accept_only().
//   Messages without the job's token are dropped, but UCX's own handshake is neither authenticated
//   nor encrypted: use a network of the cluster, not a public one. The memory can be mapped
//   (read only) by processes that may debug this one, that is by processes of the same user.
// Source: the transports are UCX's (openucx.org); what a collective does with them is in
//   ucx_communicator.h.
class UcxWorker final : public EventSource {
 public:
  // `wakeup` is notified when transfers may go on; it must outlive the worker and its
  // communicators. Throws Error: unsupported (built without UCX), out_of_memory, io, bad_usage
  // (unknown transports or devices), failed (any other failure of UCX).
  UcxWorker(Wakeup& wakeup, const UcxOptions& options);
  ~UcxWorker() override;

  // Returns the bytes with which other ranks reach this one: opaque, a few hundred.
  [[nodiscard]] const std::vector<std::byte>& address() const noexcept;
  // Returns this rank's end of a group. `addresses` are those of all members in group order, this
  // rank's own included. `id` names the group. It must be equal on all members. The same members
  // may use it for one group only; after another start of the job they may use it again. The call
  // does not wait for other members. Throws Error: bad_input (an address), io (a member's process
  // cannot be watched), unsupported (too many groups).
  [[nodiscard]] std::unique_ptr<Communicator> make_group(
      std::span<const std::vector<std::byte>> addresses, std::uint32_t my_index,
      std::string_view id);

  // From now on, the TCP ports of this worker take connections and packets from these hosts only; an
  // address is its 4 or 16 bytes. Without this call they take them from anybody. Throws Error (io).
  void accept_only(std::span<const std::string> addresses);

  bool progress() noexcept override;
  int arm() noexcept override;
  [[nodiscard]] int descriptor() const noexcept override;
  // Returns true while UCX has messages that it has not sent, for example because a connection is
  // not established yet. They are sent only by calls of progress().
  [[nodiscard]] bool is_sending() const noexcept;

 private:
  std::shared_ptr<Port> port_;
};

// Returns false if this binary was built without UCX.
[[nodiscard]] bool ucx_is_available() noexcept;

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_UCX_WORKER_H_
