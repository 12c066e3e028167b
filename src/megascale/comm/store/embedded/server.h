#ifndef MEGASCALE_COMM_STORE_EMBEDDED_SERVER_H_
#define MEGASCALE_COMM_STORE_EMBEDDED_SERVER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "megascale/comm/store/address.h"
#include "megascale/comm/store/secret.h"

namespace megascale::comm {

// Settings and limits of a StoreServer.
struct StoreServerOptions {
  StoreAddress address;  // the server listens on this address only; port 0: any free port
  JobSecret secret;
  std::string job;  // clients of other jobs are refused
  // A client that has not proved that it knows the secret after this time is disconnected.
  std::chrono::milliseconds authentication_timeout{10'000};
  // If a new connection would exceed one of these limits, the oldest unauthenticated connection is
  // closed. If there is none, the new connection is.
  std::size_t max_connections = 65'536;
  std::size_t max_unauthenticated = 16'384;
  std::size_t max_nbytes = std::size_t{1} << 30U;  // of keys and values together
};

// The embedded rendezvous store: one thread that serves all connections with epoll. Its memory is
// bounded by the limits above, whatever strangers send. It logs nothing; counts() reports its
// activity. Any thread may call counts() and drain().
class StoreServer {
 public:
  struct Counts {
    std::uint64_t accepted = 0;       // connections so far
    std::uint64_t authenticated = 0;  // of these, connections that proved to know the secret
    std::uint64_t refused = 0;        // of these, connections that the server has closed
    std::uint64_t requests = 0;       // executed so far
    std::uint64_t connected = 0;      // authenticated connections at present
  };

  // Binds and listens: from now on clients can connect. Throws Error (io), which names the address.
  explicit StoreServer(StoreServerOptions options);
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;
  // Ends the thread and closes all connections.
  ~StoreServer();
  // Starts the thread. It is separate from the constructor, so that a process can fork in between.
  void start();
  // Returns the address that the server listens on, with the actual port.
  [[nodiscard]] const StoreAddress& address() const noexcept;
  [[nodiscard]] Counts counts() const noexcept;
  // Returns once no authenticated client is connected, at the latest after `limit`. The process
  // with the server calls it before it ends, so that all ranks can read their last reply.
  void drain(std::chrono::milliseconds limit) const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
  std::thread thread_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_EMBEDDED_SERVER_H_
