#ifndef MEGASCALE_CONTROL_SECURE_JOIN_SERVER_H_
#define MEGASCALE_CONTROL_SECURE_JOIN_SERVER_H_

#include <atomic>
#include <memory>
#include <thread>

#include "megascale/control/secure/authority.h"
#include "megascale/control/secure/connection_table.h"
#include "megascale/control/secure/limited_log.h"

namespace megascale::secure {

struct JoinServerOptions {
  std::filesystem::path directory;  // of the authority
  HostPort listen;
  ConnectionLimits limits{.in_total = 256,
                          .per_address = 256,
                          .pending = 256,
                          .pending_per_address = 64,
                          .pending_for = std::chrono::seconds(10)};
  Log log;  // who joined, who was refused and why
};

// The port at which hosts join a cluster. Everybody can reach it, so it does as little as possible:
// TLS with the driver's certificate, one request of a known size, one reply. One thread serves all
// connections; a connection has 10 seconds. Once an hour it renews the certificates of the
// authority's directory that are due.
class JoinServer {
 public:
  // Listens when the constructor returns. Throws the errors of Authority::open(), load_credentials()
  // and listen_at().
  explicit JoinServer(JoinServerOptions options);
  ~JoinServer();
  JoinServer(const JoinServer&) = delete;
  JoinServer& operator=(const JoinServer&) = delete;
  [[nodiscard]] HostPort address() const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
  std::jthread thread_;
};

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_JOIN_SERVER_H_
