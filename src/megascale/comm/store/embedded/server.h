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

struct StoreServerOptions {
  StoreAddress address;  // the only one it listens on; port 0: any free one
  JobSecret secret;
  std::string job;  // clients of another are refused
  // To prove knowledge of the secret. Who takes longer is disconnected.
  std::chrono::milliseconds authentication_timeout{10'000};
  // Beyond these the oldest connection that has proved nothing gives way, or the new one where
  // there is none.
  std::size_t max_connections = 65'536;
  std::size_t max_unauthenticated = 16'384;
  std::size_t max_nbytes = std::size_t{1} << 30U;  // keys and values together
};

// The embedded rendezvous store: one thread that serves all connections by epoll. It holds no more
// than the limits above whatever strangers send, and logs nothing; counts() shows what came.
class StoreServer {
 public:
  struct Counts {
    std::uint64_t accepted = 0;       // connections
    std::uint64_t authenticated = 0;  // of them
    std::uint64_t refused = 0;        // disconnected before or for something they sent
    std::uint64_t requests = 0;       // executed
    std::uint64_t connected = 0;      // now, authenticated
  };

  // Binds and listens: from here on clients can connect. Throws Error (io) that names the address.
  explicit StoreServer(StoreServerOptions options);
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;
  // Disconnects everybody.
  ~StoreServer();
  // Starts the thread. Apart from the constructor, so that a process can fork between.
  void start();
  // Where it listens, the port filled in.
  [[nodiscard]] const StoreAddress& address() const noexcept;
  [[nodiscard]] Counts counts() const noexcept;
  // Returns once no authenticated client is connected, at the latest after `limit`: so that ranks
  // read a verdict before the process with the server ends.
  void drain(std::chrono::milliseconds limit) const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
  std::thread thread_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_EMBEDDED_SERVER_H_
