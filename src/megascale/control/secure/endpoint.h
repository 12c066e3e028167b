#ifndef MEGASCALE_CONTROL_SECURE_ENDPOINT_H_
#define MEGASCALE_CONTROL_SECURE_ENDPOINT_H_

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "megascale/control/secure/authorisation.h"
#include "megascale/control/secure/connection_table.h"
#include "megascale/control/secure/credentials.h"
#include "megascale/control/secure/limited_log.h"

// The server of the control plane: unary gRPC calls over mutual TLS. A verb NAME is the method
// /megascale.control.Driver/NAME; requests and replies are bytes whose meaning the handlers know.
namespace megascale::secure {

// Limits of one call, for both sides.
inline constexpr int kMostCallNbytes = 4 << 20;

struct EndpointOptions {
  HostPort listen;
  // Those of a driver. Without them the endpoint refuses to start, unless `insecure` is set.
  std::optional<Credentials> credentials;
  // Serves everybody, without TLS and without rights. Logs a warning.
  bool insecure = false;
  ConnectionLimits connections;
  int calls_per_connection = 16;                  // at the same time
  std::chrono::milliseconds request_for{10'000};  // for a request to arrive; then it is cancelled
  std::chrono::milliseconds idle_for{300'000};    // then a connection without calls is closed
  std::chrono::milliseconds keepalive{5'000};     // a dead peer is noticed after this ...
  std::chrono::milliseconds keepalive_timeout{3'000};  // ... and this
  int threads = 4;                                     // for handlers
  // Who was refused and why, and every call of a verb that acts or administers.
  Log log;
};

// Serves calls from its construction to its destruction. Every call passes these checks before its
// request is read: TLS 1.2 or newer; a certificate of this cluster's authority; valid now; not
// revoked; a role with the right of the verb. Any thread may call the functions.
class Endpoint {
 public:
  // Throws Error: bad_usage if there are no credentials and `insecure` is not set, or if the
  // certificate is not a driver's; io if it cannot listen.
  Endpoint(EndpointOptions options, std::vector<Verb> verbs);
  ~Endpoint();  // waits for running handlers
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  [[nodiscard]] HostPort address() const;
  struct Counts {
    std::uint64_t answered = 0;  // calls whose handler ran
    std::uint64_t refused = 0;   // calls that a check refused
    std::size_t connections = 0;
  };
  [[nodiscard]] Counts counts() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_ENDPOINT_H_
