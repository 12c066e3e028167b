#ifndef MEGASCALE_COMM_STORE_ADDRESS_H_
#define MEGASCALE_COMM_STORE_ADDRESS_H_

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale::comm {

enum class StoreKind : std::uint8_t { embedded, redis };

// Where a store listens. As text:
//   host:port or tcp://host:port   the embedded store; an IPv6 address in brackets
//   redis://host:port              Redis
//   redis+unix:///path             Redis behind a socket of this host
struct StoreAddress {
  StoreKind kind = StoreKind::embedded;
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string path;  // of a local socket, instead of host and port
  bool operator==(const StoreAddress&) const = default;
};
// Throws Error (bad_usage) that quotes the text.
[[nodiscard]] StoreAddress parse_store_address(std::string_view text);
[[nodiscard]] std::string to_string(const StoreAddress& address);

// What bind() and connect() take.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t nbytes = 0;
};
// Asks the resolver where the host is a name, which may block. The first answer counts.
[[nodiscard]] Result<SocketAddress> resolve(const StoreAddress& address);
// A non-blocking socket for the address, without Nagle's delay where it is TCP.
[[nodiscard]] Result<FileHandle> make_socket(const SocketAddress& address);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_ADDRESS_H_
