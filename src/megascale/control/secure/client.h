#ifndef MEGASCALE_CONTROL_SECURE_CLIENT_H_
#define MEGASCALE_CONTROL_SECURE_CLIENT_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "megascale/control/secure/credentials.h"
#include "megascale/control/secure/host_port.h"

namespace megascale::secure {

struct ClientOptions {
  HostPort server;
  std::optional<Credentials> credentials;  // without them, `insecure` must be set
  bool insecure = false;
  std::chrono::milliseconds keepalive{5'000}, keepalive_timeout{3'000};
};

// Calls the verbs of an Endpoint. It connects at the first call and again after a loss; the file of
// the certificate is read again when it changes. Any thread may call it.
class Client {
 public:
  // Throws Error: bad_usage without credentials, io if the host is unknown.
  explicit Client(const ClientOptions& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  // Returns the reply. Errors: peer_lost if the server cannot be reached; timeout if it has not
  // answered in time; bad_usage if it refuses this certificate or this role; failed if it is not a
  // driver of this cluster; unsupported if it does not know the verb; else the handler's.
  [[nodiscard]] Result<std::string> call(const std::string& verb, std::string_view request,
                                         std::chrono::milliseconds limit);

 private:
  class Channel;
  std::unique_ptr<Channel> channel_;
};

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_CLIENT_H_
