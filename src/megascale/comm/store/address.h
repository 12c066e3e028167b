#ifndef MEGASCALE_COMM_STORE_ADDRESS_H_
#define MEGASCALE_COMM_STORE_ADDRESS_H_

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

// Addresses of rendezvous stores: text forms, name resolution, and sockets.
namespace megascale::comm {

enum class StoreKind : std::uint8_t { embedded, redis };

// The address at which a rendezvous store listens. Its text forms are:
//   host:port or tcp://host:port   the embedded store; an IPv6 address stands in brackets
//   redis://host:port              a Redis server
//   redis+unix:///path             a Redis server with a Unix socket on this host
struct StoreAddress {
  StoreKind kind = StoreKind::embedded;
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string path;  // of a Unix socket; if it is set, host and port are not used
  bool operator==(const StoreAddress&) const = default;
};
// Parses a text form. Throws Error (bad_usage), which quotes the text.
[[nodiscard]] StoreAddress parse_store_address(std::string_view text);
// Returns the text form, which parse_store_address() reads back.
[[nodiscard]] std::string to_string(const StoreAddress& address);

// An address in the form that bind() and connect() take.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t nbytes = 0;
};
// Resolves the host to an address. If the host is a name, this asks the resolver, which may block;
// the first answer is used. Errors: io (unknown host name), bad_usage (path too long).
[[nodiscard]] Result<SocketAddress> resolve(const StoreAddress& address);
// Returns the address of this host from which the kernel would reach `address`. Nothing is sent: a
// datagram socket that connects makes the kernel look up the route. Errors: those of resolve(); io if
// there is no route.
[[nodiscard]] Result<SocketAddress> own_address_towards(const StoreAddress& address);
// Returns a new non-blocking socket of the address's family, with Nagle's algorithm off for TCP.
// Error: io if the process has no free file descriptor.
[[nodiscard]] Result<FileHandle> make_socket(const SocketAddress& address);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_ADDRESS_H_
