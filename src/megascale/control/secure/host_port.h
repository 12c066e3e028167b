#ifndef MEGASCALE_CONTROL_SECURE_HOST_PORT_H_
#define MEGASCALE_CONTROL_SECURE_HOST_PORT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

// Addresses of servers, and the sockets that listen at them.
namespace megascale::secure {

struct HostPort {
  std::string host = "127.0.0.1";  // a name or a number; IPv6 without brackets
  std::uint16_t port = 0;          // 0: any free port, for listening only
  bool operator==(const HostPort&) const = default;
};
// Reads "host:port" or "[IPv6]:port". Error: bad_usage, which quotes the text.
[[nodiscard]] Result<HostPort> parse_host_port(std::string_view text);
[[nodiscard]] std::string to_string(const HostPort& address);

// Returns the address with the host as a number. Error: io if the host is unknown.
[[nodiscard]] Result<HostPort> resolve_host(const HostPort& address);

// Returns a non-blocking socket that listens at one address of this host. Throws Error: bad_usage if
// the address stands for all interfaces (0.0.0.0 or ::); io if the host is unknown or the port is in
// use.
[[nodiscard]] FileHandle listen_at(const HostPort& address);
// Returns where a socket listens, with numbers.
[[nodiscard]] HostPort listening_address(const FileHandle& listener);
// True if only processes of this host can reach the address that the socket listens at.
[[nodiscard]] bool is_loopback(const FileHandle& listener);

// A connection from listen_at(): non-blocking, with Nagle's algorithm off.
struct Accepted {
  FileHandle socket;  // negative: nobody waits to be accepted, or no file descriptor is left
  HostPort peer;
};
[[nodiscard]] Accepted accept_from(const FileHandle& listener) noexcept;

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_HOST_PORT_H_
