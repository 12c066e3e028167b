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

namespace megascale::comm {

class Port;

struct UcxOptions {
  std::uint32_t rank = 0;  // in the job; named in errors
  // Bytes of memory() that ranks of the same host read directly. Transfers of other memory work
  // too, but are copied several times.
  std::size_t memory_nbytes = 0;
  // A number that all ranks of the job know and nobody else: messages that do not carry it are
  // dropped.
  std::uint64_t token = 0;
  // UCX's names of transports (UCX_TLS), for messages: "posix,self" never leaves the host and opens
  // no port; "posix,self,tcp", or "posix,self,rc,tcp" where there is RDMA.
  std::string transports = "posix,self,tcp";
  // UCX's names of network devices (UCX_NET_DEVICES): TCP listens on a free port of these only.
  std::string devices = "lo";
  // False: ranks on this host are reached over the network, as if they were on another.
  bool shared_memory = true;
};

// A rank's end of the network: ranks are processes (or threads with a worker each), on one host or
// several. One per rank; every communicator of the rank is made by it.
//
//   UcxWorker worker(wakeup, {.rank = rank, .memory_nbytes = arena});
//   addresses = <exchange worker.address() through the rendezvous store>
//   auto data = worker.make_group(<addresses of the members>, my_index, "data/0");
//
// Threads: progress(), arm(), descriptor() and the communicators' start() and poll() belong to the
//   rank's progress thread (LaneRunner::Options::events); the rest may be called by any.
// Ownership: communicators keep the connections and memory() alive.
// Loss: a peer whose process ends, or whose connection breaks, is lost for good: transfers that
//   need it fail with ErrorCode::peer_lost and its rank. A peer that is stopped is not lost. Over
//   TCP, UCX 1.13 may stop this process too (an assertion) where a peer ends while they connect.
// Security: an address lets its holder send messages: exchange it through the authenticated store
//   only. TCP accepts connections on `devices` from anybody who finds the port; messages without
//   the job's token are dropped, but UCX's own handshake is neither authenticated nor encrypted:
//   use a network of the cluster, not a public one. memory() can be mapped (read only) by processes
//   that may debug this one, that is of the same user.
// Source: the transports are UCX's (openucx.org); what a collective does with them is in
//   ucx_communicator.h.
class UcxWorker final : public EventSource {
 public:
  // `wakeup` is the rank's. Throws Error: unsupported (built without UCX), out_of_memory, io,
  // bad_usage (unknown transports or devices).
  UcxWorker(Wakeup& wakeup, const UcxOptions& options);
  ~UcxWorker() override;

  // What other ranks need to reach this one: opaque bytes, some hundred.
  [[nodiscard]] const std::vector<std::byte>& address() const noexcept;
  // Zeroed, page-aligned, at least memory_nbytes: the place for a rank's arena.
  [[nodiscard]] std::span<std::byte> memory() const noexcept;
  // This rank's end of a group. `addresses`: of all members in group order, this rank's own
  // included. `id` names the group among these processes: equal on all members, used once; another
  // start of the job may use it again. Returns at once: no member waits for another before the
  // first transfer. Throws Error: bad_input (an address), io.
  [[nodiscard]] std::unique_ptr<Communicator> make_group(
      std::span<const std::vector<std::byte>> addresses, std::uint32_t my_index,
      std::string_view id);

  bool progress() noexcept override;
  int arm() noexcept override;
  [[nodiscard]] int descriptor() const noexcept override;
  // Whether UCX still holds messages back, as it does until a connection stands: they leave while
  // progress() is called, and not without it.
  [[nodiscard]] bool is_sending() const noexcept;

 private:
  std::shared_ptr<Port> port_;
};

// False: this binary was built without UCX.
[[nodiscard]] bool ucx_is_available() noexcept;

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_UCX_WORKER_H_
