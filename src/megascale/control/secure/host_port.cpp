#include "megascale/control/secure/host_port.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "megascale/comm/store/address.h"

namespace megascale::secure {
namespace {

constexpr int kBacklog = 1024;
constexpr std::size_t kMostHostNbytes = 253;  // of a name in DNS

HostPort to_host_port(const sockaddr_storage& storage) {
  char text[INET6_ADDRSTRLEN] = {};
  HostPort address;
  if (storage.ss_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &storage, sizeof six);
    ::inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
    address.port = ntohs(six.sin6_port);
  } else {
    sockaddr_in four{};
    std::memcpy(&four, &storage, sizeof four);
    ::inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
    address.port = ntohs(four.sin_port);
  }
  address.host = text;
  return address;
}

sockaddr_storage address_of(const FileHandle& listener) {
  sockaddr_storage storage{};
  socklen_t nbytes = sizeof storage;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&storage), &nbytes) != 0)
    throw Error(ErrorCode::io, fmt::format("cannot read a socket's address: {}",
                                           std::generic_category().message(errno)));
  return storage;
}

bool stands_for_all(const HostPort& address) {
  return address.host.empty() || address.host == "*" || address.host == "0.0.0.0" ||
         address.host == "::";
}

}  // namespace

Result<HostPort> parse_host_port(std::string_view text) {
  const auto refuse = [&] {
    return tl::unexpected(
        Error(ErrorCode::bad_usage,
              fmt::format("address \"{}\": expected HOST:PORT, such as 10.0.0.1:29400 or "
                          "[fd00::1]:29400",
                          text.substr(0, kMostHostNbytes))));
  };
  // Beside HOST:PORT the store takes addresses with a scheme, which all have a slash.
  if (text.size() > kMostHostNbytes + 8 || text.find('/') != std::string_view::npos)
    return refuse();
  try {
    comm::StoreAddress address = comm::parse_store_address(text);
    return HostPort{.host = std::move(address.host), .port = address.port};
  } catch (const Error&) {
    return refuse();
  }
}

std::string to_string(const HostPort& address) {
  return address.host.find(':') == std::string::npos
             ? fmt::format("{}:{}", address.host, address.port)
             : fmt::format("[{}]:{}", address.host, address.port);
}

Result<HostPort> resolve_host(const HostPort& address) {
  const auto resolved = comm::resolve({.host = address.host, .port = address.port, .path = ""});
  if (!resolved) return tl::unexpected(resolved.error());
  return to_host_port(resolved->storage);
}

FileHandle listen_at(const HostPort& address) {
  if (stands_for_all(address)) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("cannot listen at {}: expected the address of one interface, such as "
                            "127.0.0.1 or this host's address in the cluster's network",
                            to_string(address)));
  }
  const auto resolved = comm::resolve({.host = address.host, .port = address.port, .path = ""});
  if (!resolved) throw Error(resolved.error());
  auto socket = comm::make_socket(*resolved);
  if (!socket) throw Error(socket.error());
  constexpr int kOn = 1;
  if (::setsockopt(socket->get(), SOL_SOCKET, SO_REUSEADDR, &kOn, sizeof kOn) != 0 ||
      ::bind(socket->get(), reinterpret_cast<const sockaddr*>(&resolved->storage),
             resolved->nbytes) != 0 ||
      ::listen(socket->get(), kBacklog) != 0) {
    throw Error(ErrorCode::io, fmt::format("cannot listen at {}: {}", to_string(address),
                                           std::generic_category().message(errno)));
  }
  return std::move(*socket);
}

HostPort listening_address(const FileHandle& listener) {
  return to_host_port(address_of(listener));
}

bool is_loopback(const FileHandle& listener) {
  const sockaddr_storage storage = address_of(listener);
  if (storage.ss_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &storage, sizeof six);
    return IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
  }
  sockaddr_in four{};
  std::memcpy(&four, &storage, sizeof four);
  return ntohl(four.sin_addr.s_addr) >> 24U == 127;
}

Accepted accept_from(const FileHandle& listener) noexcept {
  sockaddr_storage storage{};
  socklen_t nbytes = sizeof storage;
  const int fd = ::accept4(listener.get(), reinterpret_cast<sockaddr*>(&storage), &nbytes,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return {};
  constexpr int kOn = 1;
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  return {.socket = FileHandle(fd), .peer = to_host_port(storage)};
}

}  // namespace megascale::secure
