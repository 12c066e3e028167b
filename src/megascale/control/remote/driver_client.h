#ifndef MEGASCALE_CONTROL_REMOTE_DRIVER_CLIENT_H_
#define MEGASCALE_CONTROL_REMOTE_DRIVER_CLIENT_H_

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/control/secure/client.h"

namespace megascale::control {

// How to reach a driver. It may come back at another address, so there may be several.
struct DriverAddress {
  std::vector<secure::HostPort> hosts;
  std::optional<secure::Credentials> credentials;  // without them, `insecure` must be set
  bool insecure = false;
};
// Reads "HOST:PORT" or "HOST:PORT,HOST:PORT", and the credentials of a role in the directory if that
// is not empty. Throws Error: bad_usage if there are neither credentials nor `insecure`, and those of
// secure::load_credentials().
[[nodiscard]] DriverAddress read_driver_address(const std::string& hosts,
                                                const std::filesystem::path& credentials,
                                                bool insecure, secure::Role role);

// Calls the verbs of a driver. If it cannot be reached at one address, the next call tries the next
// one. One thread at a time may use it.
class DriverClient {
 public:
  explicit DriverClient(DriverAddress address);
  // Returns the reply. Errors as secure::Client::call(); also io if the host is unknown.
  [[nodiscard]] Result<std::string> call(const std::string& verb, std::string_view request,
                                         std::chrono::milliseconds limit);
  // The driver that answered is not the right one: the next call tries the next address.
  void try_the_next() noexcept;
  // Renews the certificate if it is due and the driver can do it. Cheap if it is not due. Returns a
  // message if it was renewed or could not be.
  std::optional<std::string> renew_if_due(std::chrono::milliseconds limit);
  [[nodiscard]] const DriverAddress& address() const noexcept { return address_; }
  // The address that the next call tries.
  [[nodiscard]] const secure::HostPort& current() const noexcept { return address_.hosts[next_]; }

 private:
  DriverAddress address_;
  std::vector<std::unique_ptr<secure::Client>> clients_;  // made when they are first needed
  std::size_t next_ = 0;
  std::chrono::steady_clock::time_point renewal_not_before_{};
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_REMOTE_DRIVER_CLIENT_H_
